// The rule of a refund (specification 3, decisions 4). Asks nobody, writes nothing.

import type { Ruling, Situation } from "./follow-up.ts";
import { plus, ZERO } from "./money.ts";
import { refuse } from "./refusal.ts";
import { leftOf, refundable } from "./standing.ts";

export function decideRefund({ transaction, standing, amount, abilities }: Situation): Ruling {
  if (standing.authorized === ZERO) return refuse("charge-not-approved");
  if (standing.captured === ZERO) return refuse("nothing-captured");
  const most = refundable(standing);
  if (most === ZERO) return refuse("nothing-left-to-refund", amount === undefined ? "base" : "amount");
  const asked = amount ?? most;
  if (asked > most) return refuse("refund-exceeds-captured", "amount", most);
  if (transaction.currency !== "CAD" && abilities.refundBeforeSettlement) return { kind: "granted", amount: asked };
  const settled = leftOf(standing, "settled");
  if (asked <= settled) return { kind: "granted", amount: asked };
  // Money inside the window may have settled: a refund of all of it goes to the processor, which alone knows.
  const perhaps = plus(settled, leftOf(standing, "window"));
  if (asked === perhaps) return { kind: "granted", amount: asked };
  return refuse(asked < perhaps ? "partial-refund-inside-window" : "refund-before-settlement");
}
