// The rule of a reversal: give back in one operation all that can be, by a void where the money has not settled and by a
// refund where it has (specification 3: try the void first and, if it fails, the refund). Pure.

import type { Capabilities } from "./account-terms.ts";
import { balances, refundable, voidable } from "./balances.ts";
import { withinEvents } from "./event-limit.ts";
import { type Ask, decideByMoney, sharesLeft } from "./follow-up.ts";
import { sum, ZERO } from "./money.ts";
import type { MoneyLeft } from "./passengers-left.ts";
import { type RefusalName, type Refused, refuse } from "./refusal.ts";
import { type Event, isOfNoPassenger, succeeded, type Transaction } from "./transaction.ts";

/** The first step: the void or, where the rules allow none, the refund. */
export const decideReversal = (transaction: Transaction, capabilities: Capabilities, now: Date): Ask | Refused =>
  withinEvents("reversal", transaction, firstStep(transaction, capabilities, now));

function firstStep(transaction: Transaction, capabilities: Capabilities, now: Date): Ask | Refused {
  const cancel = all("void", transaction, capabilities, now);
  if (cancel.kind === "ask") return cancel;
  const giveBack = all("refund", transaction, capabilities, now);
  if (giveBack.kind === "ask") return giveBack;
  const refusals = [...cancel.refusals, ...giveBack.refusals];
  if (refusals.some(({ name }) => name === "operation-in-flight")) return refuse("operation-in-flight");
  if (refusals.some(({ name }) => name === "charge-not-approved")) return refuse("charge-not-approved");
  if (refusals.some(({ name }) => name === "passengers-required")) return refuse("passengers-required", "base");
  const waits = refusals.some(({ name }) => AWAITS_SETTLEMENT.has(name));
  return refuse(waits ? "reversal-before-settlement" : "nothing-left-to-reverse");
}

/** Of a refund of all that is left: it is possible later. */
const AWAITS_SETTLEMENT: ReadonlySet<RefusalName> = new Set([
  "refund-before-settlement",
  "refund-exceeds-settled",
  "partial-refund-inside-window",
  // Of each passenger what is left is asked for: too much of one is not settled.
  "share-exceeds-passenger",
]);

/** The second step, after the void's outcome: a refund of what is left, where there is something, and always room for it. */
export function decideReversalAfterVoid(
  transaction: Transaction,
  capabilities: Capabilities,
  now: Date,
): Ask | Refused {
  return all("refund", transaction, capabilities, now);
}

const LEFT: Readonly<Record<"void" | "refund", MoneyLeft>> = { void: voidable, refund: refundable };

const isUnshared = (event: Event): boolean => isOfNoPassenger(event) && succeeded(event);

function all(type: "void" | "refund", transaction: Transaction, capabilities: Capabilities, now: Date): Ask | Refused {
  const shares = sharesLeft(type, transaction, now);
  const amount = shares === undefined ? undefined : sum(shares.map((share) => share.amount));
  const left = LEFT[type](balances(transaction, now, "reserved"));
  // The processor moved some of it without being asked, and whose it was nobody says.
  if (left > ZERO && left !== (amount ?? left) && transaction.events.some(isUnshared))
    return refuse("passengers-required", "base");
  return decideByMoney(type, transaction, { amount, shares }, capabilities, now);
}
