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
  /** In most groups all rows say the same in each of the columns with this word, and they are sent once for all rows. Few words, too. */
  readonly alike?: string;
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

/** A column that is sent: as an array, or once for all rows. */
interface Sent<Row> extends Column<Row> {
  readonly as: "array" | "one";
}

/** A group of rows as a statement takes it. */
export interface Input<Row> {
  /** In this order, as $1, $2 … */
  readonly sent: readonly Sent<Row>[];
  /** A query of all columns. */
  readonly select: string;
  /** As part of a statement: of one row it is what stands for its values, so that nothing is joined or gone through. */
  readonly materialized: "materialized" | "not materialized";
}

/** The rows of a group, of which each value is made once: what they have in common is told by it, and then it is sent. */
export interface Read<Row> {
  readonly rows: readonly Row[];
  /** Of all rows, in their order. */
  of(column: Column<Row>): readonly ColumnValue[];
}

/** @param rows at least one */
export function read<Row>(rows: readonly Row[]): Read<Row> {
  const known = new Map<Column<Row>["value"], readonly ColumnValue[]>();
  return {
    rows,
    of({ value }) {
      const before = known.get(value);
      if (before !== undefined) return before;
      const values = rows.map(value);
      known.set(value, values);
      return values;
    },
  };
}

/** What rows have in common: words of columns that say nothing in any of them, and of columns that say the same in all. */
export interface Common {
  readonly seldom: ReadonlySet<string>;
  readonly alike: ReadonlySet<string>;
}

/**
 * In `from`, PostgreSQL unfolds each array into a store of its own before it reads the first row; in what is selected it does not. Of a
 * single row no column is an array.
 * @param firstParameter number of it: others may come before
 */
export function inputOf<Row>(
  columns: readonly Column<Row>[],
  form: Form,
  common: Common = NOTHING,
  firstParameter = 1,
): Input<Row> {
  const alone = form === "alone";
  const isLeft = ({ seldom = "" }: Column<Row>): boolean => !alone && common.seldom.has(seldom);
  const sentAs = ({ alike = "" }: Column<Row>): Sent<Row>["as"] => (alone || common.alike.has(alike) ? "one" : "array");
  const sent = columns
    .filter((column) => !isLeft(column))
    .map((column): Sent<Row> => ({ ...column, as: sentAs(column) }));
  const given = sent.map(({ name, type, as }, index) => `${GIVEN[as](`$${firstParameter + index}`, type)} as ${name}`);
  const nulls = columns.filter(isLeft).map(({ name, type }) => `null::${type} as ${name}`);
  const materialized = alone ? "not materialized" : "materialized";
  return { sent, select: `select ${[...given, ...nulls].join(", ")}`, materialized };
}

const GIVEN: Readonly<Record<Sent<never>["as"], (parameter: string, type: string) => string>> = {
  array: (parameter, type) => `unnest(${parameter}::${type}[])`,
  one: (parameter, type) => `${parameter}::${type}`,
};

export const NOTHING: Common = { seldom: new Set(), alike: new Set() };

/**
 * Of the columns' words. A single row is written by the same statement, whatever it says.
 * @param form also of some of a group's rows
 */
export function commonOf<Row>(columns: readonly Column<Row>[], its: Read<Row>, form = formOf(its.rows)): Common {
  if (form === "alone") return NOTHING;
  return {
    seldom: wordsThat(columns, "seldom", (column) => its.of(column).every((value) => value === null)),
    alike: wordsThat(columns, "alike", (column) => {
      const [wanted = null, ...others] = its.of(column);
      return others.every((value) => isSame(value, wanted));
    }),
  };
}

/** Words that hold of each of their columns. */
function wordsThat<Row>(
  columns: readonly Column<Row>[],
  kind: "seldom" | "alike",
  holdsOf: (column: Column<Row>) => boolean,
): ReadonlySet<string> {
  const [holding, others] = [new Set<string>(), new Set<string>()];
  for (const column of columns) {
    const word = column[kind];
    if (word !== undefined && !others.has(word)) (holdsOf(column) ? holding : others).add(word);
  }
  for (const word of others) holding.delete(word);
  return holding;
}

const isSame = (one: ColumnValue, other: ColumnValue): boolean =>
  one instanceof Date && other instanceof Date ? one.getTime() === other.getTime() : one === other;

/** In a text that tells statements apart. */
export const shown = ({ seldom, alike }: Common): string => [seldom, alike].map((words) => [...words].sort()).join(" ");

/** What stands for the columns that are sent. */
export const parametersFor = <Row>(
  sql: TransactionSql,
  { sent }: Pick<Input<Row>, "sent">,
  its: Read<Row>,
): Parameter[] =>
  sent.map((column) => {
    const values = its.of(column);
    return column.as === "one"
      ? sql.typed(values[0], ELEMENT_OIDS[column.type])
      : sql.typed(values, ARRAY_OIDS[column.type]);
  });

export const arrays = <Row>(sql: TransactionSql, columns: readonly Column<Row>[], rows: readonly Row[]): Parameter[] =>
  columns.map(({ type, value }) => sql.typed(rows.map(value), ARRAY_OIDS[type]));

/** One column of values as a parameter. */
export const arrayOf = (sql: TransactionSql, type: Column<never>["type"], values: readonly ColumnValue[]): Parameter =>
  sql.typed(values, ARRAY_OIDS[type]);

export const names = <Row>(columns: readonly Column<Row>[]): string => columns.map(({ name }) => name).join(", ");
