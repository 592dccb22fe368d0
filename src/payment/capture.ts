// The rule of a capture (decisions 4). Asks nobody, writes nothing.

import { ZERO } from "./money.ts";
import { refuse } from "./refusal.ts";
import type { Ruling, Situation } from "./ruling.ts";
import { chargeOf } from "./transaction.ts";

export function decideCapture({ transaction, balances, amount, capabilities }: Situation): Ruling {
  if (balances.authorized === ZERO) return refuse("charge-not-approved");
  if (chargeOf(transaction).type === "sale") return refuse("sale-is-captured");
  if (balances.captured > ZERO && !capabilities.multipleCaptures) return refuse("processor-captures-once");
  if (balances.uncaptured === ZERO) return refuse("nothing-left-to-capture", amount === undefined ? "base" : "amount");
  const asked = amount ?? balances.uncaptured;
  if (asked > balances.uncaptured) return refuse("capture-exceeds-authorization", "amount", balances.uncaptured);
  return { kind: "granted", amount: asked };
}
