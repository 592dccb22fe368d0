// The tables of processors' notifications: each is stored once, as it came, and queued until it is applied. What to do about it is
// decided elsewhere.

import type { Heard, Made, News } from "../payment/news.ts";
import { arrayOf } from "./columns.ts";
import { uncounting } from "./consent-charges.ts";
import type { Sql } from "./database.ts";
import { isOf } from "./distribution.ts";
import type { EventPlace } from "./journal.ts";
import { leaseEnd, unleased } from "./lease.ts";
import { turnsOf } from "./merchants-there.ts";
import type { TransactionSql } from "./sql/sql.ts";
import { newsFrom, type StoredNews, storedNews } from "./stored-news.ts";

export interface NotificationPlace {
  readonly merchantId: string;
  readonly processorId: string;
  /** The kind's. */
  readonly id: string;
}

export interface NewNotification {
  readonly id: string;
  readonly occurredAt: Date;
  /** UUIDs. */
  readonly about: { readonly transactionId: string; readonly reference: string } | null;
  readonly news: News;
  readonly said: string;
}

export interface WaitingNotification extends NotificationPlace, Pick<NewNotification, "occurredAt" | "about" | "news"> {
  readonly receivedAt: Date;
  /** This one included. */
  readonly attempts: number;
}

/** `known`: it said nothing new. `kept`: for the operator to look at. */
export type Result = "applied" | "known" | "kept";

/**
 * Durable when it resolves. Those that are there already are left as they are. Rows are written in the order of their ids: two nodes
 * that are told the same in different orders would otherwise wait for each other.
 */
export async function keepNotifications(
  sql: TransactionSql,
  { merchantId, processorId }: Omit<NotificationPlace, "id">,
  notifications: readonly NewNotification[],
  now: Date,
): Promise<void> {
  if (notifications.length === 0) return;
  const texts = (of: (one: NewNotification) => string | null) => arrayOf(sql, "text", notifications.map(of));
  await sql`
    with input as materialized (
      select * from unnest(${texts(({ id }) => id)}, ${texts(({ news }) => news.kind)},
        ${texts(({ about }) => about?.transactionId ?? null)}, ${texts(({ about }) => about?.reference ?? null)},
        ${texts(({ occurredAt }) => occurredAt.toISOString())}, ${texts(({ said }) => said)},
        ${texts(({ news }) => JSON.stringify(storedNews(news)))})
        with ordinality as i(id, kind, transaction_id, reference, occurred_at, said, news, place)
    ),
    kept as (
      insert into notifications
        (merchant_id, processor_id, id, kind, transaction_id, reference, occurred_at, said, news, created_at)
      select ${merchantId}::uuid, ${processorId}::uuid, id, kind, transaction_id::uuid, reference, occurred_at::timestamptz,
        said, news::json, ${now}::timestamptz
      from input order by id, place
      on conflict do nothing returning id
    )
    insert into waiting_notifications (merchant_id, processor_id, id, transaction_id, attempts, due_at)
    select ${merchantId}::uuid, ${processorId}::uuid, i.id, case when i.kind <> 'made' then i.transaction_id::uuid end, 0,
      ${now}::timestamptz
    from input i join kept using (id) order by i.place
    on conflict do nothing`;
}

/** What else this record was told of the same event, the first told first. */
export async function heardBeside(
  sql: Sql,
  { merchantId, processorId, id, about }: Pick<WaitingNotification, "merchantId" | "processorId" | "id" | "about">,
): Promise<readonly Heard[]> {
  if (about === null) return [];
  const rows = await sql<{ news: StoredNews }[]>`
    select news from notifications
    where merchant_id = ${merchantId} and processor_id = ${processorId} and transaction_id = ${about.transactionId}
      and reference = ${about.reference} and id <> ${id}
    order by created_at, id limit ${MOST_HEARD}`;
  return rows.map(({ news }) => newsFrom(news)).filter(isHeard);
}

/**
 * What this record told of a transaction that it had done by itself is applied once more, since something else may follow from it now. What
 * became of it the first time stays on record.
 * @param type only this
 */
