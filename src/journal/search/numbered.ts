// Reading transactions by their numbers: all of each, or what a line of CSV needs; and how big they are.

import type { Transaction } from "../../payment/transaction.ts";
import { arrayOf, names } from "../columns.ts";
import type { Sql } from "../database.ts";
import { TRANSACTION_COLUMNS } from "../transaction-columns.ts";
import { selectWhole, transactionsOf, type WholeRow } from "../whole-transactions.ts";
import { ask, isBig } from "./ask.ts";

/** How much of transactions is read. */
export interface Extent {
  /** The statement that reads them. */
  readonly read: string;
  /** The statement that says how big that is. */
  readonly weigh: string;
}

const BIG = ["details", "passengers"];
const OTHERS = names(TRANSACTION_COLUMNS.filter(({ name }) => !BIG.includes(name)));
/** Beside the columns of a transaction. */
const ALSO = ["disputed"];

/** Of a value's text. What is not compressed tells its size without being read. */
const bytesOf = (column: string): string =>
  `case when ${column} is null then 0 when pg_column_compression(${column}) is null then pg_column_size(${column})
    else octet_length(${column}::text) end`;

/** Of what may be big in a row. */
const BYTES = `coalesce(bytes, ${bytesOf("details")} + ${bytesOf("passengers")})`;
/** What else a transaction takes, and an event, as JSON. */
const TRANSACTION_BYTES = 1_500;
const EVENT_BYTES = 800;

const weighing = (columns: string, bytes: string) => `
select n.number, t.*, ${TRANSACTION_BYTES} + t.own_bytes + e.bytes_of_events as weight from unnest($2::int8[]) as n(number)
cross join lateral (
  select ${columns}, ${bytes} as own_bytes from transactions where merchant_id = $1 and number = n.number limit 1
) t
cross join lateral (
  select coalesce(sum(${EVENT_BYTES} + ${bytesOf("shares")}), 0) as bytes_of_events from events
  where merchant_id = $1 and transaction_id = t.id
) e`;

const extentOf = (columns: string, bytes: string): Extent => ({
  read: selectWhole(
    `select n.number, t.* from unnest($2::int8[]) as n(number)
    cross join lateral (select ${columns} from transactions where merchant_id = $1 and number = n.number limit 1) t`,
    ALSO,
  ),
  weigh: `select number, weight from (${weighing("id", bytes)}) w order by number desc`,
});

const ALL = `created_at, ${names(TRANSACTION_COLUMNS)},
  (select true from disputes where merchant_id = $1 and transaction_id = transactions.id limit 1) as disputed`;

export const WHOLE = extentOf(ALL, BYTES);

const WHOLE_WITHIN = `
with weighed as materialized (${weighing(ALL, BYTES)})
${selectWhole("select * from weighed", ALSO, "(select sum(weight) from weighed) <= $3::int8")}`;

// The database looks through what it leaves out, though nobody else does: some 5 ms for a mebibyte.
const BYTES_LOOKED_THROUGH = `(${BYTES}) / 16`;

/** Of meta nothing, and of passengers what their money follows from. */
export const LINES = extentOf(
  `created_at, ${OTHERS}, null::bool as disputed,
    case when details is not null then json_build_object('fields', details -> 'fields', 'onFile', details -> 'onFile') end as details,
    (select json_agg(json_build_object('id', one -> 'id', 'fares', one -> 'fares', 'legs', '[]'::json))
      from json_array_elements(passengers) one) as passengers`,
  BYTES_LOOKED_THROUGH,
);

/** Of passengers also their tickets, and of the charge no fields. */
export const TICKETS = extentOf(
  `created_at, ${OTHERS}, null::bool as disputed, null::json as details,
    (select json_agg(json_build_object('id', one -> 'id', 'fares', one -> 'fares', 'legs', '[]'::json,
      'passenger_name', one -> 'passenger_name', 'ticket_number', one -> 'ticket_number'))
      from json_array_elements(passengers) one) as passengers`,
  BYTES_LOOKED_THROUGH,
);

/** Whose numbers they are. */
export interface Kept {
  readonly merchantId: string;
  /** The merchant's newest. */
  readonly newest: number;
}

export interface Numbered {
  /** Newest first. */
  readonly transactions: readonly Transaction[];
  /** The ids of those that have disputes, if they are read whole. */
  readonly disputed: readonly string[];
}

export const numbered = (pool: Sql, kept: Kept, numbers: readonly number[], { read }: Extent): Promise<Numbered> =>
  readBy(read, pool, kept, numbers);

/** All of them, whole, if together they are no bigger; otherwise none. */
export const numberedWithin = (
  mostBytes: number,
  pool: Sql,
  kept: Kept,
  numbers: readonly number[],
): Promise<Numbered> => readBy(WHOLE_WITHIN, pool, kept, numbers, mostBytes);

/** How big each is, the newest first. */
export async function weighed(
  pool: Sql,
  { merchantId, newest }: Kept,
  numbers: readonly number[],
  { weigh }: Extent,
): Promise<readonly (readonly [number: number, bytes: number])[]> {
  const parameters = [merchantId, arrayOf(pool, "int8", numbers)];
  const rows = await ask<{ number: string; weight: string }>(pool, weigh, parameters, isBig(newest));
  return rows.map(({ number, weight }) => [Number(number), Number(weight)]);
}

interface Row extends WholeRow {
  readonly disputed: boolean | null;
}

async function readBy(
  text: string,
  pool: Sql,
  { merchantId, newest }: Kept,
  numbers: readonly number[],
  ...more: readonly unknown[]
): Promise<Numbered> {
  const parameters = [merchantId, arrayOf(pool, "int8", numbers), ...more];
  const rows = await ask<Row>(pool, text, parameters, isBig(newest));
  return {
    transactions: transactionsOf(rows),
    disputed: rows.filter(({ disputed }) => disputed).map(({ id }) => id),
  };
}
