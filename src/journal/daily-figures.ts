// Figures by the day, added up from those of the hours, so that an overview of a year need not read a year's hours. Whoever writes an
// hour's figures writes them as not in days, and no more: its day is read by hours until it is added up again.

import type { Sql } from "./database.ts";
import { amongThoseThere } from "./merchants-there.ts";
import { instant, rowReader, text } from "./rows.ts";
import { type Asker, inTurn } from "./search/ask.ts";
import type { TransactionSql } from "./sql/sql.ts";

const DAY_MS = 24 * 3_600_000;

export interface Period {
  readonly merchantId: string;
  readonly currency: string;
  /** Whole hours. */
  readonly from: Date;
  readonly before: Date;
}

/** Adds up one day whose hours have changed, the newest, of those that ended a day before what is known. @returns false if none is left */
export const addUpNewestDay = (asker: Asker, merchantId: string): Promise<boolean> =>
  inTurn(asker, () =>
    asker.pool.begin(async (sql): Promise<boolean> => {
      // Whoever writes figures of hours holds it when they are committed.
      const [known] = await sql`
        select before from figures_known where merchant_id = ${merchantId} for update skip locked`;
      if (known === undefined) return false;
      const day = await newestChangedDay(sql, merchantId, floorDay(instant(known.before).getTime() - DAY_MS));
      if (day === undefined) return false;
      await addUpDay(sql, merchantId, day);
      return true;
    }),
  );

async function newestChangedDay(sql: TransactionSql, merchantId: string, before: Date): Promise<Date | undefined> {
  const [row] = await sql`
    select hour from figures where merchant_id = ${merchantId} and in_days is null and hour < ${before}
    order by hour desc limit 1`;
  return row && floorDay(instant(row.hour).getTime());
}

async function addUpDay(sql: TransactionSql, merchantId: string, day: Date): Promise<void> {
  const next = new Date(day.getTime() + DAY_MS);
  await sql`delete from daily_figures where merchant_id = ${merchantId} and day = ${day}`;
  await sql`
    insert into daily_figures
      (merchant_id, day, currency, processor_id, card_brand, type, kind, code, category, message, attempt, events, amount)
    select merchant_id, ${day}::timestamptz, currency, processor_id, card_brand, type, kind, code, category, min(message),
      coalesce(attempt, false), sum(events)::bigint, sum(amount)::bigint
    from figures where merchant_id = ${merchantId} and hour >= ${day} and hour < ${next}
    group by 1, 3, 4, 5, 6, 7, 8, 9, 11`;
  await sql`
    update figures set in_days = true
    where merchant_id = ${merchantId} and hour >= ${day} and hour < ${next} and in_days is null`;
}

/** Merchants with changed hours three days ago or earlier. */
export async function merchantsWithChangedDays(sql: Sql, now: Date): Promise<string[]> {
  const before = new Date(now.getTime() - 3 * DAY_MS);
  const rows = await amongThoseThere(
    sql,
    (among) => sql`
    select distinct merchant_id from figures where in_days is null and hour < ${before} and ${among.of()}`,
  );
  return rows.map((row) => changedRow(row).merchant_id);
}

const changedRow = rowReader("figures", { merchant_id: text });

const COLUMNS = "currency, processor_id, card_brand, type, kind, code, category, message, attempt, events, amount";

/**
 * The figures of a period: whole days (UTC) as they were added up, and by the hour what is at its ends and what has changed since.
 * @param byHour all of them by the hour
 */
export function figuresBetween(sql: Sql, { merchantId, currency, from, before }: Period, byHour: boolean) {
  const columns = sql.unsafe(COLUMNS);
  const days = byHour ? { from: before, before } : wholeDays(from, before);
  const changed = sql`
    select distinct date_trunc('day', hour, 'UTC') as day from figures
    where merchant_id = ${merchantId} and in_days is null and hour >= ${days.from} and hour < ${days.before}`;
  // Each stretch of hours is looked up by the index: planned as a join, all hours might be read for it.
  return sql`
    select day as at, ${columns} from daily_figures
    where merchant_id = ${merchantId} and currency = ${currency} and day >= ${days.from} and day < ${days.before}
      and day not in (${changed})
    union all
    select f.* from (
      select * from (values (${from}::timestamptz, ${days.from}::timestamptz), (${days.before}, ${before})) ends (first, next)
      union all
      select day, day + interval '24 hours' from (${changed}) changed
    ) stretch
    cross join lateral (
      select hour as at, ${columns} from figures
      where merchant_id = ${merchantId} and currency = ${currency} and hour >= stretch.first and hour < stretch.next offset 0
    ) f`;
}

/** Where there is none, both are the end. */
function wholeDays(from: Date, before: Date): { from: Date; before: Date } {
  const days = { from: floorDay(from.getTime() + DAY_MS - 1), before: floorDay(before.getTime()) };
  return days.from < days.before ? days : { from: before, before };
}

const floorDay = (ms: number): Date => new Date(Math.floor(ms / DAY_MS) * DAY_MS);
