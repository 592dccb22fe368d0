// The model's money: what its events move, one cent's fate after the other, written from the specification and sharing
// nothing with the rules that it is compared with. Amounts are numbers of minor units.

export type Kind = "sale" | "auth" | "capture" | "void" | "refund";

/** What became of an event: nobody knows yet, its money moved, or it did not. */
export type Fate = "open" | "moved" | "failed";

export interface MovedMoney {
  readonly kind: Kind;
  /** By passenger; of a transaction without passengers the one part is "". */
  readonly parts: ReadonlyMap<string, number>;
  readonly fate: Fate;
  /** Milliseconds; of captured and refunded money that moved. */
  readonly cutoffAt: number;
  readonly visibleAt: number;
}

/** Captured money of which something may be left. */
export interface Pile {
  readonly event: number;
  readonly taken: number;
  left: number;
  voided: number;
  readonly cutoffAt: number;
  readonly visibleAt: number;
}

export interface Purse {
  authorized: number;
  captured: number;
  voided: number;
  refunded: number;
  /** Authorized, and neither captured nor voided. */
  held: number;
  readonly piles: Pile[];
}

/** How open events are counted: their money is gone and has not arrived; or as if all of them failed, or all moved. */
export type Outlook = "gone" | "failed" | "moved";

const NEVER = Number.POSITIVE_INFINITY;

/** More was taken than there was: these events cannot stand beside each other. */
export class Impossible extends Error {}

export function purseOf(events: readonly MovedMoney[], part: string, outlook: Outlook): Purse {
  const purse: Purse = { authorized: 0, captured: 0, voided: 0, refunded: 0, held: 0, piles: [] };
  for (const [index, { kind, parts, fate, cutoffAt, visibleAt }] of events.entries()) {
    const amount = parts.get(part) ?? 0;
    const moved = fate === "moved" || (fate === "open" && outlook === "moved");
    const gone = fate === "open" && outlook === "gone";
    if (!moved && !gone) continue;
    const settles = fate === "moved" ? { cutoffAt, visibleAt } : { cutoffAt: NEVER, visibleAt: NEVER };
    if (kind === "auth" && moved) {
      purse.authorized += amount;
      purse.held += amount;
    }
    if (kind === "sale" && moved) purse.authorized += amount;
    if (kind === "capture") purse.held -= amount;
    if ((kind === "sale" || kind === "capture") && moved) {
      purse.captured += amount;
      purse.piles.push({ event: index, taken: amount, left: amount, voided: 0, ...settles });
    }
    // A void cancels what was never captured, then what settles last.
    if (kind === "void") {
      purse.voided += amount;
      const released = Math.min(amount, purse.held);
      purse.held -= released;
      takeFrom([...purse.piles].sort(lastFirst), amount - released, "voided");
    }
    // A refund gives back what settles first.
    if (kind === "refund") {
      purse.refunded += amount;
      takeFrom([...purse.piles].sort(lastFirst).reverse(), amount, "refunded");
    }
  }
  return purse;
}

function lastFirst(one: Pile, other: Pile): number {
  return one.visibleAt === other.visibleAt ? other.event - one.event : one.visibleAt > other.visibleAt ? -1 : 1;
}

function takeFrom(piles: readonly Pile[], amount: number, how: "voided" | "refunded"): void {
  let missing = amount;
  for (const pile of piles) {
    const some = Math.min(missing, pile.left);
    pile.left -= some;
    if (how === "voided") pile.voided += some;
    missing -= some;
  }
  if (missing > 0) throw new Impossible(`${missing} more ${how} than there was`);
}

export type Place = "open" | "window" | "settled";

/** From the cut-off on until the end of settlement shows, only the processor knows. */
export const placeAt = ({ cutoffAt, visibleAt }: Pick<Pile, "cutoffAt" | "visibleAt">, now: number): Place =>
  now < cutoffAt ? "open" : now < visibleAt ? "window" : "settled";

export const leftIn = ({ piles }: Purse, now: number, ...places: readonly Place[]): number =>
  piles.filter((pile) => places.includes(placeAt(pile, now))).reduce((sum, { left }) => sum + left, 0);

/** Whatever was refunded of it. */
export const hasSettled = ({ piles }: Purse, now: number): boolean =>
  piles.some((pile) => pile.taken > pile.voided && placeAt(pile, now) === "settled");

/** All passengers' purses in one. */
export function purseOfAll(purses: readonly Purse[]): Purse {
  const whole: Purse = { authorized: 0, captured: 0, voided: 0, refunded: 0, held: 0, piles: [] };
  for (const purse of purses) {
    for (const sum of ["authorized", "captured", "voided", "refunded", "held"] as const) whole[sum] += purse[sum];
    whole.piles.push(...purse.piles);
  }
  return whole;
}

const DAY = 24 * 60 * 60_000;

/** The first time of day `HH:MM` (UTC) at or after an instant. */
export function timeFrom(instant: number, time: string): number {
  const inDay = Number(time.slice(0, 2)) * 3_600_000 + Number(time.slice(3)) * 60_000;
  const sinceThen = (((instant - inDay) % DAY) + DAY) % DAY;
  return sinceThen === 0 ? instant : instant - sinceThen + DAY;
}

/** Captured before the cut-off money is in that day's batch, at it in the next. */
export function settlesFrom(
  capturedAt: number,
  schedule: { cutoff_at: string; settled_at: string; visible_at: string },
) {
  const cutoffAt = timeFrom(capturedAt + 1, schedule.cutoff_at);
  const settledAt = timeFrom(cutoffAt + 1, schedule.settled_at);
  return { cutoffAt, visibleAt: timeFrom(settledAt, schedule.visible_at) };
}
