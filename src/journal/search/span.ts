// Times as numbers: `created_at` never goes back along a merchant's numbers, so a span of time is a range of them.

import { arrayOf } from "../columns.ts";
import { type Asker, ask, inTurn, isBig } from "./ask.ts";

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
  from: from ? within(wholeSecond(from)) : null,
  before: to ? within(wholeSecond(to) + 1_000) : null,
});

const wholeSecond = (instant: Date): number => Math.floor(instant.getTime() / 1_000) * 1_000;

/** Years that PostgreSQL and JavaScript write alike. */
const EARLIEST = Date.UTC(1970, 0, 1);
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const within = (time: number): Date => new Date(Math.min(Math.max(time, EARLIEST), LATEST));

/** What there is of a merchant's transactions. */
export interface Numbering {
  /** The newest number. */
  readonly newest: number;
  /** The last number that is archived; 0: none. */
  readonly archived: number;
  /** Another one when what is there changed in another way than by a new number. */
  readonly version: number;
}

/** The merchant's numbers, and those of what was created in each of these periods. */
export const spansOf = (
  asker: Asker,
  merchantId: string,
  periods: readonly Period[],
): Promise<Numbering & { spans: Span[] }> => inTurn(asker, () => readSpans(asker, merchantId, periods));

async function readSpans({ pool }: Asker, merchantId: string, periods: readonly Period[]) {
  const [counter] = await ask<Counter>(pool, COUNTER, [merchantId], true);
  const newest = Number(counter?.newest ?? 0);
  const archived = Number(counter?.archived ?? 0);
  const instants = periods.flatMap(({ from, before }) => [from, before]).filter((instant) => instant !== null);
  const lastBefore = await lastCreatedBefore(pool, merchantId, { newest, archived }, instants);
  return {
    ...{ newest, archived, version: counter?.version ?? 0 },
    spans: periods.map(({ from, before }) => ({
      first: 1 + ((from && lastBefore.get(from)) ?? archived),
      last: (before && lastBefore.get(before)) ?? newest,
    })),
  };
}

interface Counter {
  readonly newest: string;
  readonly archived: string | null;
  readonly version: number | null;
}

const COUNTER = `
select c.transactions as newest, a.through as archived, a.version
from merchant_counters c left join archives a using (merchant_id) where c.merchant_id = $1`;

/** For each instant the last number that was created before it; the last that is archived: none. */
async function lastCreatedBefore(
  pool: Asker["pool"],
  merchantId: string,
  { newest, archived }: Pick<Numbering, "newest" | "archived">,
  instants: readonly Date[],
): Promise<ReadonlyMap<Date, number>> {
  if (instants.length === 0 || newest === archived) return new Map(instants.map((instant) => [instant, archived]));
  const parameters = [merchantId, arrayOf(pool, "timestamptz", instants), newest];
  const rows = await ask<{ number: string }>(pool, SEARCH, parameters, isBig(newest));
  if (rows.length !== instants.length) throw new Error("broken journal: a merchant's numbers have gaps");
  return new Map(instants.map((instant, index) => [instant, Number(rows[index]?.number)]));
}

// By halving: some 22 steps for three million numbers. Where the archive ends is read with them: it may move in between.
const SEARCH = `
with recursive search(nth, instant, low, high) as (
  select nth, instant, coalesce((select through from archives where merchant_id = $1), 0), $3::int8
  from unnest($2::timestamptz[]) with ordinality as i(instant, nth)
  union all
  select nth, instant, case when created_at < instant then middle else low end,
    case when created_at < instant then high else middle - 1 end
  from (select *, (low + high + 1) / 2 as middle from search where low < high) s
  cross join lateral (
    select created_at from transactions where merchant_id = $1 and number = s.middle limit 1
  ) t
)
select low as number from search where low = high order by nth`;
