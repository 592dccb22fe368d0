// A whole multipart/form-data body to its fields (RFC 7578). Files are refused, and so is every part that cannot be
// understood: a capture whose `amount` were skipped in silence would capture all that is left. busboy skips such parts,
// and takes 15 to 70 ms where this takes 3 (120 passengers); a body is at most 1 MiB here, so nothing is gained by
// parsing it in pieces.

import { isUtf8 } from "node:buffer";
import { MOST_VALUES, tooMany } from "./bounds.ts";
import type { Field } from "./brackets.ts";
import { brokenMultipart as broken, partOf } from "./multipart-part.ts";

const LINE_END = Buffer.from("\r\n");
const BLANK_LINE = Buffer.from("\r\n\r\n");
const DASH = 0x2d;
/** As many as a request itself may have. Each line, parameter and type in them costs far more than a value's bytes. */
const MOST_HEADER_BYTES = 16 * 1024;

export function fieldsOfMultipart(body: Buffer, boundary: string): readonly Field[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  const fields: Field[] = [];
  for (let at = afterFirstDelimiter(body, delimiter); !isEnd(body, at); ) {
    if (fields.length === MOST_VALUES) throw tooMany();
    const start = afterLineEnd(body, at);
    const end = body.indexOf(delimiter, start - LINE_END.length);
    if (end === -1) throw broken("it ends before its last boundary (--boundary--)");
    fields.push(fieldOf(body, start, end));
    at = end + delimiter.length;
  }
  return fields;
}

function afterFirstDelimiter(body: Buffer, delimiter: Buffer): number {
  let at = 0;
  while (startsWith(body, LINE_END, at)) at += LINE_END.length;
  const first = delimiter.subarray(LINE_END.length);
  // A text may stand before it, which is ignored (RFC 2046); no client sends one, and it may be a part gone wrong.
  if (!startsWith(body, first, at)) throw broken("it does not begin with the boundary that Content-Type names");
  return at + first.length;
}

function isEnd(body: Buffer, at: number): boolean {
  if (body[at] !== DASH || body[at + 1] !== DASH) return false;
  if (/[^\r\n]/.test(body.toString("latin1", at + 2))) throw broken("something follows its last boundary");
  return true;
}

function afterLineEnd(body: Buffer, afterDelimiter: number): number {
  let at = afterDelimiter;
  while (body[at] === 0x20 || body[at] === 0x09) at += 1;
  if (!startsWith(body, LINE_END, at)) throw broken("a boundary is not followed by a line end (CR LF)");
  return at + LINE_END.length;
}

/** @param start of the headers; @param end of the value, where the delimiter begins */
function fieldOf(body: Buffer, start: number, end: number): Field {
  const blank = body.indexOf(BLANK_LINE, start - LINE_END.length);
  const valueStart = blank + BLANK_LINE.length;
  if (blank < start || valueStart > end) throw broken("a part lacks its headers, or the empty line after them");
  if (blank - start > MOST_HEADER_BYTES) throw broken("a part has more than 16 KiB of headers");
  const { name, charset } = partOf(textOf(body.subarray(start, blank)));
  const value = body.subarray(valueStart, end);
  return [name, charset === "latin1" ? value.toString("latin1") : textOf(value)];
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw broken("it is not UTF-8");
  return bytes.toString("utf8");
}

function startsWith(body: Buffer, what: Buffer, at: number): boolean {
  return at + what.length <= body.length && body.compare(what, 0, what.length, at, at + what.length) === 0;
}
