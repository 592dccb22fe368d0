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
 * - `reversal-refused` a charge that failed here was booked, and the books have that its reversal was refused: its money is held or taken
 *
 * Not judged:
 * - `pending` the gateway does not know its end yet
 * - `near-midnight` not in these books; it may stand in those of the day before or after
 * - `too-recent` of a day that is not over: sent so lately that it may not be booked yet
 */
export type FindingKind =
  | "missing-here"
  | "missing-there"
  | "other-operation"
  | "other-amount"
  | "other-currency"
  | "other-outcome"
  | "booked-twice"
  | "reversal-refused"
  | "pending"
  | "near-midnight"
  | "too-recent";

const NOT_JUDGED: readonly FindingKind[] = ["pending", "near-midnight", "too-recent"];
export const isDifference = (kind: FindingKind): boolean => !NOT_JUDGED.includes(kind);

export interface Finding {
  readonly kind: FindingKind;
  readonly operation: BookedOperation;
  /** What the processor knows it by. */
  readonly reference: string;
  /** Null for what is missing here. */
  readonly here: Operation | null;
  /** Null for what is missing there, and for most of what shows at the end of the books. */
  readonly there: BookLine | null;
}

export interface Day {
  /** Milliseconds; in the books are its operations from here on … */
  readonly from: number;
  /** … to here, or to when the books were written. */
  readonly until: number;
  /** False: the books were written before the day ended. */
  readonly over: boolean;
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
  // A reversal that was refused is tried again.
  const before = operations.seen(index) & (reversal ? SEEN.reversed : SEEN.booked);
  if (before !== 0) return [finding("booked-twice")];
  const moved = line.approved;
  if (reversal) operations.see(index, SEEN.reversal | (line.nothingHeld ? SEEN.reversed : 0));
  else operations.see(index, SEEN.booked | (moved ? SEEN.moved : 0));
  if (reversal ? !isCharge(here) : line.operation !== here.type) return [finding("other-operation")];
  if (endIsOpen(here)) operations.keep(index, line);
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
    if (kind === undefined) continue;
    const there = operations.kept(index);
    yield { kind, operation: there?.operation ?? here.type, reference: operations.referenceAt(index), here, there };
  }
}

/** What the books have of it is evidence for whoever ends it. */
const endIsOpen = ({ outcome, reversal }: Operation): boolean => outcome === null || reversal?.kind === "pending";

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
  const booked = (seen & SEEN.moved) !== 0;
  if (reversal?.kind === "pending") {
    if (booked && (seen & SEEN.reversal) !== 0 && (seen & SEEN.reversed) === 0) return "reversal-refused";
    return concerns(here, seen, day) ? "pending" : undefined;
  }
  if (!booked || (seen & SEEN.reversed) !== 0) return undefined;
  const confirmedAt = reversal?.at ?? null;
  if (confirmedAt === null) return "near-midnight";
  return within(here.endedAt ?? here.sentAt, confirmedAt, day, "other-outcome") ?? "near-midnight";
}

/** Of what happened between these two instants, as the day's books must have it, may have it, or do not. */
export function within<Missing extends string>(
  from: number,
  to: number | null,
  day: Pick<Day, "from" | "until" | "over" | "clockSkewMs">,
  missing: Missing,
): Missing | "near-midnight" | "too-recent" | undefined {
  const end = to ?? Number.POSITIVE_INFINITY;
  const begunToday = from - day.clockSkewMs >= day.from;
  if (begunToday && end + day.clockSkewMs < day.until) return missing;
  if (end + day.clockSkewMs < day.from || from - day.clockSkewMs >= day.until) return undefined;
  return begunToday && !day.over ? "too-recent" : "near-midnight";
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
