// Which events belong to one operation of a caller: a charge that was tried at one processor after another, or the two
// steps of a reversal. Pure.

import { type Event, isCharge, type Transaction } from "../payment/transaction.ts";

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
