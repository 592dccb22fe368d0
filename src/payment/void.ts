// The rule of a void (specification 3 and 7, decisions 4). Asks nobody, writes nothing. Inside the settlement window the
// processor alone knows, so the rule lets a void through to it.

import { hasSettled, voidable } from "./balances.ts";
import { ZERO } from "./money.ts";
import { refuse } from "./refusal.ts";
import type { Capabilities, Ruling, Situation } from "./ruling.ts";

export function decideVoid({ balances, amount, capabilities }: Situation): Ruling {
  if (balances.authorized === ZERO) return refuse("charge-not-approved");
  const most = voidable(balances);
  if (most === ZERO) return refuse(hasSettled(balances) ? "void-after-settlement" : "nothing-left-to-void");
  const asked = amount ?? most;
  if (asked > most) return refuse("void-exceeds-remaining", "amount", most);
  if (voidsWhole(capabilities) && asked !== most) return refuse("void-must-be-whole", "amount", most);
  return { kind: "granted", amount: asked };
}

/** There is no partial void (specification 3, of CAD accounts). */
export const voidsWhole = ({ partialVoid }: Capabilities): boolean => !partialVoid;
