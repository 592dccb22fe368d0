// What a restored copy of the database has, what in it does not fit together, and what the running database has beyond it. Reads only.

import type { Sql } from "./database.ts";
import { count, instant, orNull, rowReader, text, wholeNumber } from "./rows.ts";
import type { TransactionSql } from "./sql/sql.ts";

type Asked = Sql | TransactionSql;

/** Approved money of one currency and operation. */
export interface Approved {
  readonly currency: string;
  readonly type: string;
  readonly operations: number;
  /** Hundredths. */
  readonly amount: bigint;
}

export interface Contents {
  readonly merchants: number;
  readonly transactions: number;
  readonly operations: number;
  /** Without an outcome: after a restore, gateways would reverse or repeat them. */
  readonly open: number;
  readonly newestOperationAt: Date | null;
  /** The last sign of life of a gateway, by the database's clock. */
  readonly lastSeenAt: Date | null;
  /** The last commit that was replayed from the log. */
  readonly replayedUntil: Date | null;
  readonly now: Date;
}

const contentsRow = rowReader<Contents>("contents", {
  ...{ merchants: count, transactions: count, operations: count, open: count },
  newestOperationAt: orNull(instant),
  lastSeenAt: orNull(instant),
  replayedUntil: orNull(instant),
  now: instant,
});

/** Reads the whole journal. */
export async function contentsOf(sql: Asked): Promise<Contents> {
  const [row] = await sql<[object]>`
    select (select count(*) from merchants)::int as merchants, (select count(*) from transactions)::float8 as transactions,
      e.operations, e.open, e."newestOperationAt", (select max(seen_at) from nodes) as "lastSeenAt",
      pg_last_xact_replay_timestamp() as "replayedUntil", clock_timestamp() as now
    from (select count(*)::float8 as operations, max(e.created_at) as "newestOperationAt",
        count(*) filter (where o.kind is null)::float8 as open
      from events e left join outcomes o using (merchant_id, transaction_id, sequence)) e`;
  return contentsRow(row);
}

const approvedRow = rowReader<Approved>("outcomes", {
  currency: text,
  type: text,
  operations: count,
  amount: wholeNumber,
});

/** @param until the last instant of events and of outcomes, included */
export async function approvedOf(sql: Asked, from: Date, until: Date): Promise<readonly Approved[]> {
  const rows = await sql`
    select t.currency, e.type, count(*)::float8 as operations, sum(e.amount)::text as amount
    from events e join outcomes o using (merchant_id, transaction_id, sequence)
      join transactions t on t.merchant_id = e.merchant_id and t.id = e.transaction_id
    where o.kind = 'approved' and e.created_at between ${from} and ${until} and o.created_at <= ${until}
    group by 1, 2 order by 1, 2`;
  return rows.map(approvedRow);
}

/** What cannot be in a journal that is whole, in words. Reads all of it. */
export async function inconsistenciesOf(sql: Asked): Promise<readonly string[]> {
  const found: string[] = [];
  const counted = async (rows: Promise<readonly object[]>, words: string) => {
    const [row] = await rows;
    const amount = count((row as { amount?: unknown } | undefined)?.amount);
    if (amount > 0) found.push(`${amount} ${words}`);
  };
  await counted(
    sql`select count(*)::float8 as amount from merchant_counters c
      left join (select merchant_id, count(*) as there, max(number) as newest from transactions group by 1) t using (merchant_id)
      left join (select merchant_id, count(*) as there from archived_transactions group by 1) a using (merchant_id)
      where c.transactions <> coalesce(t.there, 0) + coalesce(a.there, 0)
        or (t.newest is not null and t.newest <> c.transactions)`,
    "merchants whose transactions are not numbered without gaps",
  );
  await counted(
    sql`select count(*)::float8 as amount from events e
      where not exists (select from transactions t where t.merchant_id = e.merchant_id and t.id = e.transaction_id)`,
    "operations without their transaction",
  );
  await counted(
    sql`select count(*)::float8 as amount from transactions t where not exists (
      select from events e where e.merchant_id = t.merchant_id and e.transaction_id = t.id and e.sequence = 1)`,
    "transactions without their first operation",
  );
  await counted(
    sql`select count(*)::float8 as amount from outcomes o where not exists (select from events e
      where e.merchant_id = o.merchant_id and e.transaction_id = o.transaction_id and e.sequence = o.sequence)`,
    "outcomes without their operation",
  );
  return found;
}

export interface OperationPlace {
  readonly transaction: string;
  readonly sequence: number;
}

const placeRow = rowReader<OperationPlace>("events", { transaction: text, sequence: count });

/** The operations of a short stretch of time. */
export async function operationsBetween(sql: Asked, after: Date, until: Date): Promise<readonly OperationPlace[]> {
  const rows = await sql`
    select transaction_id as transaction, sequence from events where created_at > ${after} and created_at <= ${until}`;
  return rows.map(placeRow);
}

/** @returns how many operations are newer; all of them without an instant */
export async function operationsAfter(sql: Asked, after: Date | null): Promise<number> {
  const [row] = await sql<[{ amount: number }]>`
    select count(*)::float8 as amount from events where created_at > ${after ?? new Date(0)}`;
  return row.amount;
}

/** The money of what is newer. */
export async function approvedAfter(sql: Asked, after: Date | null): Promise<readonly Approved[]> {
  const rows = await sql`
    select t.currency, e.type, count(*)::float8 as operations, sum(e.amount)::text as amount
    from events e join outcomes o using (merchant_id, transaction_id, sequence)
      join transactions t on t.merchant_id = e.merchant_id and t.id = e.transaction_id
    where o.kind = 'approved' and e.created_at > ${after ?? new Date(0)}
    group by 1, 2 order by 1, 2`;
  return rows.map(approvedRow);
}

const MOST_OPEN = 10_000;

/** Operations without an outcome that are not older than this, at most ten thousand. */
export async function openOperationsSince(sql: Asked, since: Date): Promise<readonly OperationPlace[]> {
  const rows = await sql`
    select e.transaction_id as transaction, e.sequence from events e
      left join outcomes o using (merchant_id, transaction_id, sequence)
    where e.created_at >= ${since} and o.kind is null limit ${MOST_OPEN}`;
  return rows.map(placeRow);
}

/** @returns how many of these have an outcome here */
export async function endedOf(sql: Asked, places: readonly OperationPlace[], since: Date): Promise<number> {
  if (places.length === 0) return 0;
  const [row] = await sql<[{ amount: number }]>`
    select count(*)::float8 as amount
    from jsonb_to_recordset(${JSON.stringify(places)}::text::jsonb) as p (transaction uuid, sequence int)
      join events e on e.transaction_id = p.transaction and e.sequence = p.sequence and e.created_at >= ${since}
      join outcomes o on o.merchant_id = e.merchant_id and o.transaction_id = e.transaction_id and o.sequence = e.sequence`;
  return row.amount;
}
