// Reconciles a processor's books of a day with the journal: reads the gateway's operations, then the books line by line, and
// tells what it finds as it goes. Only the operations are held in memory (operations.ts).

import type { Sql } from "../../journal/database.ts";
import type { BookLine, BooksReader, BrokenLine, ForeignLine } from "../../processors/books.ts";
import { Operations } from "./operations.ts";
import { type Account, ofOtherMerchants, operationsOf, operationsSent } from "./read-operations.ts";
import { compareLine, compareRest, type Day, type Finding, isDifference, missingHere } from "./reconcile.ts";

export interface Books {
  readonly account: Account;
  readonly referenceOf: BooksReader["referenceOf"];
  /** ISO 4217, of the record. */
  readonly currency: string;
  /** `2030-05-15`, UTC. */
  readonly day: string;
  /** As a reader of the record's kind gives them. */
  readonly lines: AsyncIterable<readonly (BookLine | ForeignLine | BrokenLine)[]>;
}

export interface Told {
  found(finding: Finding): Promise<void> | void;
  broken(line: BrokenLine): void;
  progress(counts: Counts): void;
}

export interface Counts {
  /** Of the gateway, sent on that day and a few minutes before and after. */
  operations: number;
  lines: number;
  broken: number;
  /** Of other accounts, or of other processor records with the same one, whoever's. */
  others: number;
  differences: number;
  pending: number;
  nearMidnight: number;
  tooRecent: number;
}

/** By how much the processor's clock may differ from ours. */
const CLOCK_SKEW_MS = 300_000;
const DAY_MS = 86_400_000;
const LOOKED_UP_AT_ONCE = 500;

/** @throws NoBooks if the file is no day's books */
export async function reconcileBooks(sql: Sql, books: Books, now: Date, told: Told): Promise<Counts> {
  const from = Date.parse(`${books.day}T00:00:00Z`);
  // Of a day that is not over, what was sent until a moment ago.
  const until = Math.min(from + DAY_MS, now.getTime());
  const over = from + DAY_MS <= now.getTime();
  const day: Day = { from, until, over, clockSkewMs: CLOCK_SKEW_MS, currency: books.currency };
  const counts: Counts = {
    operations: 0,
    lines: 0,
    broken: 0,
    others: 0,
    differences: 0,
    pending: 0,
    nearMidnight: 0,
    tooRecent: 0,
  };
  const found = async (finding: Finding) => {
    if (isDifference(finding.kind)) counts.differences++;
    else if (finding.kind === "pending") counts.pending++;
    else if (finding.kind === "too-recent") counts.tooRecent++;
    else counts.nearMidnight++;
    await told.found(finding);
  };

  const operations = new Operations(books.referenceOf);
  for await (const some of operationsSent(sql, books.account, from - CLOCK_SKEW_MS, from + DAY_MS + CLOCK_SKEW_MS)) {
    for (const operation of some) operations.add(operation);
    counts.operations = operations.size;
    told.progress(counts);
  }
  let unknown: BookLine[] = [];
  for await (const lines of books.lines) {
    for (const line of lines) {
      counts.lines++;
      if ("fault" in line) {
        counts.broken++;
        told.broken(line);
      } else if ("foreign" in line) counts.others++;
      else {
        const findings = compareLine(operations, day, line);
        if (findings === undefined) unknown.push(line);
        else for (const finding of findings) await found(finding);
      }
    }
    for (; unknown.length >= LOOKED_UP_AT_ONCE; unknown = unknown.slice(LOOKED_UP_AT_ONCE))
      await lookUp(unknown.slice(0, LOOKED_UP_AT_ONCE));
    told.progress(counts);
  }
  if (unknown.length > 0) await lookUp(unknown);
  for (const finding of compareRest(operations, day)) await found(finding);
  return counts;

  /** Lines of operations that were sent on other days: repeated after an outage, reversed the day after. */
  async function lookUp(lines: readonly BookLine[]): Promise<void> {
    const ids = [...new Set(lines.flatMap(({ transactionId }) => transactionId ?? []))];
    const [ofOthers, known] = [new Set<string>(), new Set<string>()];
    for (const { operation, processorId } of await operationsOf(sql, books.account, ids)) {
      known.add(operation.transactionId);
      if (processorId === books.account.processorId) operations.add(operation);
      else ofOthers.add(books.referenceOf(operation.eventId));
    }
    const elsewhere = await ofOtherMerchants(
      sql,
      books.account,
      ids.filter((id) => !known.has(id)),
    );
    for (const line of lines) {
      const findings = compareLine(operations, day, line);
      if (findings !== undefined) for (const finding of findings) await found(finding);
      else if (ofOthers.has(line.reference) || elsewhere.has(line.transactionId ?? "")) counts.others++;
      else await found(missingHere(line));
    }
  }
}
