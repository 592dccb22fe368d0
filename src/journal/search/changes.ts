// A merchant's changes, read in the order of time. A transaction changes when an event is added to it, and when an outcome or a late
// failure becomes known (decision A14). Its creation is not among them: that is a span of numbers.

import { type Asker, ask, inTurn, isBig } from "./ask.ts";

/** Where a page begins or ends: an instant as the database writes it, which keeps microseconds, and what orders changes within it. */
export type Place = readonly [at: string, transactionId: string, sequence: number];

const LEAST = "00000000-0000-0000-0000-000000000000";
/** Before every change at this instant. */
export const placeAt = (instant: Date): Place => [instant.toISOString(), LEAST, 0];

export interface Changes {
  /** Calls back with the number of each transaction, and the second since 1970 in which it was changed. */
  each(see: (number: number, second: number) => void): void;
  /** Of the last one, where there may be more. */
  readonly end: { readonly place: Place; readonly second: number } | null;
}

/** Some 30 ms of work for the database, so that others get their turn between two pages. */
const CHANGES_AT_ONCE = 10_000;

/** Of whom: a merchant and its newest number. */
export interface Whose {
  readonly merchantId: string;
  readonly newest: number;
}

/** All changes since an instant, oldest first. @param before null: to the end */
export async function* changesSince(
  asker: Asker,
  whose: Whose,
  since: Date,
  before: Date | null,
): AsyncGenerator<Changes, void, void> {
  let place: Place | undefined = placeAt(since);
  while (place !== undefined) {
    const page: Changes = await read(asker, whose, OLDEST_FIRST, place, before);
    yield page;
    place = page.end?.place;
  }
}

/** The latest changes before this place, and since an instant. */
export const changesBefore = (asker: Asker, whose: Whose, place: Place, since: Date): Promise<Changes> =>
  read(asker, whose, NEWEST_FIRST, place, since);

interface Row {
  /** Number and second, eight bytes each; null: none. */
  readonly changes: Buffer | null;
  readonly at: string | null;
  readonly transaction_id: string;
  readonly sequence: number;
  readonly second: number;
}

async function read(asker: Asker, { merchantId, newest }: Whose, text: string, place: Place, bound: Date | null) {
  const parameters: readonly unknown[] = [merchantId, ...place, bound, CHANGES_AT_ONCE];
  const [row] = await inTurn(asker, () => ask<Row>(asker.pool, text, parameters, isBig(newest)));
  return changesOf(row);
}

function changesOf(row: Row | undefined): Changes {
  const bytes = row?.changes ?? Buffer.alloc(0);
  return {
    each: (see) => {
      for (let at = 0; at < bytes.length; at += 16)
        see(Number(bytes.readBigInt64BE(at)), Number(bytes.readBigInt64BE(at + 8)));
    },
    end: row && row.at !== null ? { place: [row.at, row.transaction_id, row.sequence], second: row.second } : null,
  };
}

const SECOND = "floor(extract(epoch from created_at))";

/** @param within the bound on the other side */
const pageOf = (after: ">" | "<", within: string, order: "asc" | "desc"): string => {
  const ordered = (direction: string) => `created_at ${direction}, transaction_id ${direction}, sequence ${direction}`;
  // Each has an index in this order, of which no more is read than fits on a page.
  const changesIn = (table: string, time: string, condition: string) => `
    (select ${time} as created_at, transaction_id, sequence from ${table}
    where merchant_id = $1 and ${condition} and (${time}, transaction_id, sequence) ${after} ($2::text::timestamptz, $3::uuid, $4::int4)
      and ${time} ${within}
    order by ${time} ${order}, transaction_id ${order}, sequence ${order} limit $6::int4)`;
  const all = [
    changesIn("events", "created_at", "sequence > 1"),
    changesIn("outcomes", "changed_at", "changed_at is not null"),
    changesIn("late_failures", "created_at", "true"),
  ];
  // The number is looked up row by row: a join might be made the other way round, from all of the merchant's transactions.
  return `
with page as materialized (${all.join(" union all ")} order by ${ordered(order)} limit $6::int4),
last as (
  select created_at, transaction_id, sequence from page order by ${ordered(order === "asc" ? "desc" : "asc")}
  limit case when (select count(*) from page) = $6::int4 then 1 else 0 end
)
select string_agg(int8send((
    select number from transactions t where t.merchant_id = $1 and t.id = page.transaction_id
  )) || int8send(${SECOND}::int8), '') as changes,
  (select created_at::text from last) as at, (select transaction_id from last) as transaction_id,
  (select sequence from last) as sequence, (select ${SECOND}::float8 from last) as second
from page`;
};

const OLDEST_FIRST = pageOf(">", "< coalesce($5::timestamptz, 'infinity')", "asc");
const NEWEST_FIRST = pageOf("<", ">= $5::timestamptz", "desc");
