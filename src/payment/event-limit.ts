// How many events a transaction takes. Each answer shows all of them, so what one more request costs grows with their
// number. Pure.

import { type Refused, refuse } from "./refusal.ts";
import type { Transaction } from "./transaction.ts";

/**
 * Who may add an event while there are fewer than so many. What gives all of the money back has places that nobody else
 * takes, and so has the capture that the gateway has promised a merchant. Where 500 comes from: docs/decisions/most-events.md.
 */
export const MOST_EVENTS = { followUp: 500, autoCapture: 510, reversal: 520 } as const;

/** The decision, unless it would add an event to a transaction that has so many. It wins over no other refusal. */
export const withinEvents = <D extends { readonly kind: string }>(
  by: keyof typeof MOST_EVENTS,
  { events }: Transaction,
  decision: D | Refused,
): D | Refused =>
  decision.kind !== "refused" && events.length >= MOST_EVENTS[by] ? refuse("too-many-events") : decision;
