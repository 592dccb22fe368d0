// The ledger of one transaction, or of one passenger in it: events move money from one place to the next, and none is made or
// lost on the way. What does not depend on the clock.

import { type Amount, lesser, minus, plus, sum, ZERO } from "./money.ts";
import type { SettlementTimes } from "./outcome.ts";
import type { Event } from "./transaction.ts";

/** What the events so far come to. */
export interface Sums {
  readonly authorized: Amount;
  readonly captured: Amount;
  readonly voided: Amount;
  readonly refunded: Amount;
  /** Authorized, and neither captured nor voided. */
  readonly uncaptured: Amount;
  readonly captures: readonly Taken[];
}

/** Money that one sale or capture took, and what became of it. */
export interface Taken {
  readonly sequence: number;
  readonly amount: Amount;
  readonly settlement: SettlementTimes | null;
  voided: Amount;
  refunded: Amount;
}

export class Ledger implements Sums {
  authorized = ZERO;
  captured = ZERO;
  voided = ZERO;
  refunded = ZERO;
  uncaptured = ZERO;
  captures: Taken[] = [];
  /** Voided before it was captured. */
  released = ZERO;
  /** Of captures in flight: gone, and not there yet. */
  #reserved = ZERO;
  /** Those of which something is left, what settles first before the others; undefined: to be sorted anew. */
  #bySettlement: Taken[] | undefined;
  /** Given back beyond what was taken: a later capture covers it first, so that it is not given back again. */
  #uncovered = ZERO;
  /** Captured beyond what was authorized. */
  #unauthorized = ZERO;
  readonly #mayLack: boolean;
  readonly #mayBeUnnamed: boolean;

  /**
   * @param mayLack something failed after all, or the processor did something by itself: more may have moved than there was
   * @param mayBeUnnamed of one passenger: some money was captured of which nobody said whose it is
   */
  constructor(mayLack = false, mayBeUnnamed = false) {
    this.#mayLack = mayLack;
    this.#mayBeUnnamed = mayBeUnnamed;
  }

  /** @param release of a void: so much was not captured, as far as somebody knows that better */
  step(event: Event, amount: Amount, settlement: SettlementTimes | null, release?: Amount): void {
    switch (event.type) {
      case "auth":
        this.authorized = plus(this.authorized, amount);
        this.uncaptured = plus(this.uncaptured, amount);
        return;
      case "sale":
        this.authorized = plus(this.authorized, amount);
        this.#take(event, amount, settlement);
        return;
      case "capture":
        this.#claim(amount);
        this.#take(event, amount, settlement);
        return;
      case "void":
        this.#void(amount, release);
        return;
      case "refund":
        this.#refund(event, amount);
        return;
      default:
        event.type satisfies never;
    }
  }

  /** An event in flight: its money is no longer there for others, and not there yet for what builds on it. */
  reserve(event: Event, amount: Amount, release?: Amount): void {
    if (event.type === "capture") {
      this.#claim(amount);
      this.#reserved = plus(this.#reserved, amount);
    } else if (event.type === "void") this.#void(amount, release);
    else if (event.type === "refund") this.#refund(event, amount);
  }

  /** All that was authorized is somewhere, and what was given back was taken before. */
  check(): this {
    const given = sum(this.captures.map(({ voided, refunded }) => plus(voided, refunded)));
    if (
      plus(this.authorized, this.#unauthorized) !== sum([this.uncaptured, this.captured, this.released, this.#reserved])
    )
      throw new Error("broken ledger: what was authorized is not what became of it");
    if (plus(this.voided, this.refunded) !== sum([this.released, given, this.#uncovered]))
      throw new Error("broken ledger: what was given back is not what was taken");
    return this;
  }

  /** Takes it from what is authorized. */
  #claim(amount: Amount): void {
    const there = this.#mayLack ? lesser(amount, this.uncaptured) : amount;
    this.uncaptured = minus(this.uncaptured, there);
    this.#unauthorized = plus(this.#unauthorized, minus(amount, there));
  }

  #take(event: Event, amount: Amount, settlement: SettlementTimes | null): void {
    this.captured = plus(this.captured, amount);
    const covered = lesser(amount, this.#uncovered);
    this.#uncovered = minus(this.#uncovered, covered);
    this.captures.push({ sequence: event.sequence, amount, settlement, voided: ZERO, refunded: covered });
    this.#bySettlement = undefined;
  }

  /** A void cancels what is not captured first, then what settles last. */
  #void(amount: Amount, release = amount): void {
    this.voided = plus(this.voided, amount);
    const first = lesser(release, this.uncaptured);
    const rest = minus(amount, first);
    const cancelled = lesser(rest, sum(this.captures.map(left)));
    const released = plus(first, lesser(minus(rest, cancelled), minus(this.uncaptured, first)));
    this.uncaptured = minus(this.uncaptured, released);
    this.released = plus(this.released, released);
    this.#giveBack("voided", minus(amount, released));
  }

  /** A refund gives back what settles first. */
  #refund(event: Event, amount: Amount): void {
    this.refunded = plus(this.refunded, amount);
    if (this.#mayBeUnnamed) this.#nameAsOwn(event, amount);
    this.#giveBack("refunded", amount);
  }

  /** What a refund gives back beyond what was captured under this passenger's name was captured without it. */
  #nameAsOwn(event: Event, amount: Amount): void {
    const own = sum(this.captures.map(left));
    if (amount <= own) return;
    const unnamed = minus(amount, own);
    this.#claim(unnamed);
    this.#take(event, unnamed, null);
  }

  #giveBack(how: "voided" | "refunded", amount: Amount): void {
    const held = this.#bySettlement ?? this.captures.filter((capture) => left(capture) > ZERO).sort(settlesFirst);
    this.#bySettlement = held;
    for (let rest = amount; rest > ZERO; ) {
      const capture = how === "voided" ? held.at(-1) : held[0];
      if (capture === undefined && this.#mayLack) {
        this.#uncovered = plus(this.#uncovered, rest);
        return;
      }
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

/** Of captured money, what is neither voided nor refunded. */
export const left = (capture: Taken): Amount => minus(capture.amount, plus(capture.voided, capture.refunded));
