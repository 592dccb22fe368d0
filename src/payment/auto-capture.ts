// The rule of the automatic capture (decisions 4): an authorization of which nothing was captured or voided is captured
// whole. Asks nobody, writes nothing.

import type { Capabilities } from "./account-terms.ts";
import { withinEvents } from "./event-limit.ts";
import { type Ask, decideByMoney, sharesLeft } from "./follow-up.ts";
import { type Refused, refuse } from "./refusal.ts";
import { chargeOf, succeeded, type Transaction } from "./transaction.ts";

/** Whether all of an authorization is captured by itself: only while nothing of it is captured or voided. */
export function decideAutoCapture(transaction: Transaction, capabilities: Capabilities, now: Date): Ask | Refused {
  const charge = chargeOf(transaction);
  const decided = transaction.events.filter(({ type }) => type === "capture" || type === "void");
  if (decided.some(succeeded)) return refuse("nothing-left-to-capture");
  // The merchant has begun to decide for himself, which may come to nothing.
  if (decided.some(({ outcome }) => outcome === null)) return refuse("operation-in-flight");
  const shares = sharesLeft("capture", transaction, now);
  const decision = decideByMoney("capture", transaction, { amount: charge.amount, shares }, capabilities, now);
  return withinEvents("autoCapture", transaction, decision);
}
