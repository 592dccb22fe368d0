// A transaction as it was: at a moment of its past, which a webhook that is sent later still shows, and at the end of one
// operation of a caller, which its response shows.

import { outcomeAt } from "./outcome.ts";
import { type Event, isCharge, type Transaction } from "./transaction.ts";

export interface Moment {
  readonly at: Date;
  /** The event that this is about. */
  readonly sequence: number;
  /** Whether that event had its outcome. */
  readonly concluded: boolean;
}

/** The transaction as it was at that moment, without what came later. */
export function asOf(transaction: Transaction, { at, sequence, concluded }: Moment): Transaction {
  // The event was decided by all that was known when it was created. `at` may be earlier, if it is from a machine whose clock is behind.
  const begunAt = transaction.events[sequence - 1]?.createdAt ?? at;
  const knownUntil = begunAt > at ? begunAt : at;
  const then = (event: Event): Event => {
    const outcome = event.outcome && outcomeAt(event.outcome, knownUntil);
    const known = event.sequence === sequence ? concluded : outcome !== null && outcome.at <= knownUntil;
    return { ...event, outcome: known ? outcome : null };
  };
  const [first, ...rest] = transaction.events;
  const before = rest.filter((event) => event.sequence <= sequence || event.createdAt < at);
  return { ...transaction, events: [then(first), ...before.map(then)] };
}

/** The operation that began with the event of this sequence, oldest event first. */
export function operationFrom({ events }: Transaction, sequence: number): readonly [Event, ...Event[]] {
  const [begun = events[0], ...later] = events.slice(sequence - 1);
  if (isCharge(begun)) return [begun, ...later.filter(isCharge)];
  const [next] = later;
  const refundFollows = begun.reversal && begun.type === "void" && next?.reversal && next.type === "refund";
  return refundFollows ? [begun, next] : [begun];
}

/** The transaction as it was when the operation that began with this sequence had come this far. */
export function throughOperation(transaction: Transaction, sequence: number): Transaction {
  const last = operationFrom(transaction, sequence).at(-1)?.sequence ?? sequence;
  const [first, ...rest] = transaction.events;
  return { ...transaction, events: [first, ...rest.filter((event) => event.sequence <= last)] };
}
