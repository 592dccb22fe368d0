// Intents and outcomes as the gateway writes them to a journal, for tests: every one with ids of its own.

import { v7 as uuidv7 } from "uuid";
import type { Conclusion, KeyClaim } from "../../src/journal/journal.ts";
import { amountOf } from "../../src/payment/money.ts";
import type { Approved, FirstOutcome, ProcessorResponse } from "../../src/payment/outcome.ts";
import type { Event, FollowUpType, Transaction } from "../../src/payment/transaction.ts";
import { NOTHING_CHECKED } from "../../src/payment/verification.ts";
import { told } from "../transactions.ts";

/** A transaction as it is before its charge has an outcome; with all fields that can be kept where `full`. */
export function intent(merchantId: string, createdAt: Date, given: { readonly full?: boolean } = {}): Transaction {
  const plain = told(given.full ? "CAD auth 100=60+40 pending" : "USD auth 100 pending");
  return {
    ...plain,
    ...(given.full && FULL),
    merchantId,
    id: uuidv7(),
    createdAt,
    passengers: plain.passengers?.map((passenger) => ({ ...passenger, id: uuidv7() })) ?? null,
    events: [{ ...plain.events[0], id: uuidv7(), createdAt, ipAddress: given.full ? "2001:db8::1" : null }],
  };
}

/** Characters that a database may stumble over, and a number that a double would round. */
const FULL: Partial<Transaction> = {
  merchantTransactionId: "order 'одна' \\ {1}, 100%",
  fields: { first_name: "Ана", city: "São Paulo", zip: "00501", state: "QC", dynamic_descripton: 'SHOP|"quoted"' },
  meta: '{"order":12345678901234567890,"list":[1.10,null]}',
  threeDSecure: { xid: "MDAwMDAw", eci: "05", cavv: "AAABBEg0", status: "Y", version: 2 },
};

/** The event that follows the last of this transaction. */
export function followUp(transaction: Transaction, type: FollowUpType, given: Partial<Event> = {}): Event {
  return {
    ...transaction.events[0],
    id: uuidv7(),
    sequence: transaction.events.length + 1,
    type,
    amount: amountOf(40n),
    outcome: null,
    ...given,
  };
}

const PLAIN: ProcessorResponse = {
  code: "00",
  message: "APPROVED",
  transactionId: "proc-1",
  authCode: "AB12C3",
  avs: "match",
  rawAvs: "Y",
  cvv: "match",
  rawCvv: "M",
  threeDSecure: "success",
  rawThreeDSecure: "Y",
  detail: "a detail",
};
const NOTHING_SAID: ProcessorResponse = {
  ...PLAIN,
  transactionId: null,
  authCode: null,
  ...NOTHING_CHECKED,
};

export const approved = (at: Date, settlement: Approved["settlement"] = null): FirstOutcome => ({
  kind: "approved",
  at,
  processorResponse: PLAIN,
  settlement,
});

export const ended = (kind: Exclude<FirstOutcome["kind"], "approved">, at: Date): FirstOutcome => ({
  kind,
  at,
  processorResponse: { ...NOTHING_SAID, code: "91", message: `ENDED AS ${kind}` },
});

/** What the journal is told of the end of this event. */
export function conclusion(
  transaction: Transaction,
  event: Event,
  outcome: FirstOutcome,
  given: Partial<Conclusion> = {},
): Conclusion {
  return {
    merchantId: transaction.merchantId,
    transactionId: transaction.id,
    sequence: event.sequence,
    eventType: event.type,
    eventCreatedAt: event.createdAt,
    processorId: event.processorId,
    outcome,
    keyedResponse: null,
    remedy: null,
    awaitsCapture: false,
    ...given,
  };
}

export const claim = (key: string, request = "request"): KeyClaim => ({ key, requestHash: Buffer.from(request) });
