// The characters of a value: which it may be made of, and how digits go on the wire. Shared by both directions, so that what
// was written can be read.

import type { ByteReader, ByteWriter } from "./bytes.ts";
import type { Content } from "./dialect.ts";
import { CodecFault } from "./fault.ts";

/** By ASCII code: 1 where the character is allowed. */
const ALLOWED: Readonly<Record<Content, Uint8Array>> = {
  n: codes(/[0-9]/),
  an: codes(/[0-9A-Za-z]/),
  ans: codes(/[ -~]/),
  tagged: codes(/[ -~]/),
};

export const IN_WORDS: Readonly<Record<Content, string>> = {
  n: "digits",
  an: "letters and digits",
  ans: "printable ASCII",
  tagged: "printable ASCII",
};

export function madeOf(content: Content, text: string): boolean {
  const allowed = ALLOWED[content];
  for (let index = 0; index < text.length; index++) if (allowed[text.charCodeAt(index)] !== 1) return false;
  return true;
}

function codes(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
}

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
