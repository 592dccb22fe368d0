// Groups of rows as PostgreSQL takes them fastest: one array a column, unfolded by unnest (a third less work than JSON). A row that is
// alone goes value by value.

import { ARRAY_OIDS, type ArrayElement, ELEMENT_OIDS } from "./sql/arrays.ts";
import type { Parameter, TransactionSql } from "./sql/sql.ts";

/** A column of what goes in: its name, the type it is sent as, and its value in a row. */
export interface Column<Row> {
  readonly name: string;
  readonly type: keyof typeof ARRAY_OIDS;
  /** @param nth of the group, from 0 on */
  readonly value: (row: Row, nth: number) => ColumnValue;
  /** Most rows have none of the columns that say the same here, and most groups go without them. Few words: each makes other statements. */
  readonly seldom?: string;
}
export type ColumnValue = ArrayElement;

export const PLACE: Column<unknown> = { name: "place", type: "int4", value: (_, nth) => nth };

/** `unnest($1::uuid[], …) as input(merchant_id, …)` */
export function unnest<Row>(columns: readonly Column<Row>[]): string {
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(", ");
  return `unnest(${arrays}) as input(${names(columns)})`;
}

/** How rows go in. */
export type Form = "alone" | "group";

export const formOf = (rows: readonly unknown[]): Form => (rows.length === 1 ? "alone" : "group");

/** A group of rows as a statement takes it. */
export interface Input<Row> {
  /** What is sent, in this order, as $1, $2 … */
  readonly sent: readonly Column<Row>[];
  /** A query of all columns. */
  readonly select: string;
  /** As part of a statement: of one row it is what stands for its values, so that nothing is joined or gone through. */
  readonly materialized: "materialized" | "not materialized";
}

/**
 * In `from`, PostgreSQL unfolds each array into a store of its own before it reads the first row; in what is selected it does not. Of a
 * single row no column is an array.
 * @param left which columns are not sent: what they say is `seldom`
 */
export function inputOf<Row>(
  columns: readonly Column<Row>[],
  form: Form,
  left: ReadonlySet<string> = NOTHING_LEFT,
): Input<Row> {
  if (form === "alone") {
    const values = columns.map(({ name, type }, index) => `$${index + 1}::${type} as ${name}`);
    return { sent: columns, select: `select ${values.join(", ")}`, materialized: "not materialized" };
  }
  const isLeft = ({ seldom }: Column<Row>): boolean => seldom !== undefined && left.has(seldom);
  const sent = columns.filter((column) => !isLeft(column));
  const nulls = columns.filter(isLeft).map(({ name, type }) => `null::${type} as ${name}`);
  const unfolded = sent.map(({ name, type }, index) => `unnest($${index + 1}::${type}[]) as ${name}`);
  return { sent, select: `select ${[...unfolded, ...nulls].join(", ")}`, materialized: "materialized" };
}

const NOTHING_LEFT: ReadonlySet<string> = new Set();

/** What no row has of what is `seldom` there. */
export function leftOut<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): ReadonlySet<string> {
  const [left, there] = [new Set<string>(), new Set<string>()];
  for (const { seldom, value } of columns)
    if (seldom !== undefined) (rows.every((row, nth) => value(row, nth) === null) ? left : there).add(seldom);
  for (const name of there) left.delete(name);
  return left;
}

/** What stands for the columns that are sent. */
export const values = <Row>(
  sql: TransactionSql,
  { sent, materialized }: Pick<Input<Row>, "sent" | "materialized">,
  rows: readonly Row[],
): Parameter[] => {
  const [row] = rows;
  return materialized === "not materialized" && row !== undefined
    ? sent.map(({ type, value }) => sql.typed(value(row, 0), ELEMENT_OIDS[type]))
    : arrays(sql, sent, rows);
};

export const arrays = <Row>(sql: TransactionSql, columns: readonly Column<Row>[], rows: readonly Row[]): Parameter[] =>
  columns.map(({ type, value }) => sql.typed(rows.map(value), ARRAY_OIDS[type]));

/** One column of values as a parameter. */
export const arrayOf = (sql: TransactionSql, type: Column<never>["type"], values: readonly ColumnValue[]): Parameter =>
  sql.typed(values, ARRAY_OIDS[type]);

export const names = <Row>(columns: readonly Column<Row>[]): string => columns.map(({ name }) => name).join(", ");
