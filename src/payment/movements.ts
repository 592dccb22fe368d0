// A transaction's movements of money, as an accountant books them: what came, what was given back, and what failed after all,
// each at the instant when it was known. Pure; never changed afterwards, so that a month that was booked stays as it was.

import { Ledger } from "./ledger.ts";
import { type Amount, minus, sum, ZERO } from "./money.ts";
import type { Approved, SettlementTimes } from "./outcome.ts";
import { type Event, isOfNoPassenger, type Passenger, type Share, type Transaction } from "./transaction.ts";

export interface Movement {
  /** When its outcome was known. */
  readonly at: Date;
  readonly event: Event;
  /** Null where the movement names no passengers. */
  readonly passenger: Passenger | null;
  /** Hundredths; above zero it comes to the merchant. */
  readonly amount: bigint;
  /** The sale or capture whose batch it is in: of a void what it cancelled, else the event itself. */
  readonly submitted: Event;
  readonly settlement: SettlementTimes | null;
  /** It takes back an earlier movement of the same event. */
  readonly reversing: boolean;
}

/**
 * All of them, in the order in which they were known. What only holds or releases a card's limit (an auth, the void of one)
 * moves nothing. A void of several captures is a movement for each, since each is in a batch of its own. Movements that were
 * known by an instant add up to where the money stood then.
 */
export function movementsOf(transaction: Transaction): readonly Movement[] {
  const movements: Movement[] = [];
  const approved = new Map<number, ApprovedEvent>();
  let books = new Books(transaction);
  for (const { at, event, approval } of factsOf(transaction)) {
    const inOrder = approval !== null && event.sequence > books.last;
    if (approval === null) approved.delete(event.sequence);
    else approved.set(event.sequence, { event, approval });
    const before = books.entries;
    if (inOrder) movements.push(...books.step({ event, approval }).map((entry) => movementAt(at, entry, entry.amount)));
    else {
      books = anew(transaction, approved);
      movements.push(...differences(at, before, books.entries));
    }
  }
  return movements;
}

/** What becomes known of an event: its approval, or with null that it failed after all. */
interface Fact {
  readonly at: Date;
  readonly event: Event;
  readonly approval: Approved | null;
}

function factsOf({ events }: Transaction): readonly Fact[] {
  return events
    .flatMap((event): Fact[] => {
      const { outcome } = event;
      if (outcome?.kind === "approved") return [{ at: outcome.at, event, approval: outcome }];
      if (outcome?.kind !== "failed-after-all") return [];
      const { approval } = outcome;
      return [
        { at: approval.at, event, approval },
        { at: outcome.at, event, approval: null },
      ];
    })
    .sort((one, other) => one.at.getTime() - other.at.getTime() || one.event.sequence - other.event.sequence);
}

interface ApprovedEvent {
  readonly event: Event;
  readonly approval: Approved;
}

/** What one event moves of one capture's money, and of one passenger's. */
interface Entry extends Omit<Movement, "at" | "reversing"> {
  readonly key: string;
}

function anew(transaction: Transaction, approved: ReadonlyMap<number, ApprovedEvent>): Books {
  const books = new Books(transaction);
  const inOrder = [...approved.values()].sort((one, other) => one.event.sequence - other.event.sequence);
  for (const one of inOrder) books.step(one);
  return books;
}

/** The approved events of a transaction, walked in their order. */
class Books {
  readonly entries = new Map<string, Entry>();
  /** The sequence of the last event that was walked. */
  last = 0;
  readonly #purses: readonly { readonly passenger: Passenger | null; readonly ledger: Ledger }[];
  readonly #taken = new Map<number, ApprovedEvent>();
  /** Whoever's it is. */
  readonly #whole = new Ledger(true);
  readonly #shared: boolean;

  constructor({ passengers }: Transaction) {
    this.#shared = passengers !== null;
    // What became known in another order than it happened, or failed since, may leave less than was given back.
    this.#purses = (passengers ?? [null]).map((passenger) => ({ passenger, ledger: new Ledger(true) }));
  }

