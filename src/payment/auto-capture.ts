// The rule of the automatic capture (decisions 4): an authorization of which nothing was captured or voided is captured
// whole, and what could not be sent is tried again. Asks nobody, writes nothing.

import type { Capabilities } from "./account-terms.ts";
import { withinEvents } from "./event-limit.ts";
import { type Ask, decideByMoney, sharesLeft } from "./follow-up.ts";
import { type Refused, refuse } from "./refusal.ts";
import { chargeOf, type Event, succeeded, type Transaction } from "./transaction.ts";

/**
 * Whether all of an authorization is captured by itself: only while nothing of it was captured or voided. A capture that failed after all is
 * the merchant's to look at: most often the processor would take another one and fail it again, day by day.
 */
export function decideAutoCapture(transaction: Transaction, capabilities: Capabilities, now: Date): Ask | Refused {
  const charge = chargeOf(transaction);
  // The merchant was told that it failed: what became of the order since, the merchant knows.
  if (charge.byProcessor !== undefined) return refuse("nothing-left-to-capture");
  const decided = transaction.events.filter(({ type }) => type === "capture" || type === "void");
  if (decided.some(wasApproved)) return refuse("nothing-left-to-capture");
  // The merchant has begun a capture or void, which may come to nothing.
  if (decided.some(({ outcome }) => outcome === null)) return refuse("operation-in-flight");
  const shares = sharesLeft("capture", transaction, now);
  const decision = decideByMoney("capture", transaction, { amount: charge.amount, shares }, capabilities, now);
  return withinEvents("autoCapture", transaction, decision);
}

const wasApproved = (event: Event): boolean => succeeded(event) || event.outcome?.kind === "failed-after-all";

/** How many captures of this time, or since, could not be sent. */
export const unsentCaptures = ({ events }: Transaction, dueAt: Date): number =>
  events.filter(
    ({ type, createdAt, outcome }) => type === "capture" && outcome?.kind === "not-sent" && createdAt >= dueAt,
  ).length;

/** Longer than a database is away while it fails over. */
const UNKNOWN_FOR_MS = 600_000;

/**
 * Whether a capture of this time, or since, began a moment ago and has no end yet. If it was written while the database went away, it will
 * be known not to have been sent.
 */
export const mayBeUnsent = ({ events }: Transaction, dueAt: Date, now: Date): boolean =>
  events.some(
    ({ type, createdAt, outcome }) =>
      type === "capture" &&
      outcome === null &&
      createdAt >= dueAt &&
      now.getTime() - createdAt.getTime() < UNKNOWN_FOR_MS,
  );

/** Each try is an event of the transaction, so there are few, some eight minutes in all: most often well before the cut-off. */
const RESTS_MS = [10_000, 30_000, 120_000, 300_000] as const;
/** Of one that was not tried, since its processor cannot be reached or nobody knows yet whether it was sent. */
export const SHORTEST_REST_MS: number = RESTS_MS[0];

/** How long it rests after so many that could not be sent; undefined: until the next time of capture. */
export const restAfterUnsent = (unsent: number): number | undefined => RESTS_MS[unsent - 1];
