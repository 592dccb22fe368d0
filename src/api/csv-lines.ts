// Rows as CSV (RFC 4180), written as they are read, with values that no spreadsheet runs as a formula.

import { stringify } from "csv-stringify/sync";

type Line<Name extends string> = { readonly [name in Name]: string | null | undefined };

/** Whoever sets the end of a line has to say that its halves are quoted, too. */
const OPTIONS = { record_delimiter: "windows", quote_record_delimiter: true } as const;

/** A header, then a line a row. Reads on only as fast as the lines are taken, and stops when nobody takes them any more. */
export async function* csvLines<Row, Name extends string>(
  columns: readonly Name[],
  portions: AsyncIterable<readonly Row[]>,
  line: (row: Row) => Line<Name>,
): AsyncGenerator<string> {
  yield stringify([[...columns]], OPTIONS);
  for await (const portion of portions) {
    const values = portion.map(line).map((one) => columns.map((name) => defused(one[name] ?? "")));
    if (values.length > 0) yield stringify(values, OPTIONS);
  }
}

/** Also as wide as a Chinese character: Apple's Numbers reads those as formulas. */
const BEGINS = "[=+\\-@＝＋－＠]";
/** What readers skip before they look. */
const SKIPPED = "[\\s\\p{Cc}\\p{Cf}\"',;|]*";
/** What other readers part cells and lines at. */
const PARTS = "[;|\\t\\r\\n]";

const AT_START = new RegExp(`^(?:[\\t\\r]|${SKIPPED}${BEGINS})`, "u");
const AFTER_PART = new RegExp(`(${PARTS})(?=${SKIPPED}${BEGINS})`, "gu");

/** With an apostrophe before whatever could begin a formula: spreadsheets take what follows it for a text. */
export function defused(value: string): string {
  const inside = value.replaceAll(AFTER_PART, "$1'");
  return AT_START.test(value) ? `'${inside}` : inside;
}
