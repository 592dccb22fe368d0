// Reading transactions by their numbers: each row, and its events beside their outcomes; all of it, or what a line of CSV needs.

import type { Transaction } from "../../payment/transaction.ts";
import { arrayOf, names } from "../columns.ts";
import type { Sql } from "../database.ts";
import { TRANSACTION_COLUMNS } from "../transaction-columns.ts";
import { EVENT_ROW, type EventRow, type TransactionRow, transactionFrom } from "../transaction-rows.ts";
import { ask, isBig } from "./ask.ts";

export interface Extent {
  /** What is selected of a row of `transactions`. */
  readonly columns: string;
  /** The bytes of what may be big in a row. */
  readonly bytes: string;
}

/** Of a value's text. What is not compressed tells its size without being read. */
export const bytesOf = (column: string): string =>
  `case when ${column} is null then 0 when pg_column_compression(${column}) is null then pg_column_size(${column})
    else octet_length(${column}::text) end`;

const BYTES = `coalesce(bytes, ${bytesOf("details")} + ${bytesOf("passengers")})`;

export const WHOLE: Extent = { columns: "*", bytes: BYTES };

const BIG = ["details", "passengers"];

/** Of meta nothing, and of passengers what their money follows from. */
export const LINES: Extent = {
  columns: `number, created_at, ${names(TRANSACTION_COLUMNS.filter(({ name }) => !BIG.includes(name)))},
    case when details is not null then json_build_object('fields', details -> 'fields') end as details,
    (select json_agg(json_build_object('id', one -> 'id', 'fares', one -> 'fares', 'legs', '[]'::json))
      from json_array_elements(passengers) one) as passengers`,
  // The database looks through what it leaves out, though nobody else does: some 5 ms for a mebibyte.
  bytes: `(${BYTES}) / 16`,
};

/** Of passengers also their tickets, and of the charge no fields. */
export const TICKETS: Extent = {
  columns: `number, created_at, ${names(TRANSACTION_COLUMNS.filter(({ name }) => !BIG.includes(name)))}, null as details,
    (select json_agg(json_build_object('id', one -> 'id', 'fares', one -> 'fares', 'legs', '[]'::json,
      'passenger_name', one -> 'passenger_name', 'ticket_number', one -> 'ticket_number'))
      from json_array_elements(passengers) one) as passengers`,
  bytes: LINES.bytes,
};

/**
 * @param numbers descending, as what comes back
 * @param newest the merchant's newest number
 */
export async function numbered(
  pool: Sql,
  merchantId: string,
  numbers: readonly number[],
  newest: number,
  { columns }: Extent,
): Promise<Transaction[]> {
  if (numbers.length === 0) return [];
  const parameters = [merchantId, arrayOf(pool, "int8", numbers)];
  const [rows, events] = await Promise.all([
    ask<TransactionRow>(pool, rowsWith(columns), parameters, isBig(newest)),
    ask<EventRow>(pool, EVENTS, parameters, isBig(newest)),
  ]);
  const ofTransaction = Map.groupBy(events, (event) => event.transaction_id);
  // Without events: it was archived between the two questions.
  return rows.flatMap((row) => {
    const its = ofTransaction.get(row.id);
    return its === undefined ? [] : [transactionFrom(row, its)];
  });
}

// A look into an index for each number, whatever the planner thinks of how much the merchant has: it cannot join what is
// limited or ordered in another way.
const rowsWith = (columns: string) => `
select t.* from unnest($2::int8[]) as n(number)
cross join lateral (select ${columns} from transactions where merchant_id = $1 and number = n.number limit 1) t
order by t.number desc`;

const EVENTS = `
select ${EVENT_ROW} from unnest($2::int8[]) as n(number)
cross join lateral (select id from transactions where merchant_id = $1 and number = n.number limit 1) t
cross join lateral (
  select * from events where merchant_id = $1 and transaction_id = t.id order by sequence
) e
left join lateral (
  select * from outcomes where merchant_id = $1 and transaction_id = e.transaction_id and sequence = e.sequence limit 1
) o on true
left join lateral (
  select * from late_failures where merchant_id = $1 and transaction_id = e.transaction_id and sequence = e.sequence limit 1
) f on true
order by e.transaction_id, e.sequence`;
