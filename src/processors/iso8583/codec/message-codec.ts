// A message to bytes and back: type, bitmap, fields. Strict in both directions, and every message has exactly one form:
// what decodes encodes to the same bytes again.

import { type BitmapEncoding, inOrder, readBitmap, writeBitmap } from "./bitmap.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { IN_WORDS, madeOf } from "./content.ts";
import { DIGITS, type DigitsCodec } from "./digits.ts";
import { CodecFault, fieldFault } from "./fault.ts";
import { FIELDS, type FieldFormat, type FieldNumber, type LengthRule } from "./fields.ts";
import { Message } from "./message.ts";
import { isMessageType } from "./message-types.ts";
import { parseTagged } from "./tagged.ts";

/** How a host wants the same message written. BCD holds for the type, the lengths and all fields of digits. */
export interface Wire {
  readonly digits: "ascii" | "bcd";
  readonly bitmap: BitmapEncoding;
}

/** All fields at their longest are under 2,700 bytes. */
export const LONGEST_MESSAGE = 4096;

const LENGTH_DIGITS: Readonly<Record<LengthRule, number>> = { fixed: 0, llvar: 2, lllvar: 3 };

export function encodeMessage(message: Message, wire: Wire): Buffer {
  const bytes = new ByteWriter(LONGEST_MESSAGE);
  const digits = DIGITS[wire.digits];
  if (!isMessageType(message.mti)) throw new CodecFault("the message type is not in the message format");
  digits.write(bytes, message.mti);
  const present = inOrder((field) => message.has(field));
  writeBitmap(bytes, wire.bitmap, present);
  for (const field of present) writeField(bytes, digits, field, message.get(field) ?? "");
  return bytes.written();
}

export function decodeMessage(encoded: Buffer, wire: Wire): Message {
  if (encoded.length > LONGEST_MESSAGE) throw new CodecFault(`the message is longer than ${LONGEST_MESSAGE} bytes`);
  const bytes = new ByteReader(encoded);
  const digits = DIGITS[wire.digits];
  const mti = digits.read(bytes, 4);
  if (!isMessageType(mti)) throw new CodecFault("the message type is not in the message format");
  const fields = new Map<FieldNumber, string>();
  for (const field of readBitmap(bytes, wire.bitmap)) fields.set(field, readField(bytes, digits, field));
  if (bytes.left > 0) throw new CodecFault(`${bytes.left} bytes after the last field`);
  return new Message(mti, fields);
}

function writeField(bytes: ByteWriter, digits: DigitsCodec, field: FieldNumber, value: string): void {
  const format: FieldFormat = FIELDS[field];
  check(field, format, value);
  const prefix = LENGTH_DIGITS[format.rule];
  if (prefix > 0) digits.write(bytes, String(value.length).padStart(prefix, "0"));
  if (format.content === "n") digits.write(bytes, value);
  else bytes.text(value);
}

function readField(bytes: ByteReader, digits: DigitsCodec, field: FieldNumber): string {
  const format: FieldFormat = FIELDS[field];
  const prefix = LENGTH_DIGITS[format.rule];
  try {
    const length = prefix > 0 ? Number(digits.read(bytes, prefix)) : format.length;
    if (length > format.length) throw new CodecFault(`longer than ${format.length}`);
    const value = format.content === "n" ? digits.read(bytes, length) : bytes.takeText(length);
    check(field, format, value);
    return value;
  } catch (fault) {
    throw fault instanceof CodecFault && !fault.message.startsWith("field ") ? fieldFault(field, fault.message) : fault;
  }
}

function check(field: FieldNumber, { content, rule, length }: FieldFormat, value: string): void {
  if (rule === "fixed" && value.length !== length) throw fieldFault(field, `not ${length} long`);
  if (value.length === 0 || value.length > length) throw fieldFault(field, `not 1 to ${length} long`);
  if (!madeOf(content, value)) throw fieldFault(field, `something else than ${IN_WORDS[content]}`);
  if (content === "tagged") parseTagged(value);
}
