// A transaction as it was at a moment of its past: a webhook that is sent later, or again, shows what was true then.

import { type Event, outcomeAt, type Transaction } from "./transaction.ts";

export interface Moment {
  readonly at: Date;
  /** The event that this is about. */
  readonly sequence: number;
  /** Whether that event had its outcome. */
  readonly concluded: boolean;
}

/** The transaction as it was at that moment, without what came later. */
export function asOf(transaction: Transaction, { at, sequence, concluded }: Moment): Transaction {
  const then = (event: Event): Event => {
    const outcome = event.outcome && outcomeAt(event.outcome, at);
    const known = event.sequence === sequence ? concluded : outcome !== null && outcome.at <= at;
    return { ...event, outcome: known ? outcome : null };
  };
  const [first, ...rest] = transaction.events;
  const before = rest.filter((event) => event.sequence <= sequence || event.createdAt < at);
  return { ...transaction, events: [then(first), ...before.map(then)] };
}
