// The host's books: what stands where (accounts.ts) and the file that proves it, kept in step. What is decided is on disk
// before it is told.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Accounts } from "./accounts.ts";
import { BooksFile } from "./books-file.ts";
import { decide } from "./decide.ts";
import type { Booked, Entry } from "./entry.ts";
import type { Question } from "./question.ts";

export type Told = Pick<Booked, "code" | "authCode" | "id" | "results" | "networkId">;

export interface Books {
  /** Resolves once what it tells is on disk. */
  ask(question: Question, now: Date): Promise<Told>;
  /** In the currency's minor unit, held or taken. */
  balance(transaction: string): bigint;
  /** All that was captured until then settles. */
  settle(now: Date, capturedUntil: Date): Promise<void>;
  readonly settledUntil: string;
  entries(): AsyncGenerator<Entry>;
  close(): Promise<void>;
}

export async function openBooks(folder: string): Promise<Books> {
  await mkdir(folder, { recursive: true });
  const accounts = new Accounts();
  const file = await BooksFile.open<Entry>(join(folder, "books.log"), (entry) => accounts.apply(entry));
  const write = (entry: Entry) => {
    accounts.apply(entry);
    return file.append(entry);
  };
  return {
    async ask(question, now) {
      const decision = decide(accounts, question, now);
      if (decision.kind === "refuse") return { code: decision.code, authCode: "", id: "", results: "" };
      // The first answer may still be on its way to the disk.
      await (decision.kind === "book" ? write(decision.entry) : file.flushed());
      return decision.entry;
    },
    balance: (transaction) => accounts.balance(transaction),
    settle: (now, capturedUntil) =>
      write({ kind: "settled", at: now.toISOString(), capturedUntil: capturedUntil.toISOString() }),
    get settledUntil() {
      return accounts.settledUntil;
    },
    entries: () => file.entries(),
    close: () => file.close(),
  };
}
