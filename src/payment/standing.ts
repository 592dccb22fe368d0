// Where a transaction's money stands: its events walked in order, each moving money from one place to the next.
// Pure; a statement about what is on record, not a decision about what may follow.

import { type Amount, lesser, minus, plus, sum, ZERO } from "./money.ts";
import type { Event, Passenger, SettlementTimes, Transaction } from "./transaction.ts";

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
export interface Standing {
  readonly authorized: Amount;
  readonly captured: Amount;
  readonly voided: Amount;
  readonly refunded: Amount;
  /** Authorized, and neither captured nor voided. */
  readonly uncaptured: Amount;
  readonly captures: readonly CapturedMoney[];
}

/**
 * How events under way count. `reserved`: their money is gone and has not arrived, which is what may be given away
 * safely; `failed` and `succeeded`: as if they had ended so.
 */
export type Reading = "reserved" | "failed" | "succeeded";

/**
 * The standing at an instant. What a passenger's void or refund takes is that passenger's, so with airline data the whole
 * is what its passengers' standings add up to.
 * @param passengerId only this passenger's money
 */
export function standing(transaction: Transaction, now: Date, reading: Reading, passengerId?: string): Standing {
  const { passengers, events } = transaction;
  if (passengerId !== undefined)
    return walked(transaction, reading, (event) => shareOf(transaction, event, passengerId)).standing(now);
  if (passengers === null) return walked(transaction, reading, ({ amount }) => amount).standing(now);
  const shares = events.map((event) => sharesOf(passengers, event));
  return passengers
    .map(({ id }) =>
      walked(transaction, reading, ({ sequence }) => shares[sequence - 1]?.get(id) ?? ZERO).standing(now),
    )
    .reduce(together);
}

function walked({ events }: Transaction, reading: Reading, amountIn: (event: Event) => Amount): Walk {
  const walk = new Walk();
  for (const event of events) {
    const amount = amountIn(event);
    if (event.outcome?.kind === "approved") walk.step(event, amount, event.outcome.settlement);
    else if (event.outcome === null && reading === "succeeded") walk.step(event, amount, null);
    else if (event.outcome === null && reading === "reserved") walk.reserve(event, amount);
  }
  return walk;
}

/** What of an event's amount is this passenger's: the share that was named, or on a charge the passenger's fares. */
function shareOf(transaction: Transaction, event: Event, passengerId: string): Amount {
  if (event.shares !== null) return event.shares.find((share) => share.passengerId === passengerId)?.amount ?? ZERO;
  const passenger = transaction.passengers?.find(({ id }) => id === passengerId);
  return passenger?.fares ?? ZERO;
}

/** The same for all passengers at once. */
const sharesOf = (passengers: readonly Passenger[], { shares }: Event): ReadonlyMap<string, Amount> =>
  new Map(
    shares === null
      ? passengers.map(({ id, fares }) => [id, fares])
      : shares.map(({ passengerId, amount }) => [passengerId, amount]),
  );

/** Of two standings of the same events. */
function together(one: Standing, other: Standing): Standing {
  return {
    authorized: plus(one.authorized, other.authorized),
    captured: plus(one.captured, other.captured),
    voided: plus(one.voided, other.voided),
    refunded: plus(one.refunded, other.refunded),
    uncaptured: plus(one.uncaptured, other.uncaptured),
    captures: one.captures.map((capture, index) => capturedTogether(capture, other.captures[index] ?? capture)),
  };
}

const capturedTogether = (one: CapturedMoney, other: CapturedMoney): CapturedMoney => ({
  ...one,
  amount: plus(one.amount, other.amount),
  voided: plus(one.voided, other.voided),
  refunded: plus(one.refunded, other.refunded),
  left: plus(one.left, other.left),
});

export const uncertain = (standing: Standing): boolean =>
  standing.captures.some(({ left, phase }) => phase === "window" && left > 0n);

