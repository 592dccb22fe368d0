// The rule of a refund (specification 3, decisions 4). Asks nobody, writes nothing.

import { type Amount, ZERO } from "./money.ts";
import { refuse } from "./refusal.ts";
import type { Capabilities, Ruling, Situation } from "./ruling.ts";
import { leftOf, refundable, type Standing, settled } from "./standing.ts";
import type { Transaction } from "./transaction.ts";

export function decideRefund({ transaction, standing, amount, capabilities }: Situation): Ruling {
  if (standing.authorized === ZERO) return refuse("charge-not-approved");
  if (standing.captured === ZERO) return refuse("nothing-captured");
  const most = refundable(standing);
  if (most === ZERO) return refuse("nothing-left-to-refund", amount === undefined ? "base" : "amount");
  const asked = amount ?? most;
  const waits = waitsForSettlement(transaction, capabilities);
  const perhaps = perhapsSettled(standing);
  if (waits && perhaps > ZERO && perhaps < most && asked > perhaps)
    return refuse("refund-exceeds-settled", amount === undefined ? "base" : "amount", perhaps);
  if (asked > most) return refuse("refund-exceeds-captured", "amount", most);
  if (!waits || asked <= settled(standing) || asked === perhaps) return { kind: "granted", amount: asked };
  return refuse(perhaps > ZERO ? "partial-refund-inside-window" : "refund-before-settlement");
}

/** The most of one passenger's money in a refund of this amount: what others captured and settled stands in for nobody. */
export function refundableOfPassenger(
  { transaction, standing, capabilities }: Situation,
  amount: Amount,
  passenger: Standing,
): Amount {
  if (!waitsForSettlement(transaction, capabilities)) return refundable(passenger);
  return amount <= settled(standing) ? settled(passenger) : perhapsSettled(passenger);
}

/** Specification 3: a CAD transaction is refunded after its settlement only. */
export const waitsForSettlement = (transaction: Transaction, { refundBeforeSettlement }: Capabilities): boolean =>
  transaction.currency === "CAD" || !refundBeforeSettlement;

/** Money inside the window may have settled: a refund of all of it goes to the processor, which alone knows. */
export const perhapsSettled = (standing: Standing): Amount => leftOf(standing, "settled", "window");
