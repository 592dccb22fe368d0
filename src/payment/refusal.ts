// Every reason for which the gateway itself says no. Each stands here once; its HTTP status and its text stand in
// api/refusal-responses.ts, and a test keeps both and the docs in step.

import type { Amount } from "./money.ts";

export const REFUSALS = [
  // routing
  "processor-unknown",
  "processor-disabled",
  "brand-not-taken",
  "currency-differs",
  "currency-ambiguous",
  "amount-not-in-currency",
  "processor-cannot-express",
  "no-processor-in-rotation",
  "cvv-required",
  "name-required",
  "document-required",
  "card-testing-suspected",
  // stored cards
  "card-unknown",
  "stored-card-unknown",
  "own-card-number",
  "card-numbers-forbidden",
  "card-of-another-processor",
  "consent-expired",
  "consent-used-up",
  "consent-in-other-currency",
  "consent-exceeded",
  "consent-exceeded-in-period",
  "processor-keeps-no-cards",
  "token-unknown",
  "token-not-checked",
  "processor-cannot-verify",
  "verification-not-answered",
  "card-declined",
  // plans
  "plan-unknown",
  "plan-ended",
  "payment-too-small",
  // airline data
  "amount-required",
  "passengers-required",
  "passenger-unknown",
  "passenger-repeated",
  "shares-differ-from-amount",
  "share-exceeds-passenger",
  // follow-ups
  "transaction-unknown",
  "transaction-archived",
  "charge-not-approved",
  "sale-is-captured",
  "processor-captures-once",
  "nothing-left-to-capture",
  "capture-exceeds-authorization",
  "void-after-settlement",
  "nothing-left-to-void",
  "processor-voids-whole-payments",
  "void-exceeds-remaining",
  "void-must-be-whole",
  "nothing-captured",
  "nothing-left-to-refund",
  "refund-exceeds-captured",
  "refund-before-settlement",
  "refund-exceeds-settled",
  "partial-refund-inside-window",
  "reversal-before-settlement",
  "nothing-left-to-reverse",
  "too-many-events",
  "card-number-not-kept",
  "operation-in-flight",
  // disputes that an operator enters
  "disputed-charge-not-approved",
  "dispute-before-charge",
  "inquiry-moves-no-money",
  "withdrawn-exceeds-disputed",
  "withdrawn-in-other-currency",
  "nothing-captured-to-withdraw",
  "withdrawn-exceeds-captured",
  // idempotency keys
  "key-of-another-request",
  "key-in-use",
] as const;
export type RefusalName = (typeof REFUSALS)[number];

export interface Refusal {
  readonly name: RefusalName;
  /** The field at fault, dotted; `base` is the request as a whole. */
  readonly field: string;
  /** Where an amount is at fault: the most it could be. */
  readonly most?: Amount;
  /** Where its parts do not add up to an amount: what they add up to. */
  readonly sum?: Amount;
  /** As the end of a sentence: where the processor cannot express a value, what it can; where a card is declined, why. */
  readonly limit?: string;
  /** Where a named processor charges in another currency: in which. */
  readonly currency?: string;
  /** Where a document's number would be right with its letters in capitals. */
  readonly rightInCapitals?: true;
}

export interface Refused {
  readonly kind: "refused";
  readonly refusals: readonly [Refusal, ...Refusal[]];
}

/**
 * A refusal for one reason.
 * @param field at fault, as the request names it
 */
export const refuse = (name: RefusalName, field = "base", most?: Amount): Refused => ({
  kind: "refused",
  refusals: [most === undefined ? { name, field } : { name, field, most }],
});

/** Undefined if there are none. */
export const refuseAll = (refusals: readonly Refusal[]): Refused | undefined => {
  const [first, ...rest] = refusals;
  return first && { kind: "refused", refusals: [first, ...rest] };
};
