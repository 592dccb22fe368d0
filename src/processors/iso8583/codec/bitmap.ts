// The bitmap: which fields follow. Bit 1 says that a second one follows at once, for fields 65 to 128. It is written only if one of those
// is there, and read in any case.

import type { ByteReader, ByteWriter } from "./bytes.ts";
import type { BitmapEncoding } from "./dialect.ts";
import { CodecFault } from "./fault.ts";

const HALF = 64;
const SECONDARY = 1;

/** @param present ascending */
export function writeBitmap(bytes: ByteWriter, encoding: BitmapEncoding, present: readonly number[]): void {
  const secondary = (present.at(-1) ?? 0) > HALF;
  const nibbles = new Uint8Array(secondary ? 32 : 16);
  if (secondary) mark(nibbles, SECONDARY);
  for (const field of present) mark(nibbles, field);
  let hex = "";
  for (const nibble of nibbles) hex += DIGITS[nibble];
  if (encoding === "hex") bytes.text(hex);
  else bytes.hex(hex);
}

/** Ascending. A field of unknown length cannot be skipped: that is a fault. */
export function readBitmap(bytes: ByteReader, encoding: BitmapEncoding, known: (field: number) => boolean): number[] {
  const first = readHalf(bytes, encoding);
  const secondary = isMarked(first, SECONDARY);
  const nibbles = secondary ? first + readHalf(bytes, encoding) : first;
  const present: number[] = [];
  for (let field = SECONDARY + 1; field <= nibbles.length * 4; field++) {
    if (!isMarked(nibbles, field)) continue;
    if (!known(field)) throw new CodecFault(`field ${field} has no known length`);
    present.push(field);
  }
  return present;
}

const DIGITS = "0123456789ABCDEF";

function mark(nibbles: Uint8Array, field: number): void {
  const at = (field - 1) >> 2;
  nibbles[at] = (nibbles[at] ?? 0) | (8 >> ((field - 1) & 3));
}

const isMarked = (hex: string, field: number): boolean =>
  (DIGITS.indexOf(hex.charAt((field - 1) >> 2)) & (8 >> ((field - 1) & 3))) !== 0;

function readHalf(bytes: ByteReader, encoding: BitmapEncoding): string {
  if (encoding === "binary") return bytes.takeHex(HALF / 8).toUpperCase();
  const hex = bytes.takeText(HALF / 4).toUpperCase();
  if (!/^[0-9A-F]{16}$/.test(hex)) throw new CodecFault("the bitmap is not hexadecimal");
  return hex;
}
