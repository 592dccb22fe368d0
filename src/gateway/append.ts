// Writes an intent. If nobody knows whether it was written, nothing is asked, and that is recorded as soon as the database can be
// reached.

import { type EventPlace, JournalUncertain, type KeyClaim } from "../journal/journal.ts";
import { type Event, isCharge, type Transaction, withEvent } from "../payment/transaction.ts";
import { conclusionOf, neverAsked } from "./outcome.ts";
import type { Parts } from "./parts.ts";

export const placeOf = ({ merchantId, id }: Transaction, { sequence }: Event): EventPlace => ({
  merchantId,
  transactionId: id,
  sequence,
});

/** @returns the transaction with the event as an intent; undefined if another event came first, or the key is taken */
export async function append(
  parts: Parts,
  transaction: Transaction,
  event: Event,
  claim: KeyClaim | null,
): Promise<Transaction | undefined> {
  const { merchantId, id: transactionId } = transaction;
  const written = await intentDurable(parts, transaction, event, () =>
    parts.journal.append(merchantId, transactionId, event, claim),
  );
  if (written === "appended") return withEvent(transaction, event);
  parts.inFlight.remove(placeOf(transaction, event));
  return undefined;
}

/** Runs the write of an intent. If it fails nothing is asked, so an intent that is there all the same ends as not sent. */
export async function intentDurable<T>(
  parts: Parts,
  transaction: Transaction,
  event: Event,
  write: () => Promise<T>,
): Promise<T> {
  const place = placeOf(transaction, event);
  parts.inFlight.add(place, event.createdAt);
  try {
    return await write();
  } catch (fault) {
    if (fault instanceof JournalUncertain) parts.retryQueue.add(() => endUnasked(parts, place, event.id));
    else parts.inFlight.remove(place);
    throw fault;
  }
}

/** @param eventId tells it from the event of another operation that has this place, if that one was faster */
export async function endUnasked(parts: Parts, place: EventPlace, eventId: string): Promise<void> {
  const transaction = await parts.journal.find(place.merchantId, place.transactionId);
  const event = transaction?.events[place.sequence - 1];
  if (transaction !== undefined && event?.id === eventId && event.outcome === null) {
    const end = conclusionOf(transaction, event, neverAsked({ transaction, event }, parts.clock.now()), undefined);
    if ((await parts.journal.conclude(end)) === "taken-over")
      await parts.journal.defer(place, remedyOf(event), parts.clock.now(), null);
  }
  parts.inFlight.remove(place);
}

/** An intent that may be there and of which nobody was asked: the resolver asks. @param eventId as for {@link endUnasked} */
export async function leaveUnasked(parts: Parts, place: EventPlace, eventId: string): Promise<void> {
  const transaction = await parts.journal.find(place.merchantId, place.transactionId);
  const event = transaction?.events[place.sequence - 1];
  if (event?.id === eventId && event.outcome === null)
    await parts.journal.defer(place, remedyOf(event), parts.clock.now(), null);
  parts.inFlight.remove(place);
}

/** A charge that may have been sent is never sent again, other operations are (decisions F2, F3). */
export const remedyOf = (event: Event) => (isCharge(event) ? "reverse" : "repeat");
