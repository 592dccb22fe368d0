// Digits on the wire: as ASCII, one a byte, or as BCD, two a byte. An odd number of BCD digits has a zero before it; that
// nibble is checked, so that every value has one form only.

import type { ByteReader, ByteWriter } from "./bytes.ts";
import { madeOf } from "./content.ts";
import { CodecFault } from "./fault.ts";

export interface DigitsCodec {
  write(bytes: ByteWriter, digits: string): void;
  /** @param count digits, not bytes */
  read(bytes: ByteReader, count: number): string;
}

const ascii: DigitsCodec = {
  write: (bytes, digits) => bytes.text(digits),
  read: (bytes, count) => checked(bytes.takeText(count)),
};

const bcd: DigitsCodec = {
  write: (bytes, digits) => bytes.hex(digits.length % 2 === 0 ? digits : `0${digits}`),
  read(bytes, count) {
    const packed = checked(bytes.takeHex(Math.ceil(count / 2)));
    if (count % 2 === 0) return packed;
    if (!packed.startsWith("0")) throw new CodecFault("the nibble before an odd number of BCD digits is not zero");
    return packed.slice(1);
  },
};

export const DIGITS: Readonly<Record<"ascii" | "bcd", DigitsCodec>> = { ascii, bcd };

function checked(digits: string): string {
  if (!madeOf("n", digits)) throw new CodecFault("something else than digits");
  return digits;
}