export async function applyMadeAgain(
  sql: Sql,
  { merchantId, processorId }: Omit<NotificationPlace, "id">,
  transactionId: string,
  type: Made["type"] | "all",
  now: Date,
): Promise<void> {
  // One that a node is at work on may have been decided by what was on record before: without its lease it stays in the queue.
  await sql`
    insert into waiting_notifications (merchant_id, processor_id, id, transaction_id, attempts, due_at)
    select merchant_id, processor_id, id, null, 0, ${now}::timestamptz from notifications
    where merchant_id = ${merchantId} and processor_id = ${processorId} and transaction_id = ${transactionId}
      and (kind = 'made' and ${type} in ('all', news ->> 'type') or kind = 'reversed' and ${type} = 'all')
    order by created_at, id limit ${MOST_HEARD}
    on conflict (merchant_id, processor_id, id) do update set due_at = excluded.due_at, taken_until = null`;
}

/**
 * The same for what named a payment by the processor's name alone, such as under a reference that somebody typed: whose it is may be known
 * only now.
 */
export async function applyMadeToPayment(
  sql: Sql,
  { merchantId, processorId }: Omit<NotificationPlace, "id">,
  payment: string,
  now: Date,
): Promise<void> {
  await sql`
    insert into waiting_notifications (merchant_id, processor_id, id, transaction_id, attempts, due_at)
    select merchant_id, processor_id, id, null, 0, ${now}::timestamptz from notifications
    where merchant_id = ${merchantId} and processor_id = ${processorId} and news ->> 'payment' = ${payment}
      and transaction_id is null and kind = 'made'
    order by created_at, id limit ${MOST_HEARD}
    on conflict (merchant_id, processor_id, id) do update set due_at = excluded.due_at, taken_until = null`;
}

/** Processors tell of an event a few times. */
const MOST_HEARD = 200;

const isHeard = (news: News): news is Heard & News =>
  news.kind === "succeeded" || news.kind === "failed" || news.kind === "reversed";

/** Which charge this notification of the record's is about. */
export async function aboutOf(
  sql: Sql,
  { merchantId, processorId, id }: NotificationPlace,
): Promise<WaitingNotification["about"]> {
  const [row] = await sql<{ transaction_id: string | null; reference: string | null }[]>`
    select transaction_id, reference from notifications
    where merchant_id = ${merchantId} and processor_id = ${processorId} and id = ${id}`;
  const { transaction_id: transactionId = null, reference = null } = row ?? {};
  return transactionId !== null && reference !== null ? { transactionId, reference } : null;
}

/** Whether this has come for this record, applied or not. */
export async function isTold(sql: Sql, { merchantId, processorId, id }: NotificationPlace): Promise<boolean> {
  const [told] = await sql`
    select from notifications where merchant_id = ${merchantId} and processor_id = ${processorId} and id = ${id}`;
  return told !== undefined;
}

/**
 * In the order in which they came, and of a transaction only the first for each record, so that none overtakes. What a processor made by
 * itself may wait for what is told after it, and keeps nothing waiting.
 */
export async function leaseNotifications(
  sql: Sql,
  now: Date,
  leaseMs: number,
  most: number,
): Promise<readonly WaitingNotification[]> {
  const leased: WaitingNotification[] = [];
  for (const merchantId of await turnsOf(sql, "waiting_notifications", sql`due_at <= ${now} and ${unleased(sql, now)}`))
    if (leased.length < most) leased.push(...(await leaseSome(sql, merchantId, now, leaseMs, most - leased.length)));
  return leased;
}

async function leaseSome(
  sql: Sql,
  merchantId: string | undefined,
  now: Date,
  leaseMs: number,
  most: number,
): Promise<readonly WaitingNotification[]> {
  const rows = await sql<Row[]>`
    with due as (
      update waiting_notifications u set taken_until = ${leaseEnd(sql, now, leaseMs)}, attempts = u.attempts + 1
      from (
        select merchant_id, processor_id, id from waiting_notifications w
        where ${isOf(sql, merchantId)} and due_at <= ${now} and ${unleased(sql, now)}
          and not exists (select from waiting_notifications b where ${isOf(sql, merchantId, "b")} and b.merchant_id = w.merchant_id
            and b.processor_id = w.processor_id and b.transaction_id = w.transaction_id and b.number < w.number)
        order by number limit ${most} for update skip locked
      ) due
      where ${isOf(sql, merchantId, "u")} and (u.merchant_id, u.processor_id, u.id) = (due.merchant_id, due.processor_id, due.id)
      returning u.merchant_id, u.processor_id, u.id, u.attempts, u.number
    )
    select n.merchant_id, n.processor_id, n.id, n.transaction_id, n.reference, n.occurred_at, n.created_at, n.news, d.attempts
    from due d join notifications n using (merchant_id, processor_id, id)
    where ${isOf(sql, merchantId, "n")} order by d.number`;
  return rows.map(waitingFrom);
}

