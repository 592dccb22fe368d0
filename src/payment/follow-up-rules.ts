// The rules of capture, void and refund (specification 3 and 7, decisions 4): what they are given, and what they say. Asks
// nobody, writes nothing. Inside the settlement window the processor alone knows, so they let through what it may approve.

import type { Capabilities } from "./account-terms.ts";
import { type Balances, hasSettled, leftOf, refundable, settled, voidable } from "./balances.ts";
import { type Amount, ZERO } from "./money.ts";
import type { MoneyLeft } from "./passengers-left.ts";
import { type Refused, refuse } from "./refusal.ts";
import { chargeOf, type Transaction } from "./transaction.ts";

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

export function decideCapture({ transaction, balances, amount, capabilities }: Situation): Ruling {
  if (balances.authorized === ZERO) return refuse("charge-not-approved");
  if (chargeOf(transaction).type === "sale") return refuse("sale-is-captured");
  if (balances.uncaptured === ZERO) return refuse("nothing-left-to-capture", amount === undefined ? "base" : "amount");
  if (balances.captured > ZERO && !capabilities.multipleCaptures) return refuse("processor-captures-once");
  const asked = amount ?? balances.uncaptured;
  if (asked > balances.uncaptured) return refuse("capture-exceeds-authorization", "amount", balances.uncaptured);
  return { kind: "granted", amount: asked };
}

export function decideVoid({ balances, amount, capabilities }: Situation): Ruling {
  if (balances.authorized === ZERO) return refuse("charge-not-approved");
  const most = voidable(balances);
  if (most === ZERO) return refuse(hasSettled(balances) ? "void-after-settlement" : "nothing-left-to-void");
  if (capabilities.voidsWholePaymentsOnly && !isAsCharged(balances)) return refuse("processor-voids-whole-payments");
  const asked = amount ?? most;
  if (asked > most) return refuse("void-exceeds-remaining", "amount", most);
  if (!voidsParts(capabilities) && asked !== most) return refuse("void-must-be-whole", "amount", most);
  return { kind: "granted", amount: asked };
}

/** Nothing was captured or voided yet, or all of it was captured at once and nothing was given back. */
const isAsCharged = ({ authorized, uncaptured, captures }: Balances): boolean =>
  uncaptured === authorized || captures.some(({ left }) => left === authorized);

/** Where not, all that is left is voided (specification 3, of CAD accounts). */
export const voidsParts = ({ partialVoid, voidsWholePaymentsOnly }: Capabilities): boolean =>
  partialVoid && !voidsWholePaymentsOnly;

export function decideRefund({ transaction, balances, amount, capabilities }: Situation): Ruling {
  if (balances.authorized === ZERO) return refuse("charge-not-approved");
  if (balances.captured === ZERO) return refuse("nothing-captured");
  const most = refundable(balances);
  if (most === ZERO) return refuse("nothing-left-to-refund", amount === undefined ? "base" : "amount");
  const asked = amount ?? most;
  const waits = waitsForSettlement(capabilities, transaction);
  const perhaps = perhapsSettled(balances);
  if (waits && perhaps > ZERO && perhaps < most && asked > perhaps)
    return refuse("refund-exceeds-settled", amount === undefined ? "base" : "amount", perhaps);
  if (asked > most) return refuse("refund-exceeds-captured", "amount", most);
  if (!waits || asked <= settled(balances) || asked === perhaps) return { kind: "granted", amount: asked };
  return refuse(perhaps > ZERO ? "partial-refund-inside-window" : "refund-before-settlement");
}

/** What of each passenger's money a refund of this amount takes: what others captured and settled stands in for nobody. */
export function partOfRefund({ transaction, balances, capabilities }: Situation, amount: Amount): MoneyLeft {
  if (!waitsForSettlement(capabilities, transaction)) return refundable;
  return amount <= settled(balances) ? settled : perhapsSettled;
}

/** Its money is refunded after its settlement only (specification 3, of CAD accounts). */
export function waitsForSettlement(
  { refundBeforeSettlement, refundsCapturedAuthorizations }: Capabilities,
  transaction: Transaction,
): boolean {
  const early = refundBeforeSettlement || (refundsCapturedAuthorizations && chargeOf(transaction).type === "auth");
  return !early;
}

/** Money inside the window may have settled: a refund of all of it goes to the processor, which alone knows. */
export const perhapsSettled = (balances: Balances): Amount => leftOf(balances, "settled", "window");
