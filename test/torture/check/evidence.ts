// The three accounts joined: what the clients noted, what the journal says, what the host has booked.

import type { Booked, JournalEvent, JournalKey } from "../accounts.ts";
import type { Request } from "../notes.ts";

export interface Accounts {
  readonly requests: readonly Request[];
  readonly events: readonly JournalEvent[];
  readonly keys: readonly JournalKey[];
  readonly booked: readonly Booked[];
  /** Of each record at a host with books. */
  readonly books: ReadonlyMap<string, Book>;
}

/** Where a host has what a record asked, and what it knows our events by. */
export interface Book {
  readonly name: string;
  referenceOf(eventId: string): string;
  /** It has no void of captured money: that is a refund there. */
  readonly voidsByRefund?: true;
}

/** What the host has of an event: its operation, and if it was taken back, that. */
export interface Entries {
  readonly operations: readonly Booked[];
  readonly reversals: readonly Booked[];
}

export interface Evidence extends Accounts {
  readonly byTransaction: ReadonlyMap<string, readonly JournalEvent[]>;
  readonly byId: ReadonlyMap<string, JournalEvent>;
  readonly byKey: ReadonlyMap<string, JournalKey>;
  /** Undefined: its processor is not the host. */
  entriesOf(event: JournalEvent): Entries | undefined;
  /** The event that a line of the books is about. */
  eventOf(booked: Booked): JournalEvent | undefined;
}

export const APPROVED = "00";
/** A reversal that was refused because there is nothing to take back. */
export const NOTHING_THERE = "nothing there";

export function evidenceOf(accounts: Accounts): Evidence {
  const { events, keys, booked, books } = accounts;
  const placeOf = (event: JournalEvent) => {
    const book = books.get(event.processorId);
    return book && `${book.name} ${book.referenceOf(event.id)}`;
  };
  const entries = Map.groupBy(booked, ({ book, reference }) => `${book} ${reference}`);
  const byPlace = new Map(events.map((event) => [placeOf(event), event]));
  return {
    ...accounts,
    byTransaction: Map.groupBy(events, ({ transactionId }) => transactionId),
    byId: new Map(events.map((event) => [event.id, event])),
    byKey: new Map(keys.map((key) => [key.key, key])),
    entriesOf: (event) => {
      const place = placeOf(event);
      if (place === undefined) return undefined;
      const all = entries.get(place) ?? [];
      return {
        operations: all.filter(({ operation }) => operation !== "reversal"),
        reversals: all.filter(({ operation }) => operation === "reversal"),
      };
    },
    eventOf: ({ book, reference }) => byPlace.get(`${book} ${reference}`),
  };
}

export const shown = ({ type, id, transactionId, sequence, outcome }: JournalEvent): string =>
  `${type} ${id} (event ${sequence} of ${transactionId}, ${outcome === null ? "pending" : `${outcome.kind} ${outcome.code}`})`;
