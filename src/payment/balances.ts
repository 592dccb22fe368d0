// Where a transaction's money stands: its events in their order, written into a ledger.
// Pure; a statement about what is on record, not a decision about what may follow.

import { Ledger, left, type Sums, type Taken } from "./ledger.ts";
import { type Amount, lesser, minus, plus, sum, ZERO } from "./money.ts";
import type { SettlementTimes } from "./outcome.ts";
import { type Event, isOfNoPassenger, type Passenger, type Share, succeeded, type Transaction } from "./transaction.ts";

/**
 * `open`: before its cut-off; `window`: nobody but the processor knows, or it has said that this money settled before the schedule has it;
 * `settled`: seen to be settled.
 */
export type Phase = "open" | "window" | "settled";

/** Money that one sale or capture took, and what became of it. */
export interface CapturedMoney {
  readonly sequence: number;
  readonly amount: Amount;
  readonly voided: Amount;
  readonly refunded: Amount;
  readonly left: Amount;
  readonly phase: Phase;
}

export interface Balances extends Omit<Sums, "captures"> {
  readonly captures: readonly CapturedMoney[];
}

/**
 * How events in flight count. `reserved`: their money is gone and has not arrived, which is what may be given away
 * safely; `failed` and `succeeded`: as if they had ended so.
 */
export type Reading = "reserved" | "failed" | "succeeded";

/**
 * The balances at an instant. What a passenger's void or refund takes is that passenger's, so with airline data the whole
 * is what its passengers' balances add up to.
 * @param passengerId only this passenger's money
 */
export function balances(transaction: Transaction, now: Date, reading: Reading, passengerId?: string): Balances {
  const reckoned = sumsOf(transaction, reading);
  const { whole, ofPassenger, settledEarly } = reckoned;
  if (passengerId !== undefined) return balancesAt(ofPassenger.get(passengerId) ?? NOTHING, settledEarly, now);
  const atMs = now.getTime();
  if (reckoned.last?.atMs !== atMs) reckoned.last = { atMs, balances: balancesAt(whole, settledEarly, now) };
  return reckoned.last.balances;
}

/** What does not depend on the clock: the whole, and of each passenger. */
interface Reckoned {
  readonly whole: Sums;
  readonly ofPassenger: ReadonlyMap<string, Sums>;
  /** Captures, by sequence, that the processor has called settled. */
  readonly settledEarly: ReadonlySet<number>;
  /** The whole, at the instant that was asked for last. */
  last?: { readonly atMs: number; readonly balances: Balances };
}

// A transaction is never changed, so its events are walked once a reading: one answer asks for dozens of balances, nearly all of them at
// one instant.
const reckoned = new WeakMap<Transaction, Partial<Record<Reading, Reckoned>>>();

function sumsOf(transaction: Transaction, reading: Reading): Reckoned {
  const known = reckoned.get(transaction);
  const before = known?.[reading];
  if (before !== undefined) return before;
  const sums = { ...reckon(transaction, reading), settledEarly: settledEarly(transaction, reading) };
  reckoned.set(transaction, { ...known, [reading]: sums });
  return sums;
}

/**
 * The processor's cut-off may be earlier than the schedule's, or a capture's answer have come after it. Where the processor refused a void
 * since money had settled, that was the money that settles first of what was left then. A capture that had no answer by then may turn out
 * to settle with it: as one that succeeds it counts as settled, and as one that fails it does not.
 */
function settledEarly({ passengers, events }: Transaction, reading: Reading): ReadonlySet<number> {
  const early = new Set<number>();
  const moves = (event: Event) => succeeded(event) || (event.outcome === null && reading !== "failed");
  let lookedAt = 0;
  for (const [place, { type, outcome }] of events.entries()) {
    if (type !== "void" || outcome?.kind !== "already-settled") continue;
    const before = events.slice(0, place);
    // Where nothing has moved since another such void, it says the same.
    const moved = before.filter(moves).length;
    if (moved === lookedAt) continue;
    lookedAt = moved;
    const held = reckon({ passengers, events: before }, reading).whole.captures.filter((one) => left(one) > ZERO);
    const first = Math.min(...held.map(cutoffOf));
    for (const capture of held)
      if (cutoffOf(capture) === first || capture.settlement === null) early.add(capture.sequence);
  }
  return early;
}

const cutoffOf = ({ settlement }: Taken): number => settlement?.cutoffAt.getTime() ?? Number.POSITIVE_INFINITY;

interface Course {
  readonly passengers: Transaction["passengers"];
  readonly events: readonly Event[];
}

