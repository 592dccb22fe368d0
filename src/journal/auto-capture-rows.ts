// What waits to be captured by itself, as rows: which processor record is due when, and which authorizations are open.

import type { TransactionSql } from "postgres";
import type { Sql } from "./database.ts";

export interface DueCapture {
  readonly merchantId: string;
  readonly processorId: string;
  readonly dueAt: Date;
}

/** From now on the record's authorizations are captured at this instant; null: not by themselves. */
export async function setCaptureTime(
  sql: Sql | TransactionSql,
  { merchantId, processorId }: Omit<DueCapture, "dueAt">,
  dueAt: Date | null,
): Promise<void> {
  if (dueAt === null)
    await sql`delete from auto_captures where merchant_id = ${merchantId} and processor_id = ${processorId}`;
  else
    await sql`
      insert into auto_captures (merchant_id, processor_id, due_at) values (${merchantId}, ${processorId}, ${dueAt})
      on conflict (merchant_id, processor_id) do update set due_at = excluded.due_at`;
}

/** Due by this instant, in the order of time. */
export async function dueCaptures(sql: Sql, by: Date): Promise<DueCapture[]> {
  return sql<DueCapture[]>`
    select merchant_id as "merchantId", processor_id as "processorId", due_at as "dueAt"
    from auto_captures where due_at <= ${by} order by due_at, processor_id`;
}

/** Only if it is still due at that time: another node may have been faster, or the operator may have changed it. */
export async function nextCapture(sql: Sql, { merchantId, processorId, dueAt }: DueCapture, next: Date): Promise<void> {
  await sql`
    update auto_captures set due_at = ${next}
    where merchant_id = ${merchantId} and processor_id = ${processorId} and due_at = ${dueAt}`;
}

/**
 * Takes some of the open authorizations of before the due time that were not tried for it yet. Another node does not get
 * them before the lease has passed.
 */
export async function takeOpen(
  sql: Sql,
  { merchantId, processorId, dueAt }: DueCapture,
  most: number,
): Promise<string[]> {
  const rows = await sql<{ transaction_id: string }[]>`
    update open_authorizations o set taken_until = now() + interval '3 minutes'
    from (
      select transaction_id from open_authorizations
      where merchant_id = ${merchantId} and processor_id = ${processorId} and authorized_at < ${dueAt}
        and (taken_until is null or taken_until < now()) and (tried_for is null or tried_for < ${dueAt})
      order by transaction_id limit ${most} for update skip locked) taken
    where o.merchant_id = ${merchantId} and o.processor_id = ${processorId} and o.transaction_id = taken.transaction_id
    returning o.transaction_id`;
  return rows.map((row) => row.transaction_id);
}

/** Those that other nodes are at work on. */
export async function othersAtWork(sql: Sql, { merchantId, processorId, dueAt }: DueCapture): Promise<boolean> {
  const [row] = await sql<[{ there: boolean }]>`
    select exists(select from open_authorizations
      where merchant_id = ${merchantId} and processor_id = ${processorId} and authorized_at < ${dueAt}
        and taken_until >= now() and (tried_for is null or tried_for < ${dueAt})) as there`;
  return row.there;
}

/** Looked at: captured, or there was nothing to capture any more. */
export async function noLongerOpen(
  sql: Sql,
  { merchantId, processorId }: DueCapture,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    delete from open_authorizations
    where merchant_id = ${merchantId} and processor_id = ${processorId} and transaction_id in ${sql(ids)}`;
}

/** Tried without success: the next time of capture tries again. */
export async function stillOpen(
  sql: Sql,
  { merchantId, processorId, dueAt }: DueCapture,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update open_authorizations set tried_for = ${dueAt}, taken_until = null
    where merchant_id = ${merchantId} and processor_id = ${processorId} and transaction_id in ${sql(ids)}`;
}
