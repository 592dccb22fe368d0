// Why a processor declined, by what the merchant can do about it. Each kind of processor fills the category from its own
// codes; the groups are those of Visa's decline codes (never again, not now, mend the data), divided where merchants act
// differently.

export const DECLINE_CATEGORIES = [
  /** The issuer will never approve this card: lost, stolen, closed, no such account. */
  "do-not-retry",
  /** Another day, or another card. */
  "insufficient-funds",
  /** Above what this card may spend at once or in a period. */
  "limit-exceeded",
  /** Number, expiry or CVV: the payer can mend it. */
  "wrong-data",
  /** Issuer or processor take it for fraud. */
  "suspected-fraud",
  /** This card may not do this kind of operation. */
  "not-permitted",
  /** The merchant's account, or how it is asked, is wrong at the processor, whatever the card: for the operator to mend. */
  "configuration",
  /** The payer has to authenticate first, by 3-D Secure. */
  "authentication-required",
  /** Issuer or processor could not decide now. */
  "try-later",
  /** A void of money that has settled: to be refunded instead (specification 7). */
  "already-settled",
  /** The payment is not in a state for this operation. */
  "wrong-state",
  /** Without a reason. */
  "refused",
] as const;
export type DeclineCategory = (typeof DECLINE_CATEGORIES)[number];
