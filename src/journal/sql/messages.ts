// The messages of the server that answer statements (PostgreSQL, section 54.7). Whatever reads beyond its message throws.

import { parserOf } from "./values.ts";

export const TYPE = {
  parseComplete: 0x31,
  bindComplete: 0x32,
  closeComplete: 0x33,
  notification: 0x41,
  commandComplete: 0x43,
  dataRow: 0x44,
  error: 0x45,
  emptyQuery: 0x49,
  notice: 0x4e,
  parameterStatus: 0x53,
  rowDescription: 0x54,
  readyForQuery: 0x5a,
  noData: 0x6e,
} as const;

export interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** Between type and modifiers of a column: table, number in it; after: size, modifier, format. */
const BEFORE_TYPE = 6;
const AFTER_TYPE = 6;

export function readColumns(bytes: Buffer, start: number, end: number): readonly Column[] {
  const columns: Column[] = [];
  let at = start + 2;
  for (let left = bytes.readInt16BE(start); left > 0; left--) {
    const nameEnd = endOfText(bytes, at, end);
    const type = bytes.readUInt32BE(nameEnd + 1 + BEFORE_TYPE);
    const next = nameEnd + 1 + BEFORE_TYPE + 4 + AFTER_TYPE + 2;
    if (next > end) throw new Error("a description that is cut off");
    if (bytes.readInt16BE(next - 2) !== 0) throw new Error("a column that is not text");
    columns.push({ name: bytes.toString("utf8", at, nameEnd), parse: parserOf(type) });
    at = next;
  }
  if (at !== end) throw new Error("a description that goes on");
  return columns;
}

export function readRow(columns: readonly Column[], bytes: Buffer, start: number, end: number): object {
  if (bytes.readInt16BE(start) !== columns.length) throw new Error("a row with other columns than were described");
  const row: Record<string, unknown> = {};
  let at = start + 2;
  for (const { name, parse } of columns) {
    if (at + 4 > end) throw new Error("a row that is cut off");
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length < -1 || at + length > end) throw new Error("a value that is cut off");
    row[name] = length === -1 ? null : parse(bytes.toString("utf8", at, at + length));
    at += Math.max(length, 0);
  }
  if (at !== end) throw new Error("a row that goes on");
  return row;
}

/** "INSERT 0 5": the verb, and how many rows, if it says so. */
export function readTag(bytes: Buffer, start: number, end: number): { readonly tag: string; readonly count?: number } {
  if (endOfText(bytes, start, end) !== end - 1) throw new Error("an end that goes on");
  const tag = bytes.toString("latin1", start, end - 1);
  const space = tag.lastIndexOf(" ");
  const count = space === -1 ? Number.NaN : Number(tag.slice(space + 1));
  return Number.isInteger(count) ? { tag, count } : { tag };
}

/** `I`, `T` in a transaction, `E` in one that failed. */
export function readStatus(bytes: Buffer, start: number, end: number): string {
  const status = bytes.toString("latin1", start, end);
  if (!/^[ITE]$/.test(status)) throw new Error("no such status");
  return status;
}

export function readFields(bytes: Buffer, start: number, end: number): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let at = start;
  while (at < end - 1) {
    const textEnd = endOfText(bytes, at + 1, end);
    fields.set(bytes.toString("latin1", at, at + 1), bytes.toString("utf8", at + 1, textEnd));
    at = textEnd + 1;
  }
  if (at !== end - 1 || bytes[at] !== 0) throw new Error("an error that is cut off");
  return fields;
}

function endOfText(bytes: Buffer, start: number, end: number): number {
  const found = bytes.indexOf(0, start);
  if (found === -1 || found >= end) throw new Error("a text without an end");
  return found;
}