  /** @returns what it adds */
  step(one: ApprovedEvent): readonly Entry[] {
    const { event } = one;
    this.last = event.sequence;
    this.#taken.set(event.sequence, one);
    const unshared = this.#shared && isOfNoPassenger(event);
    const released = this.#released();
    const own = unshared ? ofNoPassenger(one) : this.#ofPassengers(one);
    const release = unshared ? undefined : minus(this.#released(), released);
    const entries = this.#shared ? this.#ofWhole(one, own, release) : own;
    for (const entry of entries) this.entries.set(entry.key, entry);
    return entries;
  }

  #ofPassengers(one: ApprovedEvent): readonly Entry[] {
    const { event, approval } = one;
    return this.#purses.flatMap(({ passenger, ledger }) => {
      const amount = partOf(event, passenger);
      if (amount === ZERO) return [];
      const before = new Map(ledger.captures.map(({ sequence, voided }) => [sequence, voided]));
      ledger.step(event, amount, approval.settlement);
      if (event.type !== "void")
        return event.type === "auth" ? [] : [entryOf(one, one, passenger, signed(event, amount))];
      return ledger.captures.flatMap(({ sequence, voided }) => {
        const cancelled = voided - (before.get(sequence) ?? ZERO);
        return cancelled === 0n ? [] : [entryOf(one, this.#submitted(sequence), passenger, -cancelled)];
      });
    });
  }

  #released = (): Amount => sum(this.#purses.map(({ ledger }) => ledger.released));

  /**
   * A void cancels so much of captured money as the whole has: of what the processor captured or gave back by itself, and named nobody, the
   * passengers' own ledgers know nothing.
   */
  #ofWhole(one: ApprovedEvent, own: readonly Entry[], release: Amount | undefined): readonly Entry[] {
    const { event, approval } = one;
    const before = new Map(this.#whole.captures.map(({ sequence, voided }) => [sequence, voided]));
    this.#whole.step(event, event.amount, approval.settlement, release);
    if (event.type !== "void") return own;
    const cancelled = this.#whole.captures.map(
      ({ sequence, voided }) => [sequence, voided - (before.get(sequence) ?? ZERO)] as const,
    );
    let rest = cancelled.reduce((all, [, amount]) => all + amount, 0n);
    const take = (most: bigint): bigint => {
      const taken = most < rest ? most : rest;
      rest -= taken;
      return taken;
    };
    const ofPassengers = own.map((entry) => ({ ...entry, amount: -take(-entry.amount) }));
    const ofNobody = cancelled.map(([sequence, amount]) =>
      entryOf(one, this.#submitted(sequence), null, -take(amount)),
    );
    return [...ofPassengers, ...ofNobody].filter(({ amount }) => amount !== 0n);
  }

  #submitted(sequence: number): ApprovedEvent {
    const found = this.#taken.get(sequence);
    if (found === undefined) throw new Error("broken ledger: a void of what was never captured");
    return found;
  }
}

const ofNoPassenger = (one: ApprovedEvent): readonly Entry[] =>
  one.event.type === "void" ? [] : [entryOf(one, one, null, signed(one.event, one.event.amount))];

const signed = ({ type }: Event, amount: Amount): bigint => (type === "refund" ? -amount : amount);

/** A charge names no shares: each passenger's is the fares. */
function partOf({ amount, shares }: Event, passenger: Passenger | null): Amount {
  if (passenger === null) return amount;
  if (shares === null) return passenger.fares;
  return shares.find(({ passengerId }: Share) => passengerId === passenger.id)?.amount ?? ZERO;
}

const entryOf = (
  { event }: ApprovedEvent,
  submitted: ApprovedEvent,
  passenger: Passenger | null,
  amount: bigint,
): Entry => ({
  key: `${event.sequence} ${submitted.event.sequence} ${passenger?.id}`,
  event,
  passenger,
  amount,
  submitted: submitted.event,
  settlement: submitted.approval.settlement,
});

function differences(
  at: Date,
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
): readonly Movement[] {
  return [...new Map([...before, ...after])].flatMap(([key, entry]) => {
    const change = (after.get(key)?.amount ?? 0n) - (before.get(key)?.amount ?? 0n);
    return change === 0n ? [] : [movementAt(at, entry, change)];
  });
}

function movementAt(at: Date, { key: _, ...entry }: Entry, amount: bigint): Movement {
  const comes = entry.event.type === "sale" || entry.event.type === "capture";
  return { ...entry, at, amount, reversing: comes !== amount > 0n };
}
