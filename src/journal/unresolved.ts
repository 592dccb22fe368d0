// The table of unresolved events: events without an outcome, and unanswered charges that are still to be reversed. Each waits
// for one processor record, is leased to one node at a time, and goes when it is resolved.

import type { Sql } from "./database.ts";
import type { EventPlace, Remedy } from "./journal.ts";
import type { TransactionSql } from "./sql/sql.ts";

export interface UnresolvedEvent extends EventPlace {
  readonly processorId: string;
  readonly remedy: Remedy;
  readonly attempts: number;
}

/** What an attempt without success came to. */
export interface Attempt {
  readonly at: Date;
  /** For the operator, one line: `no answer within 2000 ms`. */
  readonly said: string;
}

/** The first attempt is kept, and so many of the last. */
export const LAST_ATTEMPTS_KEPT = 20;

/** Those for which something is due; one look into the index for each. */
export async function dueProcessors(sql: Sql, now: Date): Promise<string[]> {
  const rows = await sql<{ processor_id: string }[]>`
    with recursive waiting as (
      (select processor_id from unresolved where due_at <= ${now} order by processor_id limit 1)
      union all
      select (select u.processor_id from unresolved u where u.processor_id > waiting.processor_id and u.due_at <= ${now}
        order by u.processor_id limit 1)
      from waiting where waiting.processor_id is not null
    )
    select processor_id from waiting where processor_id is not null`;
  return rows.map(({ processor_id }) => processor_id);
}

/** Of a transaction only the first event that is asked for, so that nothing overtakes; what was accepted stops nobody. */
export async function leaseDue(
  sql: Sql,
  node: number,
  processorId: string,
  now: Date,
  leaseMs: number,
  most: number,
): Promise<UnresolvedEvent[]> {
  const taken = await sql<UnresolvedEvent[]>`
    update unresolved u set taken_by = ${node}, taken_until = ${new Date(now.getTime() + leaseMs)}, attempts = u.attempts + 1
    from (
      select merchant_id, transaction_id, sequence from unresolved w
      where processor_id = ${processorId} and due_at <= ${now} and (taken_until is null or taken_until <= ${now})
        and not exists (select from unresolved b
          where b.merchant_id = w.merchant_id and b.transaction_id = w.transaction_id and b.sequence < w.sequence
            and b.remedy <> 'await')
      order by due_at limit ${most} for update skip locked
    ) due
    where (u.merchant_id, u.transaction_id, u.sequence) = (due.merchant_id, due.transaction_id, due.sequence)
    returning u.merchant_id as "merchantId", u.transaction_id as "transactionId", u.sequence,
      u.processor_id as "processorId", u.remedy, u.attempts`;
  return [...taken];
}

export async function renew(sql: Sql, node: number, event: EventPlace, now: Date, leaseMs: number): Promise<void> {
  const { merchantId, transactionId, sequence } = event;
  await sql`
    update unresolved set taken_until = ${new Date(now.getTime() + leaseMs)}
    where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence}
      and taken_by = ${node}`;
}

/** The leases of a dead node end at once. */
export async function releaseAllOf(sql: Sql | TransactionSql, node: number): Promise<void> {
  await sql`update unresolved set taken_by = null, taken_until = null where taken_by = ${node}`;
}

/** @param remedy another one from now on */
export async function putOff(
  sql: Sql,
  event: EventPlace,
  { at, said }: Attempt,
  dueAt: Date,
  remedy: Remedy | null,
): Promise<void> {
  const { merchantId, transactionId, sequence } = event;
  await sql`
    update unresolved set due_at = ${dueAt}, remedy = coalesce(${remedy}::text, remedy), taken_by = null, taken_until = null,
      history = case when jsonb_array_length(history) > ${LAST_ATTEMPTS_KEPT} then history - 1 else history end
        || jsonb_build_object('at', ${at.toISOString()}::text, 'said', ${said}::text)
    where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence}`;
}

/** What was put off and is not leased. */
export async function dueAtOnce(sql: Sql, processorId: string, now: Date, most: number | null): Promise<void> {
  await sql`
    update unresolved u set due_at = ${now}
    from (
      select merchant_id, transaction_id, sequence from unresolved
      where processor_id = ${processorId} and due_at > ${now} and (taken_until is null or taken_until <= ${now})
      order by due_at limit ${most} for update skip locked
    ) put_off
    where (u.merchant_id, u.transaction_id, u.sequence)
      = (put_off.merchant_id, put_off.transaction_id, put_off.sequence)`;
}

/** @param confirmedAt when the processor confirmed that nothing of a charge is held or taken */
export async function resolved(sql: Sql, event: EventPlace, confirmedAt: Date | null): Promise<void> {
  const { merchantId, transactionId, sequence } = event;
  await sql`
    with gone as (
      delete from unresolved
      where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence}
    )
    insert into confirmed_reversals (merchant_id, transaction_id, sequence, created_at)
    select ${merchantId}::uuid, ${transactionId}::uuid, ${sequence}::int, ${confirmedAt}::timestamptz
    where ${confirmedAt !== null} on conflict do nothing`;
}
