// Deliveries as the operator sees them: what became of each, and sending again what was delivered or given up.

import Type from "typebox";
import type { Sql } from "../journal/database.ts";
import { count, flag, instant, orNull, rowReader, text } from "../journal/rows.ts";
import { audited } from "../merchants/audit.ts";
import {
  type Author,
  type Backoffice,
  type Done,
  done,
  type Invalid,
  invalid,
  startOf,
  type Unknown,
  unknown,
} from "../merchants/backoffice.ts";
import { nullable, Timestamp, timestamp, Uuid } from "../validation/fields.ts";
import { MUST_BE, noProblems, problemsOf } from "../validation/problems.ts";
import { PING, WEBHOOK_TYPES } from "./endpoint-schema.ts";
import { findWebhook } from "./endpoints.ts";

/** `waiting`: for its time, or for its next attempt. */
export const DELIVERY_STATUSES = ["waiting", "delivered", "failed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const WebhookDelivery = Type.Object({
  id: { ...Uuid, description: "The header `webhook-id`: the same at each attempt." },
  type: Type.Enum([...WEBHOOK_TYPES, PING]),
  transaction_id: nullable(Uuid, { description: "Null of a ping, and of what tells of a plan." }),
  dispute_id: nullable(Uuid, { description: "The dispute that it tells of; null if it tells of none." }),
  plan_id: nullable(Uuid, { description: "The plan that it tells of; null if it tells of none." }),
  timestamp: { ...Timestamp, description: "When what it tells of happened." },
  status: Type.Enum([...DELIVERY_STATUSES], {
    description: "`waiting` for its time or its next attempt; `failed` after the last attempt.",
  }),
  attempts: Type.Integer(),
  next_attempt_at: nullable(Timestamp, { description: "Null if there is none." }),
  last_attempt_at: nullable(Timestamp, {}),
  last_answer: nullable(Type.String(), {
    description: "The status of the last response, or why there was none.",
    examples: ["204", "ECONNREFUSED"],
  }),
});
export type WebhookDelivery = Type.Static<typeof WebhookDelivery>;

const REPLAY = "either delivery_id, or since and until";
const Instant = Type.String({
  format: "date-time",
  [MUST_BE]: "a time with its offset from UTC, like 2026-02-16T00:00:00Z",
  examples: ["2026-02-16T00:00:00Z"],
});
export const Replay = Type.Object(
  {
    delivery_id: Type.Optional({ ...Uuid, description: "This one." }),
    since: Type.Optional({ ...Instant, description: "With `until`: what happened from this instant on." }),
    until: Type.Optional({ ...Instant, description: "With `since`: what happened before this instant." }),
  },
  { description: "What is sent again.", [MUST_BE]: REPLAY, minProperties: 1 },
);
type Replay = Type.Static<typeof Replay>;

export interface DeliveryPart {
  /** Only what is older than the delivery with this id. */
  readonly before?: string;
  readonly status?: DeliveryStatus;
  /** Only what happened to this one. */
  readonly transactionId?: string;
  readonly limit: number;
}

/** Newest first. Undefined where there is no such endpoint. */
export async function listDeliveries(
  sql: Sql,
  endpointId: string,
  { before, status, transactionId, limit }: DeliveryPart,
): Promise<WebhookDelivery[] | undefined> {
  const webhook = await findWebhook(sql, endpointId);
  if (webhook === undefined) return undefined;
  const wanted = {
    waiting: sql`and due_at is not null`,
    delivered: sql`and due_at is null and delivered`,
    failed: sql`and due_at is null and not delivered`,
  };
  const rows = await sql`
    select * from webhook_deliveries
    where merchant_id = ${webhook.merchant_id} and endpoint_id = ${webhook.id}
      ${transactionId === undefined ? sql`` : sql`and transaction_id = ${transactionId}`}
      ${before === undefined ? sql`` : sql`and id < ${before}`} ${status === undefined ? sql`` : wanted[status]}
    order by id desc limit ${limit}`;
  return rows.map((row) => show(deliveryRow(row)));
}

