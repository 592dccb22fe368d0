// The results of the use cases, and how they are rendered: a response is durable together with the outcome, so it is rendered before
// the outcome is written.

import type { StoredResponse } from "../journal/journal.ts";
import type { Terms } from "../payment/actions.ts";
import type { Outcome } from "../payment/outcome.ts";
import type { Refused } from "../payment/refusal.ts";
import { chargeOf, isCharge, newestOf, type Transaction } from "../payment/transaction.ts";
import { type ProcessorAtWork, termsOf } from "./processors-at-work.ts";

/** How an operation ended for its caller; `pending`: the outcome is not known yet. The newest event is its last step. */
export interface End {
  readonly transaction: Transaction;
  readonly kind: Outcome["kind"] | "pending";
  /** What is possible next depends on them. */
  readonly terms: Terms;
}

/** @param at the instant that it shows: the same end and instant make the same bytes */
export type Render = (end: End, at: Date) => StoredResponse;

export interface Responded {
  readonly kind: "responded";
  readonly response: StoredResponse;
  /** The stored answer of an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

export type Result = Responded | Refused;

export const endOf = (transaction: Transaction, atWork: ProcessorAtWork): End => ({
  transaction,
  kind: endKindOf(transaction),
  terms: termsOf(atWork),
});

/** A charge ends as the event that counts: if nothing was sent to the last processor, the one before it has said no. */
export function endKindOf(transaction: Transaction): End["kind"] {
  const newest = newestOf(transaction);
  return (isCharge(newest) ? chargeOf(transaction) : newest).outcome?.kind ?? "pending";
}
