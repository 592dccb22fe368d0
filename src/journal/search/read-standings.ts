// Reads the standings of transactions (standing.ts) from their rows. PostgreSQL gathers those that are on record alike; where events have
// regard to each other the transaction is read whole, and the rule itself decides.

import { atOnce } from "../../shares/at-once.ts";
import { arrayOf } from "../columns.ts";
import { type Asker, ask, inTurn, isBig } from "./ask.ts";
import { type Kept, LINES } from "./numbered.ts";
import { inPortions } from "./portions.ts";
import { isPending, NO_OUTCOME, standingOf, standingRecorded } from "./standing.ts";

/** Some tens of milliseconds of work for the database. */
const READ_AT_ONCE = 2_000;
/** Statements of one reading that are in flight, or wait for their turns, together. */
const SIDE_BY_SIDE = 2;

export interface ReadStanding {
  readonly numbers: readonly number[];
  readonly standing: string;
  /** It may be another one later without a change that lists would tell: an outcome may come within the second of its event. */
  readonly passing: boolean;
}

interface Row {
  /** Null: to be read whole. */
  readonly recorded: string | null;
  /** Of one that is read whole. */
  readonly id: string | null;
  readonly recent: boolean;
  /** Eight bytes each. */
  readonly numbers: Buffer;
}

/**
 * What is not there has none.
 * @param since what was created in this second or later is recent
 */
export async function readStandings(
  asker: Asker,
  kept: Kept,
  numbers: readonly number[],
  since: Date,
): Promise<readonly ReadStanding[]> {
  const parts = Array.from({ length: Math.ceil(numbers.length / READ_AT_ONCE) }, (_, nth) =>
    numbers.slice(nth * READ_AT_ONCE, (nth + 1) * READ_AT_ONCE),
  );
  const rows = await atOnce(SIDE_BY_SIDE, parts, (part) => {
    const parameters = [kept.merchantId, arrayOf(asker.pool, "int8", part), since];
    return inTurn(asker, () => ask<Row>(asker.pool, RECORDED, parameters, isBig(kept.newest)));
  });
  const found: ReadStanding[] = [];
  const whole = new Map<string, Row>();
  for (const row of rows.flat()) {
    if (row.id !== null) whole.set(row.id, row);
    else if (row.recorded !== null) found.push(readAs(standingRecorded(row.recorded.split(",")), row));
  }
  const left = [...whole.values()].flatMap(numbersOf).toSorted((one, other) => other - one);
  for await (const portion of inPortions(asker, kept, left, LINES))
    for (const transaction of portion) {
      const row = whole.get(transaction.id);
      if (row !== undefined) found.push(readAs(standingOf(transaction), row));
    }
  return found;
}

const readAs = (standing: string, row: Row): ReadStanding => ({
  ...{ standing, numbers: numbersOf(row) },
  passing: row.recent && isPending(standing),
});

const numbersOf = ({ numbers }: Row): number[] =>
  Array.from({ length: numbers.length / 8 }, (_, nth) => Number(numbers.readBigInt64BE(nth * 8)));

const MS = (column: string) => `(extract(epoch from o.${column}) * 1000)::int8`;

// An event may be told twice, which is the same standing: to sort each transaction's events in order to tell them once would take a tenth of all.
const RECORDED = `
select recorded, case when recorded is null then t.id end as id, t.created_at >= $3::timestamptz as recent,
  string_agg(int8send(n.number), '') as numbers
from unnest($2::int8[]) as n(number)
cross join lateral (select id, created_at from transactions where merchant_id = $1 and number = n.number limit 1) t
cross join lateral (
  select case
    when count(*) filter (where e.type in ('sale', 'auth')) = 1 and not bool_or(e.type = 'void')
      and not exists (select from late_failures where merchant_id = $1 and transaction_id = t.id)
    then string_agg(e.type || ' ' || coalesce(o.kind, '${NO_OUTCOME}')
      || case when o.cutoff_at is null or o.settled_at is null or o.visible_at is null then ''
        else ' ' || ${MS("cutoff_at")} || ' ' || ${MS("visible_at")} end, ',') end as recorded
  from (select sequence, type from events where merchant_id = $1 and transaction_id = t.id offset 0) e
  left join lateral (
    select kind, cutoff_at, settled_at, visible_at from outcomes
    where merchant_id = $1 and transaction_id = t.id and sequence = e.sequence limit 1
  ) o on true
) e
group by 1, 2, 3`;
