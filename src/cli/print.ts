// What the command line prints: JSON for programs, sentences and aligned columns for people. All of it goes through this file, and
// through printable.ts, since most values are of merchants and processors.

import { printable, printableJson, printableLines } from "../printable.ts";
import type { Failure } from "./refused.ts";

let asJson = false;

/** For whoever asked for JSON, notes on stderr are JSON too: `{"note": "…"}`, one a line. */
export function notesAsJson(json: boolean): void {
  asJson = json;
}

/** Not on stdout, which has the result only. */
export function progress(line: string): void {
  process.stderr.write(`${asJson ? jsonText({ note: line }) : printable(line)}\n`);
}

/** The last line on stderr. As the API writes errors, with the exit code in place of the status. */
export function tellFailure({ exitCode, code, text, fields }: Failure, json: boolean): void {
  const line = text.replace(/\s*\n\s*/g, " ").trim();
  if (json) {
    const error = { exit_code: exitCode, code, message: fields ?? { base: [line] } };
    process.stderr.write(`${jsonText({ error })}\n`);
  } else process.stderr.write(`${printable(`error: ${line}`)}\n`);
}

/** With --json the value alone, as the HTTP API would return it; without, the text. */
export function print(json: boolean | undefined, value: object, text: () => string): void {
  process.stdout.write(`${json ? jsonText(value, 2) : printableLines(text())}\n`);
}

/** For programs, and safe at a terminal. */
export const jsonText = (value: object, indent?: number): string => printableJson(JSON.stringify(value, null, indent));

type Cell = string | number | boolean | null | undefined;

/** Columns under their headings, or the sentence for an empty list. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[], none: string): string {
  if (rows.length === 0) return none;
  return aligned([headings.map((heading) => heading.toUpperCase()), ...rows.map((row) => row.map(shown))]);
}

/** A sentence, and below it the record: one line a field, `settlement.cutoff_at  22:00`. */
export const details = (sentence: string, record: object): string =>
  `${sentence}\n\n${aligned(flat(record).map(([name, value]) => [`  ${printable(name)}`, value]))}`;

function flat(record: object, prefix = ""): [string, string][] {
  return Object.entries(record).flatMap(([name, value]): [string, string][] => {
    if (Array.isArray(value)) return [[prefix + name, value.length === 0 ? "-" : printable(value.join(", "))]];
    if (typeof value === "object" && value !== null) return flat(value, `${prefix}${name}.`);
    return [[prefix + name, shown(value)]];
  });
}

function shown(value: Cell): string {
  if (value === true) return "yes";
  if (value === false) return "no";
  return value === null || value === undefined ? "-" : printable(String(value));
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => [...(row[column] ?? "")].length)));
  const pad = (text: string, width = 0) => text + " ".repeat(Math.max(width - [...text].length, 0));
  return rows
    .map((row) =>
      row
        .map((text, column) => pad(text, widths[column]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Waits for whoever reads: what is printed may be as long as the books. */
export function write(text: string): Promise<void> | void {
  if (process.stdout.write(text) || process.stdout.destroyed) return;
  return new Promise((resolve) => {
    process.stdout.once("drain", resolve);
    process.stdout.once("close", resolve);
  });
}

/** One line of JSON a row, as they are read. */
export async function* jsonLines<Row>(
  portions: AsyncIterable<readonly Row[]>,
  shownAs: (row: Row) => object,
): AsyncGenerator<string> {
  for await (const portion of portions) yield portion.map((row) => `${jsonText(shownAs(row))}\n`).join("");
}
