// Rows as CSV (RFC 4180), written as they are read, with values that no spreadsheet runs as a formula.

import { stringify } from "csv-stringify/sync";

type Line<Name extends string> = { readonly [name in Name]: string | null | undefined };

const OPTIONS = { escape_formulas: true, record_delimiter: "windows" } as const;

/** A header, then a line a row. Reads on only as fast as the lines are taken, and stops when nobody takes them any more. */
export async function* csvLines<Row, Name extends string>(
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
