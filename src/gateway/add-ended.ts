// Writes what a processor did without being asked: an event that has its outcome already, so that nobody asks for it, and the failure of what
// was approved.

import { keptResponse } from "../payment/kept-response.ts";
import type { Amount } from "../payment/money.ts";
import type { Failed } from "../payment/news.ts";
import {
  type Event,
  type EventType,
  newestOf,
  type Share,
  type Transaction,
  updatedAt,
} from "../payment/transaction.ts";
import type { Approval, Decline } from "../processors/processor.ts";
import { placeOf } from "./append.ts";
import { conclusionOf, notBefore, outcomeOf } from "./outcome.ts";
import { factsOf, type Parts } from "./parts.ts";

export interface Done {
  readonly type: EventType;
  readonly amount: Amount;
  readonly shares: readonly Share[] | null;
  /** The processor's name for it. */
  readonly byProcessor: string;
}

/** @returns false if another event came first: look again */
export async function addEnded(
  parts: Parts,
  transaction: Transaction,
  processorId: string,
  done: Done,
  answer: Approval | Decline,
  why: string,
): Promise<boolean> {
  const { journal, inFlight, clock, newId } = parts;
  const { record } = await parts.processors.find(transaction.merchantId, processorId);
  const event: Event = {
    ...done,
    id: newId(),
    sequence: newestOf(transaction).sequence + 1,
    processorId,
    ipAddress: null,
    reversal: false,
    createdAt: notBefore(updatedAt(transaction), clock.now()),
    outcome: null,
  };
  const processorResponse = { ...answer.processorResponse, detail: sentence(why) };
  const asked = { transaction: { ...transaction, events: [...transaction.events, event] } as Transaction, event };
  const outcome = outcomeOf(asked, { ...answer, processorResponse }, record.schedule, clock.now());
  if (outcome === undefined) throw new Error("broken invariant: an end without an outcome");
  const place = placeOf(transaction, event);
  inFlight.add(place, event.createdAt);
  try {
    // Not with the schedule: what the merchant takes for failed is not captured by itself.
    const written = await journal.appendEnded(event, conclusionOf(asked.transaction, event, outcome, undefined));
    if (written === "appended")
      parts.log.warn({ ...factsOf(event), type: event.type, why }, "the processor moved money by itself");
    return written === "appended";
  } finally {
    inFlight.remove(place);
  }
}

/** What was approved failed after all. */
export async function failLate(
  { journal, inFlight, clock }: Parts,
  transaction: Transaction,
  event: Event,
  { processorResponse, category }: Pick<Failed, "processorResponse" | "category">,
): Promise<void> {
  const at = notBefore(event.outcome?.at ?? event.createdAt, clock.now());
  const place = placeOf(transaction, event);
  inFlight.add(place, at);
  try {
    await journal.failLate(place, {
      at,
      processorResponse: keptResponse(processorResponse, transaction.card.mask),
      category,
    });
  } finally {
    inFlight.remove(place);
  }
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
