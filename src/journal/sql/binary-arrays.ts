// PostgreSQL's arrays as they are sent: in its binary format, which it takes as it is. To read them as text, sign by sign, was a seventh
// of what it did for the two statements of a sale in groups of 28, beside the system's part.

import { type ARRAY_OIDS, type ArrayElement, ELEMENT_OIDS } from "./arrays.ts";

/** Of one dimension (array_recv in PostgreSQL's arrayfuncs.c). @throws for what is no value of its type */
export function arrayBytes(type: keyof typeof ARRAY_OIDS, elements: readonly ArrayElement[]): Buffer {
  const { length } = elements;
  const write = WRITERS[type] as (element: ArrayElement, at: number) => number;
  reserve(0, HEADER_BYTES);
  space.writeInt32BE(length === 0 ? 0 : 1, 0);
  space.writeInt32BE(elements.includes(null) ? 1 : 0, 4);
  space.writeInt32BE(ELEMENT_OIDS[type], 8);
  if (length === 0) return Buffer.from(space.subarray(0, EMPTY_BYTES));
  space.writeInt32BE(length, 12);
  space.writeInt32BE(1, 16);
  let at = HEADER_BYTES;
  for (const element of elements) {
    reserve(at, MOST_FIXED_BYTES);
    const bytes = element === null ? -1 : write(element, at + 4);
    at = space.writeInt32BE(bytes, at) + Math.max(bytes, 0);
  }
  return taken(at);
}

/** Dimensions, whether there are nulls, and the elements' type; then length and first index. */
const EMPTY_BYTES = 12;
const HEADER_BYTES = 20;
/** Up to this length a call of Buffer's own takes longer than the signs. */
const SHORT = 24;
/** An element's length, and the longest one that makes no room for itself: a short text of three bytes a sign. */
const MOST_FIXED_BYTES = 4 + 3 * SHORT;

/** What is written is copied from here. It grows, for as long as one array is written. */
let space = Buffer.alloc(65_536);
/** A group with a megabyte in each of its rows would leave hundreds of them behind. */
const MOST_KEPT = 1_048_576;

function taken(bytes: number): Buffer {
  const written = space.subarray(0, bytes);
  if (space.length <= MOST_KEPT) return Buffer.from(written);
  space = Buffer.alloc(65_536);
  return written;
}

function reserve(at: number, bytes: number): void {
  if (at + bytes <= space.length) return;
  const larger = Buffer.alloc(2 * (at + bytes));
  space.copy(larger, 0, 0, at);
  space = larger;
}

type Writers = { readonly [Type in keyof typeof ARRAY_OIDS]: (element: never, at: number) => number };

/** Each writes an element, and says how many bytes it takes. */
const WRITERS: Writers = {
  bool: (element: boolean, at) => space.writeUInt8(element ? 1 : 0, at) - at,
  bytea: (element: Buffer, at) => {
    reserve(at, element.length);
    return element.copy(space, at);
  },
  int4: (element: number, at) => space.writeInt32BE(element, at) - at,
  int8: (element: bigint | number, at) => space.writeBigInt64BE(BigInt(element), at) - at,
  text: (element: string, at) => {
    if (element.length <= SHORT) return writeShort(element, at);
    reserve(at, Buffer.byteLength(element));
    return space.write(element, at);
  },
  timestamptz: (element: Date, at) =>
    space.writeBigInt64BE(BigInt(element.getTime() - YEAR_2000_MS) * MICROSECONDS, at) - at,
  uuid: writeUuid,
};

const YEAR_2000_MS = Date.UTC(2000, 0);
const MICROSECONDS = 1_000n;

function writeShort(text: string, at: number): number {
  for (let nth = 0; nth < text.length; nth++) {
    const sign = text.charCodeAt(nth);
    if (sign > 0x7f) return space.write(text, at);
    space[at + nth] = sign;
  }
  return text.length;
}

/** RFC 9562, section 4. */
function writeUuid(text: string, at: number): number {
  const bytes = space;
  let wrong = text.length ^ UUID_SIGNS;
  for (const sign of HYPHENS) wrong |= text.charCodeAt(sign) ^ HYPHEN;
  for (let nth = 0; nth < UUID_BYTES; nth++) {
    const sign = UUID_PLACES[nth] as number;
    const byte = (digit(text.charCodeAt(sign)) << 4) | digit(text.charCodeAt(sign + 1));
    wrong |= byte >> 8;
    bytes[at + nth] = byte;
  }
  if (wrong !== 0) throw new TypeError("no UUID");
  return UUID_BYTES;
}

/** The value of a hexadecimal digit, or less than nothing. */
function digit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const small = code | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x61 + 10 : -1;
}

const UUID_SIGNS = 36;
const UUID_BYTES = 16;
const HYPHEN = 0x2d;
const HYPHENS = [8, 13, 18, 23];
/** Of the first digit of each byte. */
const UUID_PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
