// A message to bytes and back: type, bitmap, fields. Writing is strict, and so is reading of what a message must have: what decides over
// money is never guessed. All other fields are skipped by their length.

import { readBitmap, writeBitmap } from "./bitmap.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { DIGITS, type DigitsCodec, IN_WORDS, madeOf } from "./content.ts";
import {
  type Dialect,
  type FieldFormat,
  fieldOf,
  type Layout,
  type LengthRule,
  layoutOf,
  type MessageType,
  messageTypeOf,
  plainTypeOf,
} from "./dialect.ts";
import { CodecFault, fieldFault } from "./fault.ts";
import { Message } from "./message.ts";
import { parseTagged } from "./tagged.ts";

/** All fields of the standard dialect at their longest are under 2,700 bytes. */
export const LONGEST_MESSAGE = 4096;

const LENGTH_DIGITS: Readonly<Record<LengthRule, number>> = { fixed: 0, llvar: 2, lllvar: 3 };

export function encodeMessage(message: Message, dialect: Dialect): Buffer {
  const bytes = new ByteWriter(LONGEST_MESSAGE);
  if (messageTypeOf(dialect, message.mti) === undefined) throw new CodecFault(UNKNOWN_TYPE);
  DIGITS[dialect.digits].write(bytes, message.mti);
  const present = message.fieldNumbers;
  writeBitmap(bytes, dialect.bitmap, present);
  for (const field of present) writeField(bytes, dialect, field, message.get(field) ?? "");
  return bytes.written();
}

export interface Decoded {
  /** Of an answer the plain type: 0210 also where the host wrote 0212. */
  readonly message: Message;
  /** As it was written. */
  readonly mti: string;
  /** Fields that are there, and whose content nobody needs or could read. */
  readonly skipped: readonly number[];
}

export const decodeMessage = (encoded: Buffer, dialect: Dialect): Message => decodeWhole(encoded, dialect).message;

/** What the message must have is read strictly; the rest is skipped by its length. */
export function decodeWhole(encoded: Buffer, dialect: Dialect): Decoded {
  if (encoded.length > LONGEST_MESSAGE) throw new CodecFault(`the message is longer than ${LONGEST_MESSAGE} bytes`);
  const bytes = new ByteReader(encoded);
  const mti = DIGITS[dialect.digits].read(bytes, 4);
  const plain = plainTypeOf(mti);
  const type = messageTypeOf(dialect, plain);
  if (type === undefined) throw new CodecFault(UNKNOWN_TYPE);
  const fields = new Map<number, string>();
  const skipped: number[] = [];
  const known = (field: number) => layoutOf(dialect, field) !== undefined;
  for (const field of readBitmap(bytes, dialect.bitmap, known)) {
    const value = readField(bytes, dialect, field, isNeeded(type, field));
    if (value === undefined) skipped.push(field);
    else fields.set(field, value);
  }
  if (bytes.left > 0) throw new CodecFault(`${bytes.left} bytes after the last field`);
  return { message: new Message(plain, fields), mti, skipped };
}

const isNeeded = ({ required, optional, informative = [] }: MessageType, field: number): boolean =>
  required.includes(field) || (optional.includes(field) && !informative.includes(field));

const UNKNOWN_TYPE = "the message type is not in the message format";

const lengthsOf = ({ lengths, digits }: Dialect): DigitsCodec => DIGITS[lengths === "as digits" ? digits : lengths];

function formatOf(dialect: Dialect, field: number): FieldFormat {
  const format = fieldOf(dialect, field);
  if (format === undefined) throw new CodecFault(`field ${field} is not in the message format`);
  return format;
}

function writeField(bytes: ByteWriter, dialect: Dialect, field: number, value: string): void {
  const format = formatOf(dialect, field);
  check(dialect, field, format, value);
  const prefix = LENGTH_DIGITS[format.rule];
  if (prefix > 0) lengthsOf(dialect).write(bytes, String(value.length).padStart(prefix, "0"));
  if (format.content === "n") DIGITS[dialect.digits].write(bytes, value);
  else bytes.text(value);
}

/** Undefined: it was skipped. @param needed a value that does not fit its format is a fault */
function readField(bytes: ByteReader, dialect: Dialect, field: number, needed: boolean): string | undefined {
  const format = fieldOf(dialect, field);
  try {
    const length = lengthAhead(bytes, dialect, field);
    const content = new ByteReader(bytes.take(sizeOf(dialect, field, length)));
    try {
      return format && valueIn(content, dialect, field, format, length);
    } catch (fault) {
      if (!needed && fault instanceof CodecFault) return undefined;
      throw fault;
    }
  } catch (fault) {
    throw fault instanceof CodecFault && !fault.message.startsWith("field ") ? fieldFault(field, fault.message) : fault;
  }
}

/** As it stands before the field, in characters, digits or bytes. */
function lengthAhead(bytes: ByteReader, dialect: Dialect, field: number): number {
  const { rule, length } = layout(dialect, field);
  const prefix = LENGTH_DIGITS[rule];
  return prefix > 0 ? Number(lengthsOf(dialect).read(bytes, prefix)) : length;
}

function valueIn(bytes: ByteReader, dialect: Dialect, field: number, format: FieldFormat, length: number): string {
  if (length > format.length) throw new CodecFault(`longer than ${format.length}`);
  const value = format.content === "n" ? DIGITS[dialect.digits].read(bytes, length) : bytes.takeText(length);
  check(dialect, field, format, value);
  return value;
}

/** In bytes. */
function sizeOf(dialect: Dialect, field: number, length: number): number {
  const packed = dialect.digits === "bcd" ? Math.ceil(length / 2) : length;
  switch (layout(dialect, field).content) {
    case "n":
      return packed;
    case "x+n":
      return 1 + packed;
    case "b":
      return dialect.bitmap === "hex" ? 2 * length : length;
    case "an":
    case "ans":
    case "tagged":
      return length;
  }
}

function layout(dialect: Dialect, field: number): Layout {
  const found = layoutOf(dialect, field);
  if (found === undefined) throw new CodecFault(`field ${field} has no known length`);
  return found;
}

function check(dialect: Dialect, field: number, { content, rule, length }: FieldFormat, value: string): void {
  if (rule === "fixed" && value.length !== length) throw fieldFault(field, `not ${length} long`);
  if (value.length === 0 || value.length > length) throw fieldFault(field, `not 1 to ${length} long`);
  if (!madeOf(content, value)) throw fieldFault(field, `something else than ${IN_WORDS[content]}`);
  if (content === "tagged") parseTagged(value, dialect, field);
}
