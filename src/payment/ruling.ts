// What the rules of capture, void and refund have in common: what they are given, and what they say.

import type { Balances } from "./balances.ts";
import type { Amount } from "./money.ts";
import type { Refused } from "./refusal.ts";
import type { Transaction } from "./transaction.ts";

/** What the processor of this transaction is able to do and, in a rule, the terms of its account allow (account-terms.ts). */
export interface Capabilities {
  readonly partialVoid: boolean;
  readonly multipleCaptures: boolean;
  readonly refundBeforeSettlement: boolean;
}

/** What a rule is given: the money as it stands, what is asked for, and the processor's capabilities. */
export interface Situation {
  readonly transaction: Transaction;
  readonly balances: Balances;
  /** Undefined: all that remains. */
  readonly amount: Amount | undefined;
  readonly capabilities: Capabilities;
}

/** The amount that may be asked of the processor, or why not. */
export type Ruling = { readonly kind: "granted"; readonly amount: Amount } | Refused;
