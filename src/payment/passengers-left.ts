// How much of a part of the money an operation may take of each passenger. What the processor captured and named no passengers of may be any
// passenger's, as far as the fares go, and is nobody's twice. Pure.

import { type Balances, balances, type Reading } from "./balances.ts";
import { type Amount, lesser, minus, plus, sum, ZERO } from "./money.ts";
import type { Transaction } from "./transaction.ts";

/** How much an operation could still move, of the whole or of one passenger's money. */
export type MoneyLeft = (balances: Balances) => Amount;

export class PassengersLeft {
  readonly #of: (passengerId: string) => Balances;
  readonly #part: MoneyLeft;
  /** Left in all, and named as nobody's. */
  #unnamed: Amount;
  /** So much of that is more than all fares, as when more was captured than authorized: it may be anybody's. */
  readonly #beyondFares: Amount;

  constructor(transaction: Transaction, now: Date, reading: Reading, part: MoneyLeft) {
    this.#of = (id) => balances(transaction, now, reading, id);
    this.#part = part;
    const each = transaction.passengers?.map(({ id }) => this.#of(id)) ?? [];
    this.#unnamed = beyond(part(balances(transaction, now, reading)), sum(each.map(part)));
    this.#beyondFares = beyond(this.#unnamed, sum(each.map(({ uncaptured }) => uncaptured)));
  }

  mostOf(passengerId: string): Amount {
    const own = this.#of(passengerId);
    return plus(this.#part(own), lesser(this.#unnamed, plus(own.uncaptured, this.#beyondFares)));
  }

  /** It is no longer left for the others. */
  take(passengerId: string, amount: Amount): void {
    this.#unnamed = beyond(this.#unnamed, beyond(amount, this.#part(this.#of(passengerId))));
  }
}

const beyond = (amount: Amount, other: Amount): Amount => (amount > other ? minus(amount, other) : ZERO);
