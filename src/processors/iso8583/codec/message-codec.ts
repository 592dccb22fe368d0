// A message to bytes and back: type, bitmap, fields. Strict in both directions, and every message has exactly one form:
// what decodes encodes to the same bytes again.

import { readBitmap, writeBitmap } from "./bitmap.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { DIGITS, type DigitsCodec, IN_WORDS, madeOf } from "./content.ts";
import { type Dialect, type FieldFormat, fieldOf, type LengthRule, messageTypeOf } from "./dialect.ts";
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

export function decodeMessage(encoded: Buffer, dialect: Dialect): Message {
  if (encoded.length > LONGEST_MESSAGE) throw new CodecFault(`the message is longer than ${LONGEST_MESSAGE} bytes`);
  const bytes = new ByteReader(encoded);
  const mti = DIGITS[dialect.digits].read(bytes, 4);
  if (messageTypeOf(dialect, mti) === undefined) throw new CodecFault(UNKNOWN_TYPE);
  const fields = new Map<number, string>();
  const known = (field: number) => fieldOf(dialect, field) !== undefined;
  for (const field of readBitmap(bytes, dialect.bitmap, known)) fields.set(field, readField(bytes, dialect, field));
  if (bytes.left > 0) throw new CodecFault(`${bytes.left} bytes after the last field`);
  return new Message(mti, fields);
}

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

function readField(bytes: ByteReader, dialect: Dialect, field: number): string {
  const format = formatOf(dialect, field);
  const prefix = LENGTH_DIGITS[format.rule];
  try {
    const length = prefix > 0 ? Number(lengthsOf(dialect).read(bytes, prefix)) : format.length;
    if (length > format.length) throw new CodecFault(`longer than ${format.length}`);
    const value = format.content === "n" ? DIGITS[dialect.digits].read(bytes, length) : bytes.takeText(length);
    check(dialect, field, format, value);
    return value;
  } catch (fault) {
    throw fault instanceof CodecFault && !fault.message.startsWith("field ") ? fieldFault(field, fault.message) : fault;
  }
}

function check(dialect: Dialect, field: number, { content, rule, length }: FieldFormat, value: string): void {
  if (rule === "fixed" && value.length !== length) throw fieldFault(field, `not ${length} long`);
  if (value.length === 0 || value.length > length) throw fieldFault(field, `not 1 to ${length} long`);
  if (!madeOf(content, value)) throw fieldFault(field, `something else than ${IN_WORDS[content]}`);
  if (content === "tagged") parseTagged(value, dialect, field);
}
