// What a processor's books of a day are to a reconciliation, whatever form they come in. A kind whose processors keep books
// brings a reader for them.

import type { ProcessorRecord } from "../payment/processor-record.ts";

export type BookedOperation = "sale" | "auth" | "capture" | "void" | "refund" | "reversal";

export interface BookLine {
  /** In the file, from 1. */
  readonly line: number;
  readonly operation: BookedOperation;
  /** What the processor knows the operation by; a reversal has that of its charge. */
  readonly reference: string;
  /** In the currency's minor unit. */
  readonly amount: bigint;
  /** ISO 4217, alphabetic; as it came where it is none. */
  readonly currency: string;
  /** The processor's, for people. */
  readonly code: string;
  /** Money was held or moved; of a reversal: taken back. */
  readonly approved: boolean;
  /** Of a reversal: nothing of its charge is held, whether or not there was something to take back. */
  readonly nothingHeld: boolean;
  /** The gateway's, where the books have it. */
  readonly transactionId: string | null;
}

/** Of another account in the same books. */
export interface ForeignLine {
  readonly line: number;
  readonly foreign: true;
}

export interface BrokenLine {
  readonly line: number;
  readonly fault: string;
}

/** The file is no day's books. */
export class NoBooks extends Error {}

export interface BooksReader {
  /** What the books know an event of ours by: the same for the same event, always. */
  referenceOf(eventId: string): string;
  /**
   * @param day `2030-05-15`, UTC
   * @throws NoBooks
   */
  read(
    file: AsyncIterable<string>,
    record: Pick<ProcessorRecord, "currency" | "settings">,
    day: string,
  ): AsyncIterable<readonly (BookLine | ForeignLine | BrokenLine)[]>;
}
