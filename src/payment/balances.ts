// Where a transaction's money stands: its events walked in order, each moving money from one place to the next.
// Pure; a statement about what is on record, not a decision about what may follow.

import { type Amount, lesser, minus, plus, sum, ZERO } from "./money.ts";
import type { Event, Passenger, SettlementTimes, Share, Transaction } from "./transaction.ts";

/** `open`: before its cut-off; `window`: nobody but the processor knows; `settled`: seen to be settled. */
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

/** All amounts in minor units of the transaction's currency. */
export interface Balances {
  readonly authorized: Amount;
  readonly captured: Amount;
  readonly voided: Amount;
  readonly refunded: Amount;
  /** Authorized, and neither captured nor voided. */
  readonly uncaptured: Amount;
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
  const { whole, ofPassenger } = sumsOf(transaction, reading);
  return balancesAt(passengerId === undefined ? whole : (ofPassenger.get(passengerId) ?? NOTHING), now);
}

/** What does not hang on the clock: the whole, and of each passenger. */
interface Reckoned {
  readonly whole: Sums;
  readonly ofPassenger: ReadonlyMap<string, Sums>;
}

// A transaction is never changed, so its events are walked once a reading: one answer asks for dozens of balances.
const reckoned = new WeakMap<Transaction, Partial<Record<Reading, Reckoned>>>();

function sumsOf(transaction: Transaction, reading: Reading): Reckoned {
  const known = reckoned.get(transaction) ?? {};
  const sums = known[reading] ?? reckon(transaction, reading);
  reckoned.set(transaction, { ...known, [reading]: sums });
  return sums;
}

function reckon({ passengers, events }: Transaction, reading: Reading): Reckoned {
  if (passengers === null) {
    const whole = walked(reading, events, ({ amount }) => amount);
    return { whole, ofPassenger: new Map() };
  }
  const parts = new Map(passengers.map(({ id }) => [id, new Map<Event, Amount>()]));
  for (const event of events)
    for (const { passengerId, amount } of event.shares ?? passengers.map(faresOf))
      if (amount > ZERO) parts.get(passengerId)?.set(event, amount);
  const ofPassenger = new Map(
    [...parts].map(([id, own]) => [id, walked(reading, [...own.keys()], (event) => own.get(event) ?? ZERO)]),
  );
  return { whole: together([...ofPassenger.values()]), ofPassenger };
}

/** A charge names no shares: each passenger's is the fares. */
const faresOf = ({ id, fares }: Passenger): Share => ({ passengerId: id, amount: fares });

function walked(reading: Reading, events: readonly Event[], amountIn: (event: Event) => Amount): Sums {
  const walk = new Walk();
  for (const event of events) {
    const amount = amountIn(event);
    if (event.outcome?.kind === "approved") walk.step(event, amount, event.outcome.settlement);
    else if (event.outcome === null && reading === "succeeded") walk.step(event, amount, null);
    else if (event.outcome === null && reading === "reserved") walk.reserve(event, amount);
  }
  return walk;
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

function balancesAt({ authorized, captured, voided, refunded, uncaptured, captures }: Sums, now: Date): Balances {
  const shown = captures.map((capture) => ({
    sequence: capture.sequence,
    amount: capture.amount,
    voided: capture.voided,
    refunded: capture.refunded,
    left: left(capture),
    phase: phaseAt(capture.settlement, now),
  }));
  return { authorized, captured, voided, refunded, uncaptured, captures: shown };
}

export const uncertain = (balances: Balances): boolean =>
  balances.captures.some(({ left, phase }) => phase === "window" && left > 0n);

/** What is left of captured money, of all phases or of those named. */
export function leftOf(balances: Balances, ...phases: readonly Phase[]): Amount {
  return sum(balances.captures.filter(({ phase }) => phases.includes(phase)).map(({ left }) => left));
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

interface Sums extends Omit<Balances, "captures"> {
  readonly captures: readonly Taken[];
}

interface Taken {
  readonly sequence: number;
  readonly amount: Amount;
  readonly settlement: SettlementTimes | null;
  voided: Amount;
  refunded: Amount;
}

class Walk implements Sums {
  authorized = ZERO;
  captured = ZERO;
  voided = ZERO;
  refunded = ZERO;
  uncaptured = ZERO;
  captures: Taken[] = [];
  /** Those of which something is left, what settles first before the others; undefined: to be sorted anew. */
  #bySettlement: Taken[] | undefined;

  step(event: Event, amount: Amount, settlement: SettlementTimes | null): void {
    switch (event.type) {
      case "auth":
        this.authorized = plus(this.authorized, amount);
        this.uncaptured = plus(this.uncaptured, amount);
        return;
      case "sale":
        this.authorized = plus(this.authorized, amount);
        this.take(event, amount, settlement);
        return;
      case "capture":
        this.uncaptured = minus(this.uncaptured, amount);
        this.take(event, amount, settlement);
        return;
      case "void":
        this.void(amount);
        return;
      case "refund":
        this.refund(amount);
        return;
      default:
        event.type satisfies never;
    }
  }

  /** An event in flight: its money is no longer there for others, and not there yet for what builds on it. */
  reserve(event: Event, amount: Amount): void {
    if (event.type === "capture") this.uncaptured = minus(this.uncaptured, amount);
    else if (event.type === "void") this.void(amount);
    else if (event.type === "refund") this.refund(amount);
  }

  take(event: Event, amount: Amount, settlement: SettlementTimes | null): void {
    this.captured = plus(this.captured, amount);
    this.captures.push({ sequence: event.sequence, amount, settlement, voided: ZERO, refunded: ZERO });
    this.#bySettlement = undefined;
  }

  /** A void cancels what is not captured first, then what settles last. */
  void(amount: Amount): void {
    this.voided = plus(this.voided, amount);
    const released = lesser(amount, this.uncaptured);
    this.uncaptured = minus(this.uncaptured, released);
    this.giveBack("voided", minus(amount, released));
  }

  /** A refund gives back what settles first. */
  refund(amount: Amount): void {
    this.refunded = plus(this.refunded, amount);
    this.giveBack("refunded", amount);
  }

  giveBack(how: "voided" | "refunded", amount: Amount): void {
    const held = this.#bySettlement ?? this.captures.filter((capture) => left(capture) > ZERO).sort(settlesFirst);
    this.#bySettlement = held;
    for (let rest = amount; rest > ZERO; ) {
      const capture = how === "voided" ? held.at(-1) : held[0];
      if (capture === undefined) throw new Error(`broken ledger: more ${how} than there was`);
      const part = lesser(rest, left(capture));
      capture[how] = plus(capture[how], part);
      rest = minus(rest, part);
      if (left(capture) === ZERO) held.splice(held.indexOf(capture), 1);
    }
  }
}

function settlesFirst(one: Taken, other: Taken): number {
  const visible = ({ settlement }: Taken) => settlement?.visibleAt.getTime() ?? Number.POSITIVE_INFINITY;
  const [first, second] = [visible(one), visible(other)];
  return first === second ? one.sequence - other.sequence : first < second ? -1 : 1;
}

/** Of somebody who is no passenger. */
const NOTHING: Sums = new Walk();

const left = (capture: Taken): Amount => minus(capture.amount, plus(capture.voided, capture.refunded));

/** The status of captured money is a function of its settlement times and the clock. */
export function phaseAt(settlement: SettlementTimes | null, now: Date): Phase {
  if (settlement === null || now < settlement.cutoffAt) return "open";
  return now < settlement.visibleAt ? "window" : "settled";
}