/** An event that is not to be asked about any more. */
export interface EndedWait extends EventPlace {
  /** It is a charge that was given up, and was taken back. */
  readonly reversed: boolean;
}

/**
 * It goes from the queue, unless it is to be applied again since.
 * @param ended the event that waited for this end
 */
export async function noteApplied(
  sql: Sql,
  { merchantId, processorId, id }: NotificationPlace,
  result: Result,
  why: string | null,
  now: Date,
  ended: EndedWait | null,
): Promise<void> {
  await sql`
    with gone as (
      delete from waiting_notifications
      where merchant_id = ${merchantId} and processor_id = ${processorId} and id = ${id} and taken_until is not null
    ),
    ended as (
      delete from unresolved where merchant_id = ${merchantId}
        and transaction_id = ${ended?.transactionId ?? null}::uuid and sequence = ${ended?.sequence ?? null}::int
    ),
    reversed as (
      insert into confirmed_reversals (merchant_id, transaction_id, sequence, created_at)
      select ${merchantId}::uuid, ${ended?.transactionId ?? null}::uuid, ${ended?.sequence ?? null}::int, ${now}::timestamptz
      where ${ended?.reversed === true} on conflict do nothing
    )${ended?.reversed ? sql`, uncounted as (${uncounting(sql, merchantId, ended.transactionId)})` : sql``}
    insert into applied_notifications (merchant_id, processor_id, id, result, why, created_at)
    values (${merchantId}, ${processorId}, ${id}, ${result}, ${why}, ${now}) on conflict do nothing`;
}

/** Of one that is being applied: the lease begins anew. */
export async function renewNotification(
  sql: Sql,
  { merchantId, processorId, id }: NotificationPlace,
  now: Date,
  leaseMs: number,
): Promise<void> {
  await sql`
    update waiting_notifications set taken_until = ${leaseEnd(sql, now, leaseMs)}
    where merchant_id = ${merchantId} and processor_id = ${processorId} and id = ${id} and taken_until is not null`;
}

/** Given back, to be applied later. */
export async function putOffNotification(
  sql: Sql,
  { merchantId, processorId, id }: NotificationPlace,
  dueAt: Date,
): Promise<void> {
  await sql`
    update waiting_notifications set due_at = ${dueAt}, taken_until = null
    where merchant_id = ${merchantId} and processor_id = ${processorId} and id = ${id}`;
}

/** The same of one that was only leased: that was no attempt. */
export async function putOffUntried(
  sql: Sql,
  { merchantId, processorId, id }: NotificationPlace,
  dueAt: Date,
): Promise<void> {
  await sql`
    update waiting_notifications set due_at = ${dueAt}, taken_until = null, attempts = greatest(attempts - 1, 0)
    where merchant_id = ${merchantId} and processor_id = ${processorId} and id = ${id}`;
}

interface Row {
  readonly merchant_id: string;
  readonly processor_id: string;
  readonly id: string;
  readonly transaction_id: string | null;
  readonly reference: string | null;
  readonly occurred_at: Date;
  readonly created_at: Date;
  readonly news: StoredNews;
  readonly attempts: number;
}

function waitingFrom(row: Row): WaitingNotification {
  const { transaction_id: transactionId, reference } = row;
  return {
    merchantId: row.merchant_id,
    processorId: row.processor_id,
    id: row.id,
    about: transactionId !== null && reference !== null ? { transactionId, reference } : null,
    occurredAt: row.occurred_at,
    receivedAt: row.created_at,
    news: newsFrom(row.news),
    attempts: row.attempts,
  };
}
