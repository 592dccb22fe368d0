// Times as numbers: `created_at` never goes back along a merchant's numbers, so a span of time is a range of them.

import { arrayOf } from "../columns.ts";
import type { Sql } from "../database.ts";
import { ask } from "./ask.ts";

/** From `first` to `last`, both included; none if `first` is greater. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** From `from` until before `before`. Null: from the beginning, to the end. */
export interface Period {
  readonly from: Date | null;
  readonly before: Date | null;
}

/** Both ends included and seen to the second: the whole second of `to` counts. */
export const periodOf = (from: Date | undefined, to: Date | undefined): Period => ({
  from: from ? within(from.getTime()) : null,
  before: to ? within(to.getTime() + 1_000) : null,
});

/** Years that PostgreSQL and JavaScript write alike. */
const EARLIEST = Date.UTC(1970, 0, 1);
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const within = (time: number): Date => new Date(Math.min(Math.max(time, EARLIEST), LATEST));

/** The numbers of what was created in each of these periods, and the merchant's newest number, all at one instant. */
export async function spansOf(
  pool: Sql,
  merchantId: string,
  periods: readonly Period[],
): Promise<{ newest: number; spans: Span[] }> {
  const instants = periods.flatMap(({ from, before }) => [from, before]).filter((instant) => instant !== null);
  const [row] =
    instants.length > 0
      ? await ask<Row>(pool, SEARCH, [merchantId, arrayOf(pool, "timestamptz", instants)])
      : await ask<Row>(pool, COUNT, [merchantId]);
  if (row === undefined) return { newest: 0, spans: periods.map(() => ({ first: 1, last: 0 })) };
  if (row.earlier.length !== instants.length) throw new Error("broken journal: a merchant's numbers have gaps");
  const newest = Number(row.newest);
  const lastBefore = new Map(instants.map((instant, index) => [instant, Number(row.earlier[index])]));
  return {
    newest,
    spans: periods.map(({ from, before }) => ({
      first: 1 + ((from && lastBefore.get(from)) ?? 0),
      last: (before && lastBefore.get(before)) ?? newest,
    })),
  };
}

interface Row {
  readonly newest: string;
  readonly earlier: readonly string[];
}

const COUNT = "select transactions as newest, '{}'::int8[] as earlier from merchant_counters where merchant_id = $1";

// For each instant the last number that was created before it, by halving: some 22 steps for three million numbers.
const SEARCH = `
with recursive counted as materialized (
  select transactions as newest from merchant_counters where merchant_id = $1
),
search(nth, instant, low, high) as (
  select nth, instant, 0::int8, newest from unnest($2::timestamptz[]) with ordinality as i(instant, nth), counted
  union all
  select nth, instant, case when created_at < instant then middle else low end,
    case when created_at < instant then high else middle - 1 end
  from (select *, (low + high + 1) / 2 as middle from search where low < high) s
  cross join lateral (
    select created_at from transactions where merchant_id = $1 and number = s.middle limit 1
  ) t
)
select newest, array(select low from search where low = high order by nth) as earlier from counted`;
