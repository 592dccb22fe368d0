// Which of a merchant's transactions go next: the oldest that are here, up to the first that is not over. Nothing is changed here.

import type { Sql } from "../journal/database.ts";
import { count, instant, orNull, rowReader, text, wholeNumber } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { OPEN_STATES } from "../payment/dispute.ts";

/** Of one file, and of one database transaction that removes. */
const MOST_TRANSACTIONS = 1_000;
const MOST_BYTES = 16 * 1024 * 1024;

export interface Candidate {
  readonly number: number;
  readonly id: string;
  readonly createdAt: Date;
  /** The last that happened to it, its settlement included. */
  readonly lastChange: Date;
  readonly bytes: number;
  /** Why it cannot go yet. */
  readonly why: string | null;
}

export interface Plan {
  /** Without gaps, the oldest first. */
  readonly leaving: readonly Candidate[];
  /** The oldest that stays although it was created before the day, and with it all that came later. */
  readonly stays: Candidate | null;
}

/** @param after the last number that is archived, or planned already */
export async function planPortion(sql: Sql, merchantId: string, before: Date, after: number): Promise<Plan> {
  const rows = await sql.begin(async (one) => {
    await one`set local statement_timeout = 0`;
    return one`${candidates(one, merchantId, before, after)}`;
  });
  const leaving: Candidate[] = [];
  let bytes = 0;
  for (const candidate of rows.map(candidateRow)) {
    if (candidate.why !== null) return { leaving, stays: candidate };
    bytes += candidate.bytes;
    if (leaving.length > 0 && bytes > MOST_BYTES) break;
    leaving.push(candidate);
  }
  return { leaving, stays: null };
}

const candidateRow = rowReader<Candidate>("transactions", {
  number: (value) => Number(wholeNumber(value)),
  id: text,
  createdAt: instant,
  lastChange: instant,
  bytes: count,
  why: orNull(text),
});

const candidates = (sql: TransactionSql, merchantId: string, before: Date, after: number) => sql`
  select t.number, t.id, t.created_at as "createdAt", c.last_change as "lastChange", coalesce(t.bytes, 0) as bytes, case
    when c.open then 'one of its operations has no outcome yet'
    when exists (select from unresolved u where u.merchant_id = ${merchantId} and u.transaction_id = t.id)
      then 'the gateway is still resolving it'
    when exists (select from open_authorizations a where a.merchant_id = ${merchantId} and a.transaction_id = t.id)
      then 'it is waiting for its automatic capture'
    when exists (select from waiting_notifications w where w.merchant_id = ${merchantId} and w.transaction_id = t.id)
      then 'a notification about it has not been applied yet'
    when exists (select from disputes d where d.merchant_id = ${merchantId} and d.transaction_id = t.id
      and d.state = any(${[...OPEN_STATES]})) then 'a dispute over it is open'
    when t.id in (select d.transaction_id from webhook_deliveries d
      where d.merchant_id = ${merchantId} and d.due_at is not null) then 'a webhook about it has not been delivered yet'
    when c.last_change >= ${before} or exists (select from disputes d
      where d.merchant_id = ${merchantId} and d.transaction_id = t.id and d.updated_at >= ${before})
      then 'it changed later'
  end as why
  from (
    select number, id, created_at, bytes from transactions
    where merchant_id = ${merchantId} and number > ${after} order by number limit ${MOST_TRANSACTIONS}
  ) t
  cross join lateral (
    select bool_or(o.kind is null) as open,
      greatest(t.created_at, max(e.created_at), max(o.created_at), max(o.visible_at), max(f.created_at)) as last_change
    from events e left join outcomes o using (merchant_id, transaction_id, sequence)
      left join late_failures f using (merchant_id, transaction_id, sequence)
    where e.merchant_id = ${merchantId} and e.transaction_id = t.id
  ) c
  where t.created_at < ${before} order by t.number`;
