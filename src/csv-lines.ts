// Rows as CSV (RFC 4180), written as they are read, with values that no spreadsheet runs as a formula.

import { stringify } from "csv-stringify/sync";
import { printable } from "./printable.ts";

type Line<Name extends string> = { readonly [name in Name]: string | null | undefined };

/** Whoever sets the end of a line has to say that its halves are quoted, too. */
const OPTIONS = { record_delimiter: "windows", quote_record_delimiter: true } as const;

export interface Layout<Name extends string> {
  /** Columns of amounts that the gateway writes itself: a minus is a sign there, and begins no formula. */
  readonly amounts?: readonly Name[];
  /** Columns of numbers that are names, such as zips: a spreadsheet would drop their zeros. */
  readonly codes?: readonly Name[];
  /** For whoever opens the file in a spreadsheet: it begins with a mark that says UTF-8, and codes are texts. */
  readonly forSpreadsheet?: boolean;
  /** For a terminal, too: control characters within values do not come out of it. */
  readonly printed?: boolean;
}

const UTF_8_MARK = "\ufeff";

/** A header, then a line a row. Reads on only as fast as the lines are taken, and stops when nobody takes them any more. */
export async function* csvLines<Row, Name extends string>(
  columns: readonly Name[],
  portions: AsyncIterable<readonly Row[]>,
  line: (row: Row) => Line<Name>,
  layout: Layout<Name> = {},
): AsyncGenerator<string> {
  yield (layout.forSpreadsheet ? UTF_8_MARK : "") + stringify([[...columns]], OPTIONS);
  const writers = columns.map((name) => writerOf(name, layout));
  for await (const portion of portions) {
    const values = portion.map(line).map((one) => columns.map((name, index) => writers[index]?.(one[name] ?? "")));
    if (values.length > 0) yield stringify(values, OPTIONS);
  }
}

function writerOf<Name extends string>(name: Name, layout: Layout<Name>): (value: string) => string {
  const write = safeWriterOf(name, layout);
  return layout.printed ? (value) => write(printable(value)) : write;
}

function safeWriterOf<Name extends string>(name: Name, { amounts, codes, forSpreadsheet }: Layout<Name>) {
  if (amounts?.includes(name)) return (value: string) => (SIGNED.test(value) ? value : defused(value));
  return forSpreadsheet && codes?.includes(name) ? asText : defused;
}

const SIGNED = /^-\d+\.\d\d$/;

/** With an apostrophe before whatever has a digit: `00123`, `1E5` and `MAR1` would come out as a number or a date. */
function asText(value: string): string {
  const safe = defused(value);
  return /\d/.test(value) && safe === value ? `'${value}` : safe;
}

/** Also as wide as a Chinese character: Apple's Numbers reads those as formulas. */
const BEGINS = "[=+\\-@＝＋－＠]";
/** What readers skip before they look. */
const SKIPPED = "[\\s\\p{Cc}\\p{Cf}\"',;|]";
/** What other readers part cells and lines at. */
const PARTS = /[;|\t\r\n]/g;

const AT_START = new RegExp(`^(?:[\\t\\r]|${SKIPPED}*${BEGINS})`, "u");
const ALL_SKIPPED = new RegExp(`${SKIPPED}+`, "gu");
const FORMULA = new RegExp(`^${BEGINS}`, "u");

/** With an apostrophe before whatever could begin a formula: spreadsheets take what follows it for a text. */
export function defused(value: string): string {
  // One walk: a pattern that looks ahead from each part takes the square of a text of nothing but semicolons.
  const inside = value.replaceAll(ALL_SKIPPED, (skipped, at: number) =>
    FORMULA.test(value.slice(at + skipped.length, at + skipped.length + 1))
      ? skipped.replaceAll(PARTS, "$&'")
      : skipped,
  );
  return AT_START.test(value) ? `'${inside}` : inside;
}
