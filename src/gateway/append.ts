// Writing an intent, and what follows when nobody knows whether it was written: nothing was asked, and that is put on
// record as soon as the database can be asked.

import { type EventPlace, JournalUncertain, type KeyClaim } from "../journal/journal.ts";
import { type Event, type Transaction, withEvent } from "../payment/transaction.ts";
import { conclusionOf, neverAsked } from "./outcome.ts";
import type { Parts } from "./parts.ts";

/** @returns the transaction with the event as an intent; undefined if another event came first, or the key is taken */
export async function append(
  parts: Parts,
  transaction: Transaction,
  event: Event,
  claim: KeyClaim | null,
): Promise<Transaction | undefined> {
  const { merchantId, id: transactionId } = transaction;
  const place = { merchantId, transactionId, sequence: event.sequence };
  parts.underWay.add(place, event.createdAt);
  const written = await intentDurable(parts, place, () =>
    parts.journal.append(merchantId, transactionId, event, claim),
  );
  if (written === "appended") return withEvent(transaction, event);
  parts.underWay.remove(place);
  return undefined;
}

/** Runs the write of an intent. If it fails nothing is asked, so an intent that is there all the same ends as not sent. */
export async function intentDurable<T>(parts: Parts, place: EventPlace, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (fault) {
    if (fault instanceof JournalUncertain) parts.owed.add(() => endUnasked(parts, place));
    else parts.underWay.remove(place);
    throw fault;
  }
}

async function endUnasked(parts: Parts, place: EventPlace): Promise<void> {
  const transaction = await parts.journal.find(place.merchantId, place.transactionId);
  const event = transaction?.events[place.sequence - 1];
  if (transaction !== undefined && event?.outcome === null)
    await parts.journal.conclude(conclusionOf(transaction, event, neverAsked(parts.clock.now()), undefined));
  parts.underWay.remove(place);
}

/** Events of a transaction do not go back in time, whatever the clocks of several machines say. */
export const notBefore = (earliest: Date, now: Date): Date => (now < earliest ? earliest : now);
