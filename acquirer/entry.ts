// What is written into the books: one entry for each operation that was answered or would have been, one for each
// settlement. Card numbers are masked before they come here.

import type { Operation } from "./question.ts";

export interface Booked {
  readonly kind: "booked";
  /** ISO 8601, UTC. Its first ten characters are the day in whose books it stands. */
  readonly at: string;
  readonly operation: Operation;
  readonly terminal: string;
  readonly merchant: string;
  readonly rrn: string;
  readonly stan: string;
  /** In the currency's minor unit. */
  readonly amount: string;
  readonly currency: string;
  readonly cardMask: string;
  /** Of a follow-up or a reversal; empty for a charge. */
  readonly originalRrn: string;
  readonly transaction: string;
  /** Of its first sending, ISO 8601 in whole seconds, UTC; missing in older books, as the next two. */
  readonly sentAt?: string;
  /** Of a charge: the merchant's own, if it came. */
  readonly merchantReference?: string;
  /** Of a charge: YYMM. */
  readonly expiry?: string;
  /** Response code; 00 is all that moves money. */
  readonly code: string;
  readonly authCode: string;
  /** Ours, for field 63. */
  readonly id: string;
  /** Field 44. */
  readonly results: string;
  /** Of an approved charge of a stored card: the scheme's identifier. */
  readonly networkId?: string;
  /** Of a follow-up or a reversal: it came with the card number, which is not kept. */
  readonly withCardNumber?: boolean;
  /** What the card does to its follow-ups: the number itself is not kept. */
  readonly followUp?: { readonly operation: Operation; readonly code: string };
}

/** All money that was captured until then has settled. */
export interface Settled {
  readonly kind: "settled";
  readonly at: string;
  readonly capturedUntil: string;
}

export type Entry = Booked | Settled;
