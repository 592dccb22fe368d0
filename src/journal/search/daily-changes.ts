// A merchant's changes of past days, each day's as one value: so that whoever asks for a year of them for the first time does not read
// every event. Prepared in the background, once nothing of a day can come any more; a restore removes them.

import type { Sql } from "../database.ts";
import { amongThoseThere } from "../merchants-there.ts";
import { instant, orNull, rowReader, text } from "../rows.ts";
import type { TransactionSql } from "../sql/sql.ts";
import { type Asker, ask, inTurn } from "./ask.ts";
import { CHANGED, type SeeChange } from "./changes.ts";

const DAY_MS = 86_400_000;
/** A number in eight bytes, and in four the types of follow-ups above the second of the day. */
const STORED_BYTES = 12;
const HIGH = 2 ** 32;
const SECOND_BITS = 20;
const SECONDS = 2 ** SECOND_BITS - 1;

export interface ChangesOfDay {
  readonly fromMs: number;
  readonly beforeMs: number;
  /** Of each transaction the last change on this day, with the types of all of them. */
  each(see: SeeChange): void;
}

/** Of one statement: some milliseconds of work, unless a day alone has more. */
const MOST_BYTES = 1_000_000;
const MOST_DAYS = 200;

/**
 * The latest days that are prepared, in which something lies before an instant: the latest first, without gaps between them.
 * @param since what was before its day is not needed
 */
export async function daysBefore(asker: Asker, merchantId: string, before: Date, since: Date): Promise<ChangesOfDay[]> {
  const parameters = [merchantId, new Date(before.getTime() - 1), since, MOST_DAYS, MOST_BYTES];
  const rows = await inTurn(asker, () => ask<Row>(asker.pool, DAYS, parameters, true));
  return rows.map(({ first, changes }) => changesOf(first * 1_000, Buffer.from(changes, "base64")));
}

interface Row {
  /** Second of the day's begin. */
  readonly first: number;
  readonly changes: string;
}

const DAY = (parameter: string) => `(${parameter}::timestamptz at time zone 'UTC')::date`;

const DAYS = `
with latest as (
  select day, changes, row_number() over (order by day desc)::int4 as nth, sum(octet_length(changes)) over (order by day desc) as bytes
  from (
    select * from daily_changes
    where merchant_id = $1 and day between ${DAY("$3")} and ${DAY("$2")} and changes is not null
    order by day desc limit $4::int4
  ) days
)
select extract(epoch from day)::float8 as first, encode(changes, 'base64') as changes from latest
where day = (select max(day) from latest) - (nth - 1) and (nth = 1 or bytes <= $5::int8)
order by nth`;

function changesOf(fromMs: number, bytes: Buffer): ChangesOfDay {
  const first = fromMs / 1_000;
  return {
    fromMs,
    beforeMs: fromMs + DAY_MS,
    each: (see) => {
      for (let at = 0; at < bytes.length; at += STORED_BYTES) {
        const last = bytes.readUInt32BE(at + 8);
        see(bytes.readUInt32BE(at) * HIGH + bytes.readUInt32BE(at + 4), first + (last & SECONDS), last >>> SECOND_BITS);
      }
    },
  };
}

const floorDay = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

/** A merchant with fewer is read as quickly from its events. */
const WORTH_IT = 10_000;
/** Six megabytes, which are read in one piece. The events of a day with more are read page by page. */
const MOST_CHANGES = 500_000;
/** Later than nodes may tell that they have something left to write: those that were stopped and forgotten for days are none any more. */
const KEPT_OPEN_MS = 3 * DAY_MS;

/** Merchants for whom days are prepared. */
export async function merchantsWithDays(sql: Sql): Promise<string[]> {
  const rows = await amongThoseThere(
    sql,
    (among) => sql`
    select merchant_id from merchant_counters where transactions >= ${WORTH_IT} and ${among.of()}`,
  );
  return rows.map((row) => merchantRow(row).merchant_id);
}

const merchantRow = rowReader("merchant_counters", { merchant_id: text });

/**
 * Prepares the oldest day that is missing.
 * @param settled nothing will be written any more that happened before
 * @returns false if there is none, or somebody else is at it
 */
export const prepareDay = (asker: Asker, merchantId: string, settled: Date, most = MOST_CHANGES): Promise<boolean> =>
  inTurn(asker, () =>
    asker.pool.begin(async (sql): Promise<boolean> => {
      const [lock] = await sql<[{ free: boolean }]>`
        select pg_try_advisory_xact_lock(${LOCK}, hashtext(${merchantId})) as free`;
      const day = lock.free ? await oldestMissing(sql, merchantId) : undefined;
      if (day === undefined || day.getTime() + DAY_MS + KEPT_OPEN_MS > settled.getTime()) return false;
      const ofDay = [merchantId, day, new Date(day.getTime() + DAY_MS)];
      const [{ many }] = await sql.unsafe<[{ many: boolean }]>(MANY, [...ofDay, most]);
      if (many) await sql`insert into daily_changes (merchant_id, day) values (${merchantId}, ${dateOf(day)})`;
      else await sql.unsafe(PREPARE, ofDay);
      return true;
    }),
  );

/** After the last one, or where the merchant's events begin. */
async function oldestMissing(sql: TransactionSql, merchantId: string): Promise<Date | undefined> {
  const [last] = await sql`
    select (max(day) + 1)::timestamp at time zone 'UTC' as next from daily_changes where merchant_id = ${merchantId}`;
  const next = last && nextRow(last).next;
  if (next) return next;
  const [first] = await sql`
    select created_at from events where merchant_id = ${merchantId} order by created_at limit 1`;
  return first && new Date(floorDay(firstRow(first).created_at.getTime()));
}

const nextRow = rowReader("daily_changes", { next: orNull(instant) });
const firstRow = rowReader("events", { created_at: instant });

const dateOf = (day: Date): string => day.toISOString().slice(0, "YYYY-MM-DD".length);

const CHANGES = CHANGED.map(
  ({ table, time, types, condition }) => `
    select date_trunc('second', ${time}) as at, transaction_id, ${types} as types from ${table}
    where merchant_id = $1::uuid and ${condition} and ${time} >= $2::timestamptz and ${time} < $3::timestamptz`,
).join(" union all ");

const MANY = `
select count(*) > $4::int4 as many from (select from (${CHANGES}) changed limit $4::int4 + 1) counted`;

// The number is looked up row by row, and what has none is archived.
const PREPARE = `
insert into daily_changes (merchant_id, day, changes)
select $1::uuid, ${DAY("$2")}, coalesce(string_agg(int8send(number) || int4send((types << ${SECOND_BITS}) | second), ''), '')
from (
  select t.number, max(extract(epoch from changed.at - $2::timestamptz))::int4 as second, bit_or(changed.types) as types
  from (${CHANGES}
  ) changed
  cross join lateral (
    select number from transactions where merchant_id = $1::uuid and id = changed.transaction_id limit 1
  ) t
  group by t.number
) changes`;

/** To be called in the database transaction that brings a merchant's transactions back. */
export async function forgetDays(sql: TransactionSql, merchantId: string): Promise<void> {
  // Nobody prepares them until it ends.
  await sql`select pg_advisory_xact_lock(${LOCK}, hashtext(${merchantId}))`;
  await sql`delete from daily_changes where merchant_id = ${merchantId}`;
}

/** Any number that nothing else in this database locks. */
const LOCK = 8_583_005;