function reckon({ passengers, events }: Course, reading: Reading): Omit<Reckoned, "settledEarly"> {
  if (passengers === null) {
    const whole = walked(reading, events, ({ amount }) => amount);
    return { whole, ofPassenger: new Map() };
  }
  const parts = new Map(passengers.map(({ id }) => [id, new Map<Event, Amount>()]));
  for (const event of events) {
    if (isOfNoPassenger(event)) continue;
    const shares = event.shares ?? passengers.map(faresOf);
    for (const { passengerId, amount } of shares) if (amount > ZERO) parts.get(passengerId)?.set(event, amount);
    if (
      sum(shares.map(({ amount }) => amount)) !== event.amount ||
      !shares.every((share) => parts.has(share.passengerId))
    )
      throw new Error(`broken ledger: the passengers' parts of event ${event.sequence} are not its amount`);
  }
  const unnamed = events.some((event) => event.type === "capture" && isOfNoPassenger(event) && succeeded(event));
  /** By each void, of what its passengers had not captured. */
  const released = new Map<Event, Amount>();
  const ofPassenger = new Map(
    [...parts].map(([id, own]) => [
      id,
      walked(
        reading,
        [...own.keys()],
        (event) => own.get(event) ?? ZERO,
        undefined,
        (event, amount) => released.set(event, plus(released.get(event) ?? ZERO, amount)),
        unnamed,
      ),
    ]),
  );
  // What the processor did by itself and named no passengers of counts in the whole, and nobody's part of it is guessed.
  const unshared = events.some((event) => isOfNoPassenger(event) && succeeded(event));
  const whole = unshared
    ? walked(
        reading,
        events,
        ({ amount }) => amount,
        (event) => (isOfNoPassenger(event) ? undefined : released.get(event)),
      )
    : together([...ofPassenger.values()]);
  return { whole, ofPassenger };
}

/** A charge names no shares: each passenger's is the fares. */
const faresOf = ({ id, fares }: Passenger): Share => ({ passengerId: id, amount: fares });

function walked(
  reading: Reading,
  events: readonly Event[],
  amountIn: (event: Event) => Amount,
  releaseIn?: (event: Event) => Amount | undefined,
  noteReleased?: (event: Event, amount: Amount) => void,
  unnamed = false,
): Sums {
  // What was refunded of money that failed after all was given back without having been there.
  const ledger = new Ledger(
    unnamed ||
      events.some(({ outcome, byProcessor }) => outcome?.kind === "failed-after-all" || byProcessor !== undefined),
    unnamed,
  );
  for (const event of events) {
    const [amount, release, before] = [amountIn(event), releaseIn?.(event), ledger.released];
    if (event.outcome?.kind === "approved") ledger.step(event, amount, event.outcome.settlement, release);
    else if (event.outcome === null && reading === "succeeded") ledger.step(event, amount, null, release);
    else if (event.outcome === null && reading === "reserved") ledger.reserve(event, amount, release);
    noteReleased?.(event, minus(ledger.released, before));
  }
  return ledger.check();
}

/** What the sums of the same events' parts make. */
function together(all: readonly Sums[]): Sums {
  const captures = new Map<number, Taken>();
  for (const taken of all.flatMap((one) => one.captures)) {
    const before = captures.get(taken.sequence);
    captures.set(taken.sequence, before === undefined ? { ...taken } : takenTogether(before, taken));
  }
  return {
    authorized: sum(all.map(({ authorized }) => authorized)),
    captured: sum(all.map(({ captured }) => captured)),
    voided: sum(all.map(({ voided }) => voided)),
    refunded: sum(all.map(({ refunded }) => refunded)),
    uncaptured: sum(all.map(({ uncaptured }) => uncaptured)),
    captures: [...captures.values()].sort((one, other) => one.sequence - other.sequence),
  };
}

const takenTogether = (one: Taken, other: Taken): Taken => ({
  ...one,
  amount: plus(one.amount, other.amount),
  voided: plus(one.voided, other.voided),
  refunded: plus(one.refunded, other.refunded),
});

function balancesAt(
  { authorized, captured, voided, refunded, uncaptured, captures }: Sums,
  settledEarly: ReadonlySet<number>,
  now: Date,
): Balances {
  const phaseOf = ({ sequence, settlement }: Taken): Phase => {
    const phase = phaseAt(settlement, now);
    return phase === "open" && settledEarly.has(sequence) ? "window" : phase;
  };
  const shown = captures.map((capture) => ({
    sequence: capture.sequence,
    amount: capture.amount,
    voided: capture.voided,
    refunded: capture.refunded,
    left: left(capture),
    phase: phaseOf(capture),
  }));
  return { authorized, captured, voided, refunded, uncaptured, captures: shown };
}

/** What is left of captured money, of all phases or of those named: never more than was captured and has not been given back. */
export function leftOf({ captures, captured, refunded }: Balances, ...phases: readonly Phase[]): Amount {
  let [total, given] = [ZERO, refunded];
  for (const { left, phase, voided } of captures) {
    if (phases.includes(phase)) total = plus(total, left);
    given = plus(given, voided);
  }
  return lesser(total, captured > given ? minus(captured, given) : ZERO);
}

/** Neither settled nor given back yet: what a void could still cancel, as far as the gateway knows. */
export const voidable = (balances: Balances): Amount => plus(balances.uncaptured, leftOf(balances, "open", "window"));

/** Seen to be settled, and neither voided nor refunded. */
export const settled = (balances: Balances): Amount => leftOf(balances, "settled");

/** Some of its money is seen to be settled, whatever was refunded of that. */
export const hasSettled = (balances: Balances): boolean =>
  balances.captures.some(({ amount, voided, phase }) => phase === "settled" && amount > voided);

/** Captured and neither voided nor refunded. */
export const refundable = (balances: Balances): Amount => leftOf(balances, "open", "window", "settled");

/** Of somebody who is no passenger. */
const NOTHING: Sums = new Ledger();

/** The status of captured money is a function of its settlement times and the clock. */
export function phaseAt(settlement: Pick<SettlementTimes, "cutoffAt" | "visibleAt"> | null, now: Date): Phase {
  if (settlement === null || now < settlement.cutoffAt) return "open";
  return now < settlement.visibleAt ? "window" : "settled";
}