/** Undefined where there is none. */
export async function findDelivery(sql: Sql, endpointId: string, id: string): Promise<WebhookDelivery | undefined> {
  const [row] = await sql`
    select d.* from webhook_endpoints e join webhook_deliveries d on d.merchant_id = e.merchant_id and d.endpoint_id = e.id
    where e.id = ${endpointId} and e.deleted_at is null and d.id = ${id}`;
  return row && show(deliveryRow(row));
}

const PORTION = 1_000;

/**
 * Makes due again what was delivered or given up: it is sent under its old id, as if for the first time.
 * @returns how many
 */
export async function replay(
  office: Backoffice,
  author: Author,
  endpointId: string,
  input: unknown,
): Promise<Done<number> | Invalid | Unknown> {
  const webhook = await findWebhook(office.sql, endpointId);
  if (webhook === undefined) return unknown("webhook", endpointId);
  const problems = problemsOf(Replay, input);
  if (!noProblems(problems)) return invalid(problems);
  const { delivery_id: id, since, until } = input as Replay;
  if (id === undefined ? !since || !until : since || until) return invalid({ base: [`must be ${REPLAY}`] });
  const { sql, clock } = office;
  const which =
    id === undefined
      ? sql`type <> ${PING} and occurred_at >= ${new Date(since ?? 0)} and occurred_at < ${new Date(until ?? 0)}`
      : sql`id = ${id}`;
  let replayed = 0;
  // One walk along the ids, in portions.
  for (let after = startOf({}), some = PORTION; some === PORTION; replayed += some) {
    const again = await sql`
      update webhook_deliveries
      set due_at = ${clock.now()}, attempts = 0, ended_at = null, delivered = false
      where merchant_id = ${webhook.merchant_id} and endpoint_id = ${webhook.id} and id = any(array(
        select id from webhook_deliveries
        where merchant_id = ${webhook.merchant_id} and endpoint_id = ${webhook.id} and due_at is null and id > ${after}
          and ${which}
        order by id limit ${PORTION} for update skip locked))
      returning id`;
    some = again.length;
    after = again.map((row) => text(row.id)).reduce((last, each) => (each > last ? each : last), after);
  }
  if (id !== undefined && replayed === 0 && !(await isThere(sql, webhook.merchant_id, webhook.id, id)))
    return unknown("delivery", id);
  // It is done by now, so its entry is not refused for what else the merchant's people do.
  const { merchantId: _, ...teller } = author;
  return audited(office, teller, async () => ({
    result: done(replayed),
    entry: { action: "webhook.replay", subject: ["webhook", webhook.id], after: { ...(input as object), replayed } },
  }));
}

async function isThere(sql: Sql, merchantId: string, endpointId: string, id: string): Promise<boolean> {
  const rows = await sql`
    select 1 from webhook_deliveries where merchant_id = ${merchantId} and endpoint_id = ${endpointId} and id = ${id}`;
  return rows.length > 0;
}

interface DeliveryRow {
  readonly id: string;
  readonly type: string;
  readonly transaction_id: string | null;
  readonly dispute_id: string | null;
  readonly plan_id: string | null;
  readonly occurred_at: Date;
  readonly due_at: Date | null;
  readonly attempts: number;
  readonly attempted_at: Date | null;
  readonly answer: string | null;
  readonly delivered: boolean;
}

const deliveryRow = rowReader<DeliveryRow>("webhook_deliveries", {
  id: text,
  type: text,
  transaction_id: orNull(text),
  dispute_id: orNull(text),
  plan_id: orNull(text),
  occurred_at: instant,
  due_at: orNull(instant),
  attempts: count,
  attempted_at: orNull(instant),
  answer: orNull(text),
  delivered: flag,
});

const show = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  type: row.type,
  transaction_id: row.transaction_id,
  dispute_id: row.dispute_id,
  plan_id: row.plan_id,
  timestamp: timestamp(row.occurred_at),
  status: row.due_at !== null ? "waiting" : row.delivered ? "delivered" : "failed",
  attempts: row.attempts,
  // A ping is due before it was asked for, so that it is the first in line.
  next_attempt_at: row.due_at && timestamp(row.due_at < row.occurred_at ? row.occurred_at : row.due_at),
  last_attempt_at: row.attempted_at && timestamp(row.attempted_at),
  last_answer: row.answer,
});
