// Groups of rows as PostgreSQL takes them fastest: one array a column, unfolded by unnest (a third less work than JSON).

import type postgres from "postgres";
import type { Sql } from "./database.ts";

export type Parameter = postgres.Parameter<readonly ColumnValue[]>;

/** A column of what goes in: its name, the type it is sent as, and its value in a row. */
export interface Column<Row> {
  readonly name: string;
  readonly type: "uuid" | "text" | "int8" | "int4" | "bool" | "bytea" | "timestamptz";
  readonly value: (row: Row) => ColumnValue;
}
export type ColumnValue = string | number | bigint | boolean | Date | Buffer | null;

/** `unnest($1::uuid[], …) with ordinality as input(merchant_id, …, place)` */
export function unnest<Row>(columns: readonly Column<Row>[]): string {
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(", ");
  const names = columns.map(({ name }) => name).join(", ");
  return `unnest(${arrays}) with ordinality as input(${names}, place)`;
}

/** Object identifiers of PostgreSQL's array types (pg_type.dat): the driver would take an array for its first element. */
const ARRAY_OIDS = {
  bool: 1000,
  bytea: 1001,
  int4: 1007,
  text: 1009,
  int8: 1016,
  timestamptz: 1185,
  uuid: 2951,
} as const;

export const arrays = <Row>(sql: Sql, columns: readonly Column<Row>[], rows: readonly Row[]): Parameter[] =>
  columns.map(({ type, value }) => sql.typed(rows.map(value), ARRAY_OIDS[type]));

export const arrayOf = (sql: Sql, type: Column<never>["type"], values: readonly ColumnValue[]): Parameter =>
  sql.typed(values, ARRAY_OIDS[type]);

export const names = <Row>(columns: readonly Column<Row>[]): string => columns.map(({ name }) => name).join(", ");
