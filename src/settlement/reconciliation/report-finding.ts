// What a comparison of a processor's report with the journal can find.

import type { DisputeMovement, DisputeState } from "../../payment/dispute.ts";
import type { Amount } from "../../payment/money.ts";
import type { ReportLine } from "../../processors/settlement-report.ts";
import type { LineFault } from "./check-line.ts";
import type { Operation } from "./operations.ts";

/**
 * Differences:
 * - `missing-here` the gateway has no such operation
 * - `missing-there` money of the day that was asked for is not in the report, and nothing explains it
 * - `other-operation`, `other-amount`, `other-currency`
 * - `other-outcome` settled there, and not approved here
 * - `settled-twice` a second line for the same operation
 * - `reported-twice` the same line of the processor's again; it is left out of the sums
 *
 * - `wrong-sum`, `wrong-sign` the line does not add up by itself
 * - `archived` of a payment that is in an archive, with which it cannot be compared
 * - `unaccounted` money that is about no payment, fee, payout or reserve: a correction, or a type that is not known
 * - those of disputes, below
 *
 * Not judged:
 * - `pending` the gateway does not know its end yet
 * - `not-closed` settled there and undone here: another report has to take it back
 * - `chargeback` the payer's bank took the money, or gave it back
 * - `near-midnight` not in the report of this day; it may stand in that of the day before or after
 * - `too-recent` of a day that is not over: sent so lately that it may not be there yet
 */
export type ReportFindingKind =
  | "missing-here"
  | "missing-there"
  | "other-operation"
  | "other-amount"
  | "other-currency"
  | "other-outcome"
  | "settled-twice"
  | "reported-twice"
  | LineFault
  | "archived"
  | "unaccounted"
  | DisputeFindingKind
  | "pending"
  | "not-closed"
  | "chargeback"
  | "near-midnight"
  | "too-recent";

const NOT_JUDGED: readonly ReportFindingKind[] = ["pending", "not-closed", "chargeback", "near-midnight", "too-recent"];
export const isReportDifference = (kind: ReportFindingKind): boolean => !NOT_JUDGED.includes(kind);

export interface ReportFinding {
  readonly kind: ReportFindingKind;
  /** Null for what is missing here. */
  readonly here: Operation | null;
  /** Null for what is missing there. */
  readonly there: ReportLine | null;
  /** Of a line about a dispute: the one on record. */
  readonly dispute?: KnownDispute | null;
  /** Of the dispute: the movement on record that the line is, or that no line is. */
  readonly movement?: KnownMovement;
}

export type OurLine = ReportLine & { readonly about: NonNullable<ReportLine["about"]> };

/**
 * All are differences:
 * - `unknown-dispute` no such dispute is on record
 * - `dispute-of-no-payment` the gateway has no such payment
 * - `dispute-exceeds-payment` more is taken than was captured of the payment
 * - `dispute-doubled` taken once more than is on record
 * - `dispute-other-amount`, `dispute-other-currency` on record it is another one
 * - `dispute-not-withdrawn` on record nothing was taken
 * - `dispute-won-and-withdrawn` on record it was won, and the money was not given back
 * - `dispute-not-returned` given back there, and not on record
 * - `dispute-missing-there` taken or given back on the day by the record, and the report has no line for it
 */
export const DISPUTE_FINDINGS = [
  "unknown-dispute",
  "dispute-of-no-payment",
  "dispute-exceeds-payment",
  "dispute-doubled",
  "dispute-other-amount",
  "dispute-other-currency",
  "dispute-not-withdrawn",
  "dispute-won-and-withdrawn",
  "dispute-not-returned",
  "dispute-missing-there",
] as const;
export type DisputeFindingKind = (typeof DISPUTE_FINDINGS)[number];

/** A dispute on record. */
export interface KnownDispute {
  readonly id: string;
  readonly transactionId: string;
  readonly eventId: string;
  /** The processor's name; null: an operator entered it without one. */
  readonly reference: string | null;
  readonly state: DisputeState;
  readonly currency: string;
  readonly withdrawn: Amount;
  readonly openedAt: Date;
  readonly movements: readonly KnownMovement[];
}

export interface KnownMovement extends Pick<DisputeMovement, "number" | "happenedAt" | "currency"> {
  /** Hundredths; below zero it was taken. */
  readonly amount: bigint;
}
