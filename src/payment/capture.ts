// The rule of a capture (decisions 4). Asks nobody, writes nothing.

import { ZERO } from "./money.ts";
import { refuse } from "./refusal.ts";
import type { Ruling, Situation } from "./ruling.ts";
import { chargeOf } from "./transaction.ts";

export function decideCapture({ transaction, standing, amount, capabilities }: Situation): Ruling {
  if (standing.authorized === ZERO) return refuse("charge-not-approved");
  if (chargeOf(transaction).type === "sale") return refuse("sale-is-captured");
  if (standing.captured > ZERO && !capabilities.multipleCaptures) return refuse("processor-captures-once");
  if (standing.uncaptured === ZERO) return refuse("nothing-left-to-capture", amount === undefined ? "base" : "amount");
  const asked = amount ?? standing.uncaptured;
  if (asked > standing.uncaptured) return refuse("capture-exceeds-authorization", "amount", standing.uncaptured);
  return { kind: "granted", amount: asked };
}
