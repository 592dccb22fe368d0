// A whole multipart/form-data body to its fields (RFC 7578). Files are refused unless they are JSON, and so is every part that cannot be
// understood: a capture whose `amount` were skipped in silence would capture all that is left. busboy skips such parts,
// and takes 15 to 70 ms where this takes 3 (120 passengers); a body is at most 1 MiB here, so nothing is gained by
// parsing it in pieces.

import { isUtf8 } from "node:buffer";
import { shownName } from "../../validation/stray-card-numbers.ts";
import { MOST_VALUES, tooMany } from "./bounds.ts";
import { type Field, JsonPart } from "./brackets.ts";
import { readJson } from "./json.ts";
import { OF_A_BODY } from "./json-scan.ts";
import { brokenMultipart as broken, partOf } from "./multipart-part.ts";

const LINE_END = Buffer.from("\r\n");
const BLANK_LINE = Buffer.from("\r\n\r\n");
/** As many as a request itself may have. Each line, parameter and type in them costs far more than a value's bytes. */
const MOST_HEADER_BYTES = 16 * 1024;

export interface Multipart {
  readonly fields: readonly Field[];
  /** The texts before the first boundary and after the last one, which nobody reads (RFC 2046, section 5.1.1). */
  readonly around: string;
}

export function readMultipart(body: Buffer, boundary: string): Multipart {
  const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  const first = placeOfFirst(body, delimiter);
  const fields: Field[] = [];
  const left = { ...OF_A_BODY };
  let at = first + delimiter.length - LINE_END.length;
  while (!isEnd(body, at)) {
    if (fields.length === MOST_VALUES) throw tooMany();
    const start = afterLineEnd(body, at);
    const end = body.indexOf(delimiter, start - LINE_END.length);
    if (end === -1) throw broken("it ends before its last boundary (--boundary--)");
    fields.push(fieldOf(body, start, end, left));
    at = end + delimiter.length;
  }
  const around = `${body.toString("utf8", 0, first)}\n${body.toString("utf8", at + END.length)}`;
  if (/content-disposition/i.test(around)) throw broken("a part is before its first boundary or after its last one");
  return { fields, around };
}

/** Where its dashes are: at the start of a line. */
function placeOfFirst(body: Buffer, delimiter: Buffer): number {
  if (startsWith(body, delimiter.subarray(LINE_END.length), 0)) return 0;
  const place = body.indexOf(delimiter);
  if (place === -1) throw broken("it does not have the boundary that Content-Type names");
  return place + LINE_END.length;
}

const END = "--";

function isEnd(body: Buffer, at: number): boolean {
  if (body.toString("latin1", at, at + END.length) !== END) return false;
  if (!/^[ \t]*(?:[\r\n]|$)/.test(body.toString("latin1", at + END.length)))
    throw broken("something follows its last boundary on the same line");
  return true;
}

function afterLineEnd(body: Buffer, afterDelimiter: number): number {
  let at = afterDelimiter;
  while (body[at] === 0x20 || body[at] === 0x09) at += 1;
  if (!startsWith(body, LINE_END, at)) throw broken("a boundary is not followed by a line end (CR LF)");
  return at + LINE_END.length;
}

/**
 * @param start of the headers
 * @param end of the value, where the delimiter begins
 * @param left what JSON may still hold
 */
function fieldOf(body: Buffer, start: number, end: number, left: Left): Field {
  const blank = body.indexOf(BLANK_LINE, start - LINE_END.length);
  const valueStart = blank + BLANK_LINE.length;
  if (blank < start || valueStart > end) throw broken("a part lacks its headers, or the empty line after them");
  if (blank - start > MOST_HEADER_BYTES) throw broken("a part has more than 16 KiB of headers");
  const { name, charset, isJson } = partOf(textOf(body.subarray(start, blank)));
  const value = body.subarray(valueStart, end);
  const text = charset === "latin1" ? value.toString("latin1") : textOf(value);
  return [name, isJson && text !== "" ? jsonIn(name, text, left) : text];
}

type Left = { values: number; branches: number; readonly depth: number };

function jsonIn(name: string, text: string, left: Left): JsonPart {
  // The body itself is one level, and so is each pair of brackets.
  const depth = left.depth - name.split("[").length;
  const read = readJson(text, `The part ${JSON.stringify(shownName(name))}`, { ...left, depth });
  left.values -= read.values;
  left.branches -= read.branches;
  return new JsonPart(read);
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw broken("it is not UTF-8");
  return bytes.toString("utf8");
}

function startsWith(body: Buffer, what: Buffer, at: number): boolean {
  return at + what.length <= body.length && body.compare(what, 0, what.length, at, at + what.length) === 0;
}
