// Several inserts in one statement, each of rows of its own. Each column is unfolded where its rows are inserted: no row is stored on its
// way, or joined to another.

import {
  type Column,
  commonOf,
  type Form,
  type Input,
  inputOf,
  NOTHING,
  parametersFor,
  type Read,
  read,
  shown,
} from "./columns.ts";
import { cast } from "./group-statements.ts";
import type { Parameter, TransactionSql } from "./sql/sql.ts";

/** An insert, perhaps as part of a `with`. */
export interface Insert<Row> {
  /** As a part. */
  readonly name: string;
  readonly table: string;
  readonly columns: readonly Column<Row>[];
  /** What is selected beside these columns, from where, and under which condition. */
  readonly beside?: string;
  /** SQL of what is selected (i): more of the table's columns, and what takes the place of what was sent. */
  readonly derived?: Readonly<Record<string, string>>;
  /** `on conflict …`, `returning …` */
  readonly end?: string;
}

/** An insert with its rows, at least one. */
export interface Filled {
  readonly insert: Insert<never>;
  readonly its: Read<never>;
  readonly form: Form;
}

export const filled = <Row>(insert: Insert<Row>, rows: readonly Row[], form: Form): Filled => ({
  ...{ insert, form },
  its: read(rows as readonly never[]),
});

/** An insert as it is written. */
export interface InsertText {
  readonly name: string;
  readonly text: string;
}

/** As part of a `with`. */
export const asPart = ({ name, text }: InsertText): string => `${name} as (${text})`;

export interface InsertsStatement {
  readonly text: string;
  readonly inputs: readonly Input<never>[];
}

/** The shapes that there were of one statement, each prepared once: a few of many that there could be. */
export type KnownShapes = Map<string, InsertsStatement>;

/**
 * @param own how many parameters the statement has itself, before those of its inserts
 * @param compose the statement of its inserts, which come in the same order
 */
export function insertsStatement(
  known: KnownShapes,
  parts: readonly Filled[],
  own: number,
  compose: (inserts: readonly InsertText[]) => string,
): InsertsStatement {
  const commons = parts.map(({ insert, its, form }) => commonOf(insert.columns, its, form));
  const shape = parts
    .map(({ insert, form }, nth) => `${insert.name} ${form} ${shown(commons[nth] ?? NOTHING)}`)
    .join(";");
  const there = known.get(shape);
  if (there !== undefined) return there;
  let next = own + 1;
  const inputs = parts.map(({ insert, form }, nth) => {
    const input = inputOf(insert.columns, form, commons[nth], next);
    next += input.sent.length;
    return input;
  });
  const text = compose(parts.map(({ insert }, nth) => textOf(insert, (inputs[nth] as Input<never>).select)));
  const statement = { text, inputs };
  known.set(shape, statement);
  return statement;
}

/** Those of the inserts, after the statement's own. */
export const parametersOf = (
  sql: TransactionSql,
  { inputs }: InsertsStatement,
  parts: readonly Filled[],
): readonly Parameter[] => parts.flatMap((part, nth) => parametersFor(sql, inputs[nth] as Input<never>, part.its));

function textOf({ name, table, columns, beside = "", derived = {}, end = "" }: Insert<never>, select: string) {
  const sent = columns.filter((column) => !(column.name in derived));
  const columnNames = [...sent.map((column) => column.name), ...Object.keys(derived)].join(", ");
  const written = [cast(sent, "i"), ...Object.values(derived)].join(", ");
  const text = `
  insert into ${table} (${columnNames})
  select ${written} from (${select}${beside}) i ${end}
`;
  return { name, text };
}
