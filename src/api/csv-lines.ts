// Rows as CSV (RFC 4180), written as they are read. Values that a spreadsheet would run as a formula are defused by the
// library.

import { Readable } from "node:stream";
import { stringify } from "csv-stringify/sync";

type Line<Name extends string> = { readonly [name in Name]: string | null | undefined };

const OPTIONS = { escape_formulas: true, record_delimiter: "windows" } as const;

/** A header, then a line a row. Reads on only as fast as the lines are taken, and stops when nobody takes them any more. */
export function csvLines<Row, Name extends string>(
  columns: readonly Name[],
  portions: AsyncIterable<readonly Row[]>,
  line: (row: Row) => Line<Name>,
): Readable {
  return Readable.from(written(columns, portions, line));
}

async function* written<Row, Name extends string>(
  columns: readonly Name[],
  portions: AsyncIterable<readonly Row[]>,
  line: (row: Row) => Line<Name>,
): AsyncGenerator<string> {
  yield stringify([[...columns]], OPTIONS);
  for await (const portion of portions) {
    const values = portion.map(line).map((one) => columns.map((name) => one[name] ?? ""));
    if (values.length > 0) yield stringify(values, OPTIONS);
  }
}
