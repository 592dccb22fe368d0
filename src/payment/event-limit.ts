// How many events a transaction takes. Each answer shows all of them, so what one more request costs grows with their
// number. Pure.

import { type Refused, refuse } from "./refusal.ts";
import type { Transaction } from "./transaction.ts";

/**
 * How many events are too many for each of these to add another. A reversal gives all of the money back, and an automatic capture was
 * promised to the merchant: they have places that nothing else takes. Where 500 comes from: docs/decisions/most-events.md.
 */
export const MOST_EVENTS = { followUp: 500, autoCapture: 510, reversal: 520 } as const;

/** The decision, unless it would add an event to a transaction that has so many. It wins over no other refusal. */
export const withinEvents = <D extends { readonly kind: string }>(
  by: keyof typeof MOST_EVENTS,
  { events }: Transaction,
  decision: D | Refused,
): D | Refused =>
  decision.kind !== "refused" && events.length >= MOST_EVENTS[by] ? refuse("too-many-events") : decision;
