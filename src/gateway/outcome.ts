// A processor's answer becomes the outcome of an event. Pure.

import type { Conclusion, KeyedResponse } from "../journal/journal.ts";
import { keptResponse } from "../payment/kept-response.ts";
import { isGivenUp } from "../payment/news.ts";
import type { FirstOutcome, Outcome, ProcessorResponse } from "../payment/outcome.ts";
import { type Schedule, settlementTimes } from "../payment/settlement.ts";
import { firstNetworkTransactionId } from "../payment/stored-credential.ts";
import { threeDSecureOutcome } from "../payment/three-d-secure.ts";
import {
  type Event,
  type EventType,
  isCharge,
  isChargeType,
  type Transaction,
  withEvent,
} from "../payment/transaction.ts";
import { NOTHING_CHECKED } from "../payment/verification.ts";
import type { Answer, Approval } from "../processors/processor.ts";

/** What a processor was, or was to be, asked about. */
export interface Asked {
  readonly transaction: Transaction;
  readonly event: Event;
}

/** Undefined: nobody knows yet, so the event stays without an outcome (decision F3). */
export function outcomeOf(asked: Asked, answer: Answer, schedule: Schedule, now: Date): FirstOutcome | undefined {
  const { type } = asked.event;
  const at = timeOf(asked, now);
  const kept = (response: ProcessorResponse) => keptResponse(response, asked.transaction.card.mask);
  switch (answer.kind) {
    case "approved":
      return {
        kind: "approved",
        at,
        processorResponse: kept(answer.processorResponse),
        // By this machine's clock alone: what another says is nothing to settle by.
        settlement: settlementOf(type, answer, schedule, now),
      };
    case "declined": {
      const { category } = answer;
      const processorResponse = kept(answer.processorResponse);
      return category === "already-settled"
        ? { kind: category, at, processorResponse }
        : { kind: "declined", at, processorResponse, category };
    }
    case "not-sent":
      return {
        kind: "not-sent",
        at,
        processorResponse: ownResponse(asked, "NOTHING WAS SENT: PROCESSOR OUT OF REACH"),
      };
    case "action-required": {
      const processorResponse = kept(answer.processorResponse);
      return isCharge(asked.event)
        ? { kind: "action-required", at, processorResponse }
        : { kind: "declined", at, processorResponse, category: "authentication-required" };
    }
    case "undecided": {
      if (!isChargeType(type)) return undefined;
      const { message } = answer.processorResponse;
      const processorResponse = { ...answer.processorResponse, message: `${message}: THE CHARGE IS REVERSED` };
      return { kind: "unanswered", at, processorResponse: kept(processorResponse) };
    }
    case "pending":
      return undefined;
    case "unanswered":
      return isChargeType(type) ? neverAnswered(asked, at) : undefined;
  }
}

/**
 * When an outcome was known: not before those that the event was decided by, whatever the clocks of several machines say. So by their times
 * alone it can be told how the transaction was at an instant, and in which order money moved.
 */
const timeOf = ({ transaction, event }: Asked, now: Date): Date =>
  transaction.events
    .slice(0, event.sequence - 1)
    .reduce((last, { outcome }) => (outcome === null ? last : notBefore(outcome.at, last)), now);

/** Times of a transaction do not go back. */
export const notBefore = (earliest: Date, now: Date): Date => (now < earliest ? earliest : now);

/** Decision F2: the answer is code 91, and the charge is reversed. */
export const neverAnswered = (asked: Asked, now: Date): FirstOutcome => ({
  kind: "unanswered",
  at: timeOf(asked, now),
  processorResponse: ownResponse(asked, "NO ANSWER FROM THE PROCESSOR: THE CHARGE IS REVERSED"),
});

/** Its payer did not authenticate before the challenge expired: the charge failed, and is reversed. */
export const neverAuthenticated = (asked: Asked, now: Date): FirstOutcome => ({
  kind: "action-required",
  at: timeOf(asked, now),
  processorResponse: { ...ownResponse(asked, "NOT AUTHENTICATED IN TIME: THE CHARGE IS REVERSED"), code: "1A" },
});

export const neverAsked = (asked: Asked, now: Date): FirstOutcome => ({
  kind: "not-sent",
  at: timeOf(asked, now),
  processorResponse: ownResponse(asked, "NOTHING WAS SENT: THE GATEWAY STOPPED BEFORE IT ASKED"),
});

/** ISO 8583:1987, field 39: 91 is "issuer or switch is inoperative". */
const OUT_OF_REACH = "91";

/** Specification 2.2: `threeds_response` is null where there is no 3-D Secure data, and nowhere else. */
const ownResponse = ({ transaction, event }: Asked, message: string): ProcessorResponse => ({
  code: OUT_OF_REACH,
  message,
  transactionId: null,
  authCode: null,
  ...NOTHING_CHECKED,
  threeDSecure: isCharge(event) ? threeDSecureOutcome(transaction.threeDSecure, "not-checked") : null,
});

/** A sale and a capture move money to the merchant, a refund back; an auth and a void move none. */
const settlementOf = (type: EventType, { settlement }: Approval, schedule: Schedule, at: Date) =>
  type === "auth" || type === "void" ? null : (settlement ?? settlementTimes(schedule, at));

/** The transaction with this event's outcome, and without what others may have added after it. */
export function concludedBy(transaction: Transaction, sequence: number, outcome: Outcome): Transaction {
  const event = transaction.events[sequence - 1];
  if (event === undefined) throw new Error(`broken invariant: no event ${sequence}`);
  return withEvent(transaction, { ...event, outcome });
}

/** The end alone, of an operation that does not go on. */
export function withoutNext({ next: _, limits: __, nextWithinMs: ___, ...alone }: Conclusion): Conclusion {
  return alone;
}

/** What the journal is told of an event's end. */
export function conclusionOf(
  transaction: Transaction,
  event: Event,
  outcome: FirstOutcome,
  schedule: Schedule | undefined,
  keyedResponse: KeyedResponse | null = null,
): Conclusion {
  const learned = learnedFrom(transaction, event, outcome);
  return {
    merchantId: transaction.merchantId,
    transactionId: transaction.id,
    sequence: event.sequence,
    eventType: event.type,
    eventCreatedAt: event.createdAt,
    processorId: event.processorId,
    outcome,
    keyedResponse,
    remedy: isGivenUp(outcome) ? "reverse" : null,
    awaitsCapture: event.type === "auth" && outcome.kind === "approved" && schedule?.auto_capture_at != null,
    ...(learned && { learned }),
    ...(isUncounted(transaction, event, outcome) && { uncounted: true as const }),
  };
}

/** Of what the merchant initiates: silence is no such end, since the money may be held. */
const isUncounted = ({ onFile, initiation }: Transaction, event: Event, { kind }: FirstOutcome): boolean =>
  onFile !== undefined &&
  initiation?.initiator === "merchant" &&
  isCharge(event) &&
  (kind === "declined" || kind === "not-sent");

function learnedFrom(transaction: Transaction, event: Event, outcome: FirstOutcome): Conclusion["learned"] {
  if (transaction.onFile === undefined || !isCharge(event) || outcome.kind !== "approved") return undefined;
  const id = firstNetworkTransactionId(transaction, outcome.processorResponse.networkTransactionId);
  return id === undefined ? undefined : { cardId: transaction.onFile.cardId, networkTransactionId: id };
}
