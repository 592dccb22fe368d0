// Adds to a transaction what its processor did without being asked: an event that has its outcome already, so that nobody asks for it.

import type { Amount } from "../payment/money.ts";
import {
  type Event,
  type EventType,
  newestOf,
  type Share,
  type Transaction,
  updatedAt,
} from "../payment/transaction.ts";
import type { Approval } from "../processors/processor.ts";
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
  { processorResponse, settlement }: Pick<Approval, "processorResponse" | "settlement">,
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
  const response = { ...processorResponse, detail: sentence(why) };
  const answer = { kind: "approved", processorResponse: response, ...(settlement && { settlement }) } as const;
  const asked = { transaction: { ...transaction, events: [...transaction.events, event] } as Transaction, event };
  const outcome = outcomeOf(asked, answer, record.schedule, clock.now());
  if (outcome === undefined) throw new Error("broken invariant: an approval without an outcome");
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

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