/** What is left of captured money, of all phases or of those named. */
export function leftOf(standing: Standing, ...phases: readonly Phase[]): Amount {
  return sum(standing.captures.filter(({ phase }) => phases.includes(phase)).map(({ left }) => left));
}

/** Neither settled nor given back yet: what a void could still cancel, as far as the gateway knows. */
export const voidable = (standing: Standing): Amount => plus(standing.uncaptured, leftOf(standing, "open", "window"));

/** Seen to be settled, and neither voided nor refunded. */
export const settled = (standing: Standing): Amount => leftOf(standing, "settled");

/** Some of its money is seen to be settled, whatever was refunded of that. */
export const hasSettled = (standing: Standing): boolean =>
  standing.captures.some(({ amount, voided, phase }) => phase === "settled" && amount > voided);

/** Captured and neither voided nor refunded. */
export const refundable = (standing: Standing): Amount => leftOf(standing, "open", "window", "settled");

interface Taken {
  readonly sequence: number;
  readonly amount: Amount;
  readonly settlement: SettlementTimes | null;
  voided: Amount;
  refunded: Amount;
}

class Walk {
  authorized = ZERO;
  captured = ZERO;
  voided = ZERO;
  refunded = ZERO;
  uncaptured = ZERO;
  captures: Taken[] = [];

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

  /** An event under way: its money is no longer there for others, and not there yet for what builds on it. */
  reserve(event: Event, amount: Amount): void {
    if (event.type === "capture") this.uncaptured = minus(this.uncaptured, amount);
    else if (event.type === "void") this.void(amount);
    else if (event.type === "refund") this.refund(amount);
  }

  take(event: Event, amount: Amount, settlement: SettlementTimes | null): void {
    this.captured = plus(this.captured, amount);
    this.captures.push({ sequence: event.sequence, amount, settlement, voided: ZERO, refunded: ZERO });
  }

  /** A void cancels what is not captured first, then what settles last. */
  void(amount: Amount): void {
    this.voided = plus(this.voided, amount);
    const released = lesser(amount, this.uncaptured);
    this.uncaptured = minus(this.uncaptured, released);
    let rest = minus(amount, released);
    for (const capture of this.bySettlement().reverse()) {
      const part = lesser(rest, left(capture));
      capture.voided = plus(capture.voided, part);
      rest = minus(rest, part);
    }
    if (rest !== ZERO) throw new Error("broken ledger: more voided than there was");
  }

  /** A refund gives back what settles first. */
  refund(amount: Amount): void {
    this.refunded = plus(this.refunded, amount);
    let rest = amount;
    for (const capture of this.bySettlement()) {
      const part = lesser(rest, left(capture));
      capture.refunded = plus(capture.refunded, part);
      rest = minus(rest, part);
    }
    if (rest !== ZERO) throw new Error("broken ledger: more refunded than there was");
  }

  bySettlement(): Taken[] {
    const visible = (capture: Taken) => capture.settlement?.visibleAt.getTime() ?? Number.POSITIVE_INFINITY;
    return this.captures.toSorted((a, b) => {
      const [first, second] = [visible(a), visible(b)];
      return first === second ? a.sequence - b.sequence : first < second ? -1 : 1;
    });
  }

  standing(now: Date): Standing {
    const { authorized, captured, voided, refunded, uncaptured } = this;
    const captures = this.captures.map((capture) => ({
      sequence: capture.sequence,
      amount: capture.amount,
      voided: capture.voided,
      refunded: capture.refunded,
      left: left(capture),
      phase: phaseAt(capture.settlement, now),
    }));
    return { authorized, captured, voided, refunded, uncaptured, captures };
  }
}

const left = (capture: Taken): Amount => minus(capture.amount, plus(capture.voided, capture.refunded));

/** The status of captured money is a function of its settlement times and the clock. */
export function phaseAt(settlement: SettlementTimes | null, now: Date): Phase {
  if (settlement === null || now < settlement.cutoffAt) return "open";
  return now < settlement.visibleAt ? "window" : "settled";
}
