// The host's books: its state and the file that proves it, kept in step. What was done is on disk before it is answered.

import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BooksFile } from "../../acquirer/books-file.ts";
import type { Payout } from "./balance.ts";
import { type Dispute, type Entry, type FirstAnswer, type Payment, type Refund, State } from "./state.ts";

export interface Ledger {
  readonly state: State;
  /** A body may hold a card number, so what is remembered of it cannot be tried out; the same when the host comes back. */
  readonly pepper: string;
  payment(value: Payment): void;
  refund(value: Refund): void;
  dispute(value: Dispute): void;
  key(value: FirstAnswer): void;
  payout(value: Payout): void;
  /** Resolves once all that was done so far is on disk. */
  flushed(): Promise<void>;
  close(): Promise<void>;
}

export async function openLedger(folder: string): Promise<Ledger> {
  await mkdir(folder, { recursive: true });
  const state = new State();
  const file = await BooksFile.open<Entry>(join(folder, "stripe-books.log"), (entry) => state.apply(entry));
  const write = (entry: Entry) => {
    state.apply(entry);
    void file.append(entry);
  };
  const at = () => new Date().toISOString();
  return {
    ...{ state, pepper: await pepperIn(folder) },
    payment: (value) => write({ kind: "payment", at: at(), value }),
    refund: (value) => write({ kind: "refund", at: at(), value }),
    dispute: (value) => write({ kind: "dispute", at: at(), value }),
    key: (value) => write({ kind: "key", at: at(), value }),
    payout: (value) => write({ kind: "payout", at: at(), value }),
    flushed: () => file.flushed(),
    close: () => file.close(),
  };
}

async function pepperIn(folder: string): Promise<string> {
  const file = join(folder, "pepper");
  await writeFile(file, randomBytes(32).toString("hex"), { flag: "wx", mode: 0o600, flush: true }).catch(
    (fault: NodeJS.ErrnoException) => {
      if (fault.code !== "EEXIST") throw fault;
    },
  );
  return readFile(file, "utf8");
}
