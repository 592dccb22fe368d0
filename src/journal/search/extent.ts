// How much of a transaction is read: all of it, or what a line of CSV needs. And how many bytes that is.

import { names } from "../columns.ts";
import { TRANSACTION_COLUMNS } from "../transaction-columns.ts";

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
