// The rule of the automatic capture (decisions 4): an authorization of which nothing was captured or voided is captured
// whole. Asks nobody, writes nothing.

import { type Abilities, type Ask, decideFollowUp, sharesLeft } from "./follow-up.ts";
import { type Refused, refuse } from "./refusal.ts";
import { chargeOf, type Transaction } from "./transaction.ts";

export function decideAutoCapture(transaction: Transaction, abilities: Abilities, now: Date): Ask | Refused {
  const charge = chargeOf(transaction);
  // What is under way counts: the merchant has begun to decide for himself.
  const touched = transaction.events.some(
    ({ type, outcome }) => (type === "capture" || type === "void") && (outcome === null || outcome.kind === "approved"),
  );
  if (touched) return refuse("nothing-left-to-capture");
  const shares = sharesLeft("capture", transaction, now);
  return decideFollowUp("capture", transaction, { amount: charge.amount, shares }, abilities, now);
}
