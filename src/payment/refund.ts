// The rule of a refund (specification 3, decisions 4). Asks nobody, writes nothing.

import { type Balances, leftOf, refundable, settled } from "./balances.ts";
import { type Amount, ZERO } from "./money.ts";
import { refuse } from "./refusal.ts";
import type { Capabilities, Ruling, Situation } from "./ruling.ts";

export function decideRefund({ balances, amount, capabilities }: Situation): Ruling {
  if (balances.authorized === ZERO) return refuse("charge-not-approved");
  if (balances.captured === ZERO) return refuse("nothing-captured");
  const most = refundable(balances);
  if (most === ZERO) return refuse("nothing-left-to-refund", amount === undefined ? "base" : "amount");
  const asked = amount ?? most;
  const waits = waitsForSettlement(capabilities);
  const perhaps = perhapsSettled(balances);
  if (waits && perhaps > ZERO && perhaps < most && asked > perhaps)
    return refuse("refund-exceeds-settled", amount === undefined ? "base" : "amount", perhaps);
  if (asked > most) return refuse("refund-exceeds-captured", "amount", most);
  if (!waits || asked <= settled(balances) || asked === perhaps) return { kind: "granted", amount: asked };
  return refuse(perhaps > ZERO ? "partial-refund-inside-window" : "refund-before-settlement");
}

/** The most of one passenger's money in a refund of this amount: what others captured and settled stands in for nobody. */
export function refundableOfPassenger(
  { balances, capabilities }: Situation,
  amount: Amount,
  passenger: Balances,
): Amount {
  if (!waitsForSettlement(capabilities)) return refundable(passenger);
  return amount <= settled(balances) ? settled(passenger) : perhapsSettled(passenger);
}

/** Money is refunded after its settlement only (specification 3, of CAD accounts). */
export const waitsForSettlement = ({ refundBeforeSettlement }: Capabilities): boolean => !refundBeforeSettlement;

/** Money inside the window may have settled: a refund of all of it goes to the processor, which alone knows. */
export const perhapsSettled = (balances: Balances): Amount => leftOf(balances, "settled", "window");
