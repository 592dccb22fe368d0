// What a webhook says: its type, when it happened, and the transaction or dispute as the API showed it then. It is made anew from
// the database for each attempt and comes out the same, so nothing of it is stored.

import type { Sql } from "../journal/database.ts";
import { disputeAfter } from "../journal/disputes.ts";
import { toldOfPlan } from "../journal/plan-rows.ts";
import { count } from "../journal/rows.ts";
import { findTransaction } from "../journal/whole-transactions.ts";
import { showDispute } from "../merchants/disputes/dispute-schema.ts";
import { asOf } from "../payment/as-of.ts";
import { statuses } from "../payment/status.ts";
import { chargeOf, isCharge, type Transaction } from "../payment/transaction.ts";
import { timestamp } from "../validation/fields.ts";
import { SETTLED } from "./endpoint-schema.ts";
import type { Delivery } from "./outbox.ts";

export type Content =
  | { readonly kind: "body"; readonly body: string }
  /** There is nothing to tell after all. */
  | { readonly kind: "nothing" }
  /** Something of ours is wrong with this one. */
  | { readonly kind: "broken"; readonly fault: unknown };

export interface Source {
  readonly sql: Sql;
  /** The transaction as the API shows it. */
  readonly represent: (transaction: Transaction, at: Date) => Promise<object>;
}

/** About what an event takes in a body. */
const EVENT_BYTES = 700;

/** More than a dispute takes in a body. */
const DISPUTE_BYTES = 4_096;

/** More than a plan of twenty payments takes. */
const PLAN_BYTES = 8_192;

const PING_BYTES = 200;

/** About how big its body will be, without reading what will be in it. */
export async function bytesOf(
  sql: Sql,
  merchantId: string,
  { transactionId, disputeId, planId, sequence }: Delivery,
): Promise<number> {
  if (disputeId !== null) return DISPUTE_BYTES;
  if (planId !== null) return PLAN_BYTES;
  if (transactionId === null) return PING_BYTES;
  const [row] = await sql`
    select coalesce(bytes, coalesce(octet_length(details::text), 0) + coalesce(octet_length(passengers::text), 0)) as bytes
    from transactions where merchant_id = ${merchantId} and id = ${transactionId}`;
  return (row ? count(row.bytes) : 0) + sequence * EVENT_BYTES;
}

export async function contentOf({ sql, represent }: Source, merchantId: string, delivery: Delivery): Promise<Content> {
  if (delivery.disputeId !== null) return contentOfDispute(sql, merchantId, delivery.disputeId, delivery);
  if (delivery.planId !== null) return contentOfPlan(sql, merchantId, delivery.planId, delivery);
  if (delivery.transactionId === null) return contentOfPing(delivery);
  const transaction = await findTransaction(sql, merchantId, delivery.transactionId);
  try {
    return await made(transaction, delivery, represent);
  } catch (fault) {
    return { kind: "broken", fault };
  }
}

async function made(
  transaction: Transaction | undefined,
  { type, sequence, occurredAt }: Delivery,
  represent: Source["represent"],
): Promise<Content> {
  if (transaction === undefined) throw new Error("broken journal: a webhook tells of a transaction that is gone");
  // Another processor was asked after it: the charge had not ended.
  const about = transaction.events[sequence - 1];
  if (about && isCharge(about) && transaction.events.some((later) => isCharge(later) && later.sequence > sequence))
    return { kind: "nothing" };
  const then = asOf(transaction, { at: occurredAt, sequence, concluded: !type.endsWith(".pending") });
  // Money that was voided before its settlement showed has not settled.
  if (type === SETTLED && statuses(then, occurredAt)[sequence - 1] !== "settled") return { kind: "nothing" };
  // If the last processor was out of reach, the charge is the decline of the one before it.
  const event = about && isCharge(about) ? chargeOf(then) : about;
  const data = { event_id: event?.id, transaction: await represent(then, occurredAt) };
  return { kind: "body", body: JSON.stringify({ type, timestamp: timestamp(occurredAt), data }) };
}

const contentOfPing = ({ type, occurredAt }: Delivery): Content => ({
  kind: "body",
  body: JSON.stringify({ type, timestamp: timestamp(occurredAt), data: {} }),
});

async function contentOfDispute(
  sql: Sql,
  merchantId: string,
  disputeId: string,
  { type, sequence, occurredAt }: Delivery,
): Promise<Content> {
  const dispute = await disputeAfter(sql, merchantId, disputeId, sequence);
  if (dispute === undefined) return { kind: "broken", fault: new Error("a webhook tells of a dispute that is gone") };
  const data = { dispute: showDispute(dispute) };
  return { kind: "body", body: JSON.stringify({ type, timestamp: timestamp(occurredAt), data }) };
}

async function contentOfPlan(
  sql: Sql,
  merchantId: string,
  planId: string,
  { type, sequence, occurredAt }: Delivery,
): Promise<Content> {
  const told = await toldOfPlan(sql, merchantId, planId, sequence);
  if (told === undefined) return { kind: "broken", fault: new Error("a webhook tells of a plan that is gone") };
  const { payment, plan } = told;
  const data = { ...(payment !== null && { payment }), plan };
  return { kind: "body", body: JSON.stringify({ type, timestamp: timestamp(occurredAt), data }) };
}
