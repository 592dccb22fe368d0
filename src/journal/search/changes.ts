// A merchant's changes, read in the order of time. A transaction changes when an event is added to it, and when an outcome or a late
// failure becomes known (decision A14). Its creation is not among them: that is a span of numbers.

import type { EventType } from "../../payment/transaction.ts";
import { NIL_UUID } from "../../uuid.ts";
import { type Asker, ask, inTurn, isBig } from "./ask.ts";

/** Where a page begins or ends: an instant as the database writes it, which keeps microseconds, and what orders changes within it. */
export type Place = readonly [at: string, transactionId: string, sequence: number];

/** Before every change at this instant. */
export const placeAt = (instant: Date): Place => [instant.toISOString(), NIL_UUID, 0];

/**
 * @param number of the transaction
 * @param second since 1970
 * @param types bits of {@link bitOf}: of the follow-ups that this was
 */
export type SeeChange = (number: number, second: number, types: number) => void;

export interface Changes {
  each(see: SeeChange): void;
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
  /** The number in eight bytes, types in two and the second in six; null: none. */
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
        see(Number(bytes.readBigInt64BE(at)), bytes.readUIntBE(at + 10, 6), bytes.readUInt16BE(at + 8));
    },
    end: row && row.at !== null ? { place: [row.at, row.transaction_id, row.sequence], second: row.second } : null,
  };
}

/** Events of these types are always changes: none of them is a transaction's first. And responses show all of them. */
const FOLLOW_UPS: readonly EventType[] = ["capture", "void", "refund"];

/** Undefined: of a type that is no follow-up. */
export function bitOf(type: EventType): number | undefined {
  const place = FOLLOW_UPS.indexOf(type);
  return place === -1 ? undefined : 1 << place;
}

const BITS = `case type ${FOLLOW_UPS.map((type) => `when '${type}' then ${bitOf(type)}`).join(" ")} else 0 end`;

/** What a change is: the rows of three tables, each with an index by this time. */
export const CHANGED = [
  { table: "events", time: "created_at", types: BITS, condition: "sequence > 1" },
  { table: "outcomes", time: "changed_at", types: "0", condition: "changed_at is not null" },
  { table: "late_failures", time: "created_at", types: "0", condition: "true" },
] as const;

const SECOND = "floor(extract(epoch from created_at))";

/** @param within the bound on the other side */
const pageOf = (after: ">" | "<", within: string, order: "asc" | "desc"): string => {
  const ordered = (direction: string) => `created_at ${direction}, transaction_id ${direction}, sequence ${direction}`;
  // Each has an index in this order, of which no more is read than fits on a page.
  const all = CHANGED.map(
    ({ table, time, types, condition }) => `
    (select ${time} as created_at, transaction_id, sequence, ${types} as types from ${table}
    where merchant_id = $1 and ${condition} and (${time}, transaction_id, sequence) ${after} ($2::text::timestamptz, $3::uuid, $4::int4)
      and ${time} ${within}
    order by ${time} ${order}, transaction_id ${order}, sequence ${order} limit $6::int4)`,
  );
  // The number is looked up row by row: a join might be made the other way round, from all of the merchant's transactions.
  return `
with page as materialized (${all.join(" union all ")} order by ${ordered(order)} limit $6::int4),
last as (
  select created_at, transaction_id, sequence from page order by ${ordered(order === "asc" ? "desc" : "asc")}
  limit case when (select count(*) from page) = $6::int4 then 1 else 0 end
)
select string_agg(int8send((
    select number from transactions t where t.merchant_id = $1 and t.id = page.transaction_id
  )) || int8send((types::int8 << 48) | ${SECOND}::int8), '') as changes,
  (select created_at::text from last) as at, (select transaction_id from last) as transaction_id,
  (select sequence from last) as sequence, (select ${SECOND}::float8 from last) as second
from page`;
};

const OLDEST_FIRST = pageOf(">", "< coalesce($5::timestamptz, 'infinity')", "asc");
const NEWEST_FIRST = pageOf("<", ">= $5::timestamptz", "desc");
