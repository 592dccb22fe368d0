// How long a full card number is needed after its charge, for processors that want it in follow-ups. Pure.

import { balances, refundable } from "./balances.ts";
import type { Transaction } from "./transaction.ts";

/** After the last event; refunds come later than that about never, and are refused then. */
export const CARD_NUMBER_KEPT_DAYS = 180;

/** `remove`: no follow-up can need it any more. `keep`: to be looked at again then. */
export type CardNumberNeed = { readonly kind: "remove" } | { readonly kind: "keep"; readonly lookAt: Date };

/** @param unresolved a reversal or a repeat of it is still to be confirmed by the processor */
export function cardNumberNeed(transaction: Transaction, unresolved: boolean, now: Date): CardNumberNeed {
  if (unresolved || transaction.events.some(({ outcome }) => outcome === null)) return keep(now, HOUR_MS);
  const money = balances(transaction, now, "failed");
  if (money.uncaptured + refundable(money) === 0n) return { kind: "remove" };
  const left = cardNumberKeptUntil(transaction).getTime() - now.getTime();
  return left <= 0 ? { kind: "remove" } : keep(now, Math.min(left, DAY_MS));
}

/** If nothing else happens, and something of the money is left. */
export function cardNumberKeptUntil({ events }: Transaction): Date {
  const last = Math.max(...events.map(({ createdAt, outcome }) => (outcome?.at ?? createdAt).getTime()));
  return new Date(last + CARD_NUMBER_KEPT_DAYS * DAY_MS);
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const keep = (now: Date, ms: number): CardNumberNeed => ({ kind: "keep", lookAt: new Date(now.getTime() + ms) });
