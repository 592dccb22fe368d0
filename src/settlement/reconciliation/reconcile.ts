// A processor's books of one day against the gateway's operations: every difference, and what cannot be judged yet. Pure:
// operations and lines come in, findings come out.

import { inMinorUnits } from "../../payment/currency.ts";
import { isCharge } from "../../payment/transaction.ts";
import type { BookedOperation, BookLine } from "../../processors/books.ts";
import { type Operation, type Operations, SEEN } from "./operations.ts";

/**
 * Differences:
 * - `missing-here` the gateway has no such operation
 * - `missing-there` the books of this day have no such line, and nothing else explains it
 * - `other-operation`, `other-amount`, `other-currency`
 * - `other-outcome` approved on one side only, or taken back on one side only
 * - `booked-twice` a second line for the same operation
 *
 * Not judged:
 * - `pending` the gateway does not know its end yet
 * - `near-midnight` not in these books; it may stand in those of the day before or after
 */
export type FindingKind =
  | "missing-here"
  | "missing-there"
  | "other-operation"
  | "other-amount"
  | "other-currency"
  | "other-outcome"
  | "booked-twice"
  | "pending"
  | "near-midnight";

export const isDifference = (kind: FindingKind): boolean => kind !== "pending" && kind !== "near-midnight";

export interface Finding {
  readonly kind: FindingKind;
  readonly operation: BookedOperation;
  /** What the processor knows it by. */
  readonly reference: string;
  /** Null for what is missing here. */
  readonly here: Operation | null;
  /** Null for what is missing there, and for what shows at the end of the books. */
  readonly there: BookLine | null;
}

export interface Day {
  /** Milliseconds; in the books are its operations from here on … */
  readonly from: number;
  /** … to here, or to when the books were written. */
  readonly until: number;
  /** By how much the two clocks may differ. */
  readonly clockSkewMs: number;
  /** ISO 4217, alphabetic. */
  readonly currency: string;
}

/** @returns the findings of this line; undefined if the operation is not among those given */
export function compareLine(operations: Operations, day: Day, line: BookLine): readonly Finding[] | undefined {
  const index = operations.find(line.reference);
  if (index === undefined) return undefined;
  const here = operations.at(index);
  const finding = (kind: FindingKind): Finding => ({
    kind,
    operation: line.operation,
    reference: line.reference,
    here,
    there: line,
  });
  const reversal = line.operation === "reversal";
  const before = operations.seen(index) & (reversal ? SEEN.reversal : SEEN.booked);
  if (before !== 0) return [finding("booked-twice")];
  const moved = line.approved;
  if (reversal) operations.see(index, SEEN.reversal | (line.nothingHeld ? SEEN.reversed : 0));
  else operations.see(index, SEEN.booked | (moved ? SEEN.moved : 0));
  if (reversal ? !isCharge(here) : line.operation !== here.type) return [finding("other-operation")];
  const kinds: FindingKind[] = [];
  if (line.amount !== inMinorUnits(here.amount, line.currency)) kinds.push("other-amount");
  if (line.currency !== day.currency) kinds.push("other-currency");
  if (reversal ? moved && here.outcome === "approved" : isOtherOutcome(here, moved, day)) kinds.push("other-outcome");
  return kinds.map(finding);
}

export const missingHere = (line: BookLine): Finding => ({
  kind: "missing-here",
  operation: line.operation,
  reference: line.reference,
  here: null,
  there: line,
});

/** What shows when all lines were compared. */
export function* compareRest(operations: Operations, day: Day): Generator<Finding> {
  for (let index = 0; index < operations.size; index++) {
    const here = operations.at(index);
    const kind = restOf(here, operations.seen(index), day);
    if (kind !== undefined)
      yield { kind, operation: here.type, reference: operations.referenceAt(index), here, there: null };
  }
}

function restOf(here: Operation, seen: number, day: Day): FindingKind | undefined {
  switch (here.outcome) {
    case null:
      return concerns(here, seen, day) ? "pending" : undefined;
    case "not-sent":
    // Its books may leave out what came to nothing.
    case "failed-after-all":
      return undefined;
    case "unanswered":
      return ofUnanswered(here, seen, day);
    case "approved":
    case "declined":
    case "already-settled": {
      if ((seen & SEEN.booked) !== 0) return undefined;
      return within(here.sentAt, here.endedAt, day, "missing-there");
    }
  }
}

/** It may have been booked or not; if it was, it must have been taken back. */
function ofUnanswered(here: Operation, seen: number, day: Day): FindingKind | undefined {
  const { reversal } = here;
  if (reversal?.kind === "pending") return concerns(here, seen, day) ? "pending" : undefined;
  if ((seen & SEEN.moved) === 0 || (seen & SEEN.reversed) !== 0) return undefined;
  const confirmedAt = reversal?.at ?? null;
  if (confirmedAt === null) return "near-midnight";
  return within(here.endedAt ?? here.sentAt, confirmedAt, day, "other-outcome") ?? "near-midnight";
}

/** Of what happened between these two instants, as the day's books must have it, may have it, or do not. */
export function within<Missing extends string>(
  from: number,
  to: number | null,
  day: Pick<Day, "from" | "until" | "clockSkewMs">,
  missing: Missing,
): Missing | "near-midnight" | undefined {
  const end = to ?? Number.POSITIVE_INFINITY;
  if (from - day.clockSkewMs >= day.from && end + day.clockSkewMs < day.until) return missing;
  return end + day.clockSkewMs >= day.from && from - day.clockSkewMs < day.until ? "near-midnight" : undefined;
}

const concerns = ({ sentAt }: Operation, seen: number, day: Day): boolean =>
  seen !== 0 || (sentAt >= day.from && sentAt < day.until);

function isOtherOutcome({ outcome, endedAt }: Operation, moved: boolean, { until, clockSkewMs }: Day): boolean {
  switch (outcome) {
    case "approved":
      return !moved;
    case "declined":
    case "already-settled":
      return moved;
    case "not-sent":
      return true;
    case "failed-after-all":
      // Books that were written before it failed have it as approved, as the gateway had.
      return moved && endedAt !== null && endedAt + clockSkewMs < until;
    case "unanswered":
    case null:
      return false;
  }
}
