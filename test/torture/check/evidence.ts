// The three accounts joined: what the clients noted, what the journal says, what the host has booked.

import { rrnOf } from "../../../src/processors/iso8583/messages/envelope.ts";
import type { Request } from "../notes.ts";
import type { Booked, JournalEvent, JournalKey } from "../records.ts";

export interface Accounts {
  readonly requests: readonly Request[];
  readonly events: readonly JournalEvent[];
  readonly keys: readonly JournalKey[];
  readonly booked: readonly Booked[];
  /** The host's terminal of each record that is one at the host. */
  readonly terminals: ReadonlyMap<string, string>;
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

export function evidenceOf(accounts: Accounts): Evidence {
  const { events, keys, booked, terminals } = accounts;
  const placeOf = (event: JournalEvent) => {
    const terminal = terminals.get(event.processorId);
    return terminal && `${terminal} ${rrnOf(event.id)}`;
  };
  const entries = Map.groupBy(booked, ({ terminal, rrn }) => `${terminal} ${rrn}`);
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
    eventOf: ({ terminal, rrn }) => byPlace.get(`${terminal} ${rrn}`),
  };
}

export const shown = ({ type, id, transactionId, sequence, outcome }: JournalEvent): string =>
  `${type} ${id} (event ${sequence} of ${transactionId}, ${outcome === null ? "pending" : `${outcome.kind} ${outcome.code}`})`;
