// When the clock changes what may be done with captured money that has not settled: its cut-offs, and the ends of its windows. Pure.

import type { Balances, Phase } from "./balances.ts";
import { ZERO } from "./money.ts";
import { type SettlementTimes, settlementOf } from "./outcome.ts";
import type { Transaction } from "./transaction.ts";

/** Captured money of which something is left, and that is not settled. */
export interface Unsettled {
  readonly phase: Exclude<Phase, "settled">;
  readonly times: SettlementTimes;
}

export function unsettledOf({ events }: Transaction, { captures }: Balances): readonly Unsettled[] {
  const found: Unsettled[] = [];
  for (const { sequence, left, phase } of captures) {
    if (left === ZERO || phase === "settled") continue;
    const times = settlementOf(events[sequence - 1]?.outcome);
    if (times) found.push({ phase, times });
  }
  return found;
}

/** The next cut-off or end of a window of money that is left. */
export function nextChange(unsettled: readonly Unsettled[]): Date | null {
  return earliest(unsettled.map(({ phase, times }) => (phase === "open" ? times.cutoffAt : times.visibleAt)));
}

/** The first cut-off or end of a window between these instants at which this is so. */
export function firstChange(
  unsettled: readonly Unsettled[],
  after: Date,
  before: Date | null,
  isSo: (at: Date) => boolean,
): Date | null {
  const changes = unsettled.flatMap(({ times }) => [times.cutoffAt, times.visibleAt]);
  return earliest(changes.filter((at) => at > after && before !== null && at < before && isSo(at)));
}

/** When the first of it shows as settled. */
export const firstVisible = (unsettled: readonly Unsettled[]): Date | null => earliest(unsettled.map(visibleAt));

/** When all of it shows as settled. */
export const lastVisible = (unsettled: readonly Unsettled[]): Date | null =>
  unsettled.map(visibleAt).reduce<Date | null>((last, at) => (last === null || at > last ? at : last), null);

const visibleAt = ({ times }: Unsettled): Date => times.visibleAt;

export const earliest = (instants: readonly Date[]): Date | null =>
  instants.reduce<Date | null>((first, instant) => (first === null || instant < first ? instant : first), null);
