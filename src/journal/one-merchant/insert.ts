// Rows as `values`, which Citus sends to their merchant's worker whole. What inserts from a `select` it carries over the coordinator.

import type { Query, TransactionSql, Value } from "../sql/sql.ts";

/** A value that is the same in all rows. */
export const always = (name: string, value: Value): ValueColumn<unknown> => ({ name, value: () => value });

export interface ValueColumn<Row> {
  readonly name: string;
  readonly value: (row: Row, index: number) => Value;
  /** What is written in its place. @param sent the parameter of this row's column */
  readonly written?: (sent: (name: string) => string) => string;
}

/** @param rows at least one @param end what follows the values: `on conflict …`, `returning …` */
export function insertInto<Row, Written extends object = object>(
  sql: TransactionSql,
  table: string,
  columns: readonly ValueColumn<Row>[],
  rows: readonly Row[],
  end = "",
): Query<Written[]> {
  const parameters = rows.flatMap((row, index) => columns.map(({ value }) => value(row, index) as Value));
  const line = (_: Row, nth: number) => {
    const sent = (name: string) => `$${nth * columns.length + columns.findIndex((one) => one.name === name) + 1}`;
    return `(${columns.map(({ name, written }) => written?.(sent) ?? sent(name)).join(", ")})`;
  };
  const names = columns.map(({ name }) => name).join(", ");
  const text = `insert into ${table} (${names}) values ${rows.map(line).join(", ")} ${end}`;
  // One row is the usual; other texts are too many to be kept.
  return sql.unsafe<Written[]>(text, parameters, { prepare: rows.length === 1 });
}
