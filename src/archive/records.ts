// Transactions as an archive has them: a record is all rows of one transaction, in all tables of the journal, as PostgreSQL itself
// writes them as JSON. So they come back exactly as they were.

import { createHash } from "node:crypto";
import { arrayOf } from "../journal/columns.ts";
import { rowReader, text, wholeNumber } from "../journal/rows.ts";
import { forgetBlocks } from "../journal/search/prepare-blocks.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";

/** A merchant's transactions from one number to another, both included. */
export interface Numbers {
  readonly merchantId: string;
  readonly first: number;
  readonly last: number;
}

/** The rows of a record by table. */
const TABLES = [
  ...["transactions", "events", "outcomes", "late_failures"],
  ...["challenges", "confirmed_reversals", "trace_numbers"],
] as const;
export type Rows = { readonly [table in (typeof TABLES)[number]]: readonly Readonly<Record<string, unknown>>[] };

/** @returns JSON texts, the oldest first */
export async function readRecords(sql: TransactionSql, numbers: Numbers): Promise<readonly string[]> {
  const rows = await sql`${records(sql, numbers)}`;
  return rows.map((row) => recordRow(row).record);
}

const recordRow = rowReader("transactions", { record: text });

const records = (sql: TransactionSql, { merchantId, first, last }: Numbers) => sql`
  select t.number, json_build_object(
    'transactions', json_build_array(row_to_json(t)),
    'events', (select coalesce(json_agg(row_to_json(e) order by e.sequence), '[]') from events e
      where e.merchant_id = ${merchantId} and e.transaction_id = t.id),
    'outcomes', (select coalesce(json_agg(row_to_json(o) order by o.sequence), '[]') from outcomes o
      where o.merchant_id = ${merchantId} and o.transaction_id = t.id),
    'late_failures', (select coalesce(json_agg(row_to_json(f) order by f.sequence), '[]') from late_failures f
      where f.merchant_id = ${merchantId} and f.transaction_id = t.id),
    'challenges', (select coalesce(json_agg(row_to_json(c) order by c.sequence), '[]') from challenges c
      where c.merchant_id = ${merchantId} and c.transaction_id = t.id),
    'confirmed_reversals', (select coalesce(json_agg(row_to_json(r) order by r.sequence), '[]') from confirmed_reversals r
      where r.merchant_id = ${merchantId} and r.transaction_id = t.id),
    'trace_numbers', (select coalesce(json_agg(row_to_json(n) order by n.key), '[]') from events e cross join lateral (
      select * from trace_numbers where ${traceNumbersOf(sql, merchantId)}) n
      where e.merchant_id = ${merchantId} and e.transaction_id = t.id)
  )::text as record
  from transactions t where t.merchant_id = ${merchantId} and t.number between ${first} and ${last} order by t.number`;

/** Their keys are an event's id, or begin with it. */
const traceNumbersOf = (sql: TransactionSql, merchantId: string) => sql`
  merchant_id = ${merchantId} and key >= e.id::text and key < e.id::text || '~'`;

/** SHA-256 of the records, each with the end of its line. */
export function digestOf(texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const one of texts) hash.update(one).update("\n");
  return hash.digest("hex");
}

/** Hundredths of what was approved and did not fail after all, by currency and operation: `{"CAD sale": "1200"}`. */
export type Sums = Readonly<Record<string, string>>;

/** As the database adds it up. */
export async function sumsInDatabase(sql: TransactionSql, { merchantId, first, last }: Numbers): Promise<Sums> {
  const rows = await sql`
    select t.currency || ' ' || e.type as name, sum(e.amount)::text as amount
    from transactions t join events e on e.merchant_id = t.merchant_id and e.transaction_id = t.id
      join outcomes o on o.merchant_id = e.merchant_id and o.transaction_id = e.transaction_id and o.sequence = e.sequence
    where t.merchant_id = ${merchantId} and t.number between ${first} and ${last} and o.kind = 'approved' and not exists (
      select from late_failures f
      where f.merchant_id = e.merchant_id and f.transaction_id = e.transaction_id and f.sequence = e.sequence)
    group by 1`;
  return Object.fromEntries(rows.map(sumRow).map(({ name, amount }) => [name, amount.toString()]));
}

const sumRow = rowReader("events", { name: text, amount: wholeNumber });

/** As the records say it: another way to the same figures. */
export function sumsOf(all: readonly Rows[]): Sums {
  const sums = new Map<string, bigint>();
  for (const { transactions, events, outcomes, late_failures } of all) {
    const failed = new Set(late_failures?.map(({ sequence }) => sequence));
    const approved = new Set(outcomes?.filter(({ kind }) => kind === "approved").map(({ sequence }) => sequence));
    for (const { sequence, type, amount } of events ?? []) {
      if (!approved.has(sequence) || failed.has(sequence)) continue;
      const name = `${transactions?.[0]?.currency} ${type}`;
      sums.set(name, (sums.get(name) ?? 0n) + wholeNumber(amount));
    }
  }
  return Object.fromEntries([...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([k, v]) => [k, `${v}`]));
}

/** What of these transactions is in the journal, and sealed card numbers, is gone. */
export async function removeRecords(
  sql: TransactionSql,
  { merchantId, first, last }: Numbers,
  ids: readonly string[],
): Promise<void> {
  const gone = arrayOf(sql, "uuid", ids);
  await forgetBlocks(
    sql,
    merchantId,
    Array.from({ length: last - first + 1 }, (_, nth) => first + nth),
  );
  await sql`
    delete from trace_numbers n using events e
    where e.merchant_id = ${merchantId} and e.transaction_id = any(${gone})
      and n.merchant_id = ${merchantId} and n.key >= e.id::text and n.key < e.id::text || '~'`;
  for (const table of ["events", "outcomes", "late_failures", "challenges", "confirmed_reversals", "sealed_cards"])
    await sql`delete from ${sql(table)} where merchant_id = ${merchantId} and transaction_id = any(${gone})`;
  await sql`
    delete from passengers where merchant_id = ${merchantId} and number >> 16 between ${first}::int8 >> 16 and ${last}::int8 >> 16
      and number between ${first} and ${last}`;
  await sql`delete from transactions where merchant_id = ${merchantId} and id = any(${gone})`;
}

/** Back as they were. What lists search passengers by follows from the transactions. */
export async function insertRecords(sql: TransactionSql, texts: readonly string[]): Promise<void> {
  const all = arrayOf(sql, "text", texts);
  for (const table of TABLES)
    await sql`
      insert into ${sql(table)} select r.* from unnest(${all}) as record
      cross join lateral json_populate_recordset(${sql.unsafe(`null::${table}`)}, record::json -> ${table}::text) r`;
  await sql`
    insert into passengers (merchant_id, number, ticket_number, passenger_name)
    select (t ->> 'merchant_id')::uuid, (t ->> 'number')::int8, one ->> 'ticket_number', one ->> 'passenger_name'
    from unnest(${all}) as record cross join lateral json_array_elements(record::json -> 'transactions') t
    cross join lateral json_array_elements(t -> 'passengers') one
    where json_typeof(t -> 'passengers') = 'array'`;
}
