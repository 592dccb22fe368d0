// What a processor's report of settled money is to a reconciliation, whatever form it comes in: movements of money of many
// days, with what was kept of them and what was paid out. A kind whose processor gives out such reports brings a reader for them.

import type { ProcessorRecord } from "../payment/processor-record.ts";
import type { BrokenLine, ForeignLine } from "./books.ts";
import type { Exact } from "./exact-amount.ts";

/**
 * - `captured` money of a sale or capture came in
 * - `released` the part of an authorization that was booked with its capture and was not captured is booked back
 * - `refunded` money went back to the payer
 * - `undone` money that had gone back is here again: the refund failed
 * - `capture-failed` money that had come in is taken back: the capture failed
 * - `chargeback`, `chargeback-reversed` taken by a dispute, and given back
 * - `fee` what the processor charges for itself
 * - `payout` to or from the merchant's bank, or carried over to the next batch
 * - `reserve` kept back for a time, or released
 * - `other` all else, such as corrections and types that are new; the processor's word says what
 */
export const REPORTED = [
  "captured",
  "released",
  "refunded",
  "undone",
  "capture-failed",
  "chargeback",
  "chargeback-reversed",
  "fee",
  "payout",
  "reserve",
  "other",
] as const;
export type Reported = (typeof REPORTED)[number];

/** So many digits, of which so many are behind the point. */
export interface Rate {
  readonly digits: bigint;
  readonly decimals: number;
}

export interface ReportLine {
  /** In the file, from 1; of what came over the API, its place there. */
  readonly line: number;
  readonly kind: Reported;
  /** The processor's word for it. */
  readonly said: string;
  /** What the processor knows it by. Two lines with the same one are one that stands there twice. Null: it has no name. */
  readonly id: string | null;
  /** The gateway's names, where the processor has them. */
  readonly about: { readonly transactionId: string; readonly eventId: string } | null;
  /** The processor's name for the capture or refund, where it has one of its own. */
  readonly operation?: string;
  /** The processor's name for the payment. */
  readonly payment?: string;
  /** When the processor booked it, where it says so, in milliseconds as if it were UTC: its reports are in their own time zone. */
  readonly at?: number;
  /** What was asked for: above zero if it came in, below if it went out. Zero where nothing was asked for. */
  readonly gross: Exact;
  /** Of a capture that was booked with all of its authorization: that. What is too much of it is booked back by a line of its own. */
  readonly booked?: Exact;
  /** ISO 4217, alphabetic; as it came where it is none. */
  readonly currency: string;
  /** What it changed in the balance at the processor. */
  readonly net: Exact;
  readonly netCurrency: string;
  /** What was kept of it, in the currency of the net amount, where the report says so; below zero it was given back. */
  readonly fee?: Exact;
  /** What was asked for in the currency of the net amount, where that is another one and the report says so. */
  readonly converted?: Exact;
  /** By which the gross amount was exchanged, where the report says so. */
  readonly rate?: Rate;
  /** Of a chargeback: the processor's name for its dispute. */
  readonly dispute?: string;
  /** The batch or payout that it belongs to. */
  readonly batch: string | null;
}

/** The file is no such report. */
export class NoReport extends Error {}

/** What the processor is asked for. */
export type Asked = { readonly day: string } | { readonly payout: string };

export type ReportLines = AsyncIterable<readonly (ReportLine | ForeignLine | BrokenLine)[]>;

export interface SettlementReportReader {
  /** A captured line names the capture. If not, it may name the charge alone, and the captures are told apart by their amounts. */
  readonly namesCaptures: boolean;
  /** Whether its batches are whole, so that all lines of one, with its payout, add up to nothing. */
  balances(from: Asked | "file"): boolean;
  /** Less than this may be left of a whole batch, in either direction. Without it, nothing. */
  leftOf?(currency: string): Exact;
  /** @throws NoReport */
  read(file: AsyncIterable<string>, record: Pick<ProcessorRecord, "settings">): ReportLines;
  /** Where the processor is asked for it instead. @throws NoReport if it gives none */
  ask?(record: ProcessorRecord, asked: Asked, signal: AbortSignal): ReportLines;
}
