// What a dialect of ISO 8583 is, as a value: its fields, what its private field holds, its types of message, and how digits,
// lengths and bitmaps are written. An acquirer's variant is another value; the codec has no field of its own.

import { CodecFault } from "./fault.ts";
import type { Message } from "./message.ts";

/**
 * - `n` digits; these are what BCD packs, two a byte
 * - `an` letters and digits
 * - `ans` printable ASCII, the space included
 * - `tagged` the same, made of tags
 */
export type Content = "n" | "an" | "ans" | "tagged";

/** `fixed`: always so long. `llvar`, `lllvar`: after its length in two or three digits, from 1 up to so long. */
export type LengthRule = "fixed" | "llvar" | "lllvar";

/** What a person may see of a value: a card number its mask, a CVV nothing. Without it, all. */
export type Shown = "mask" | "nothing";

/**
 * How long a field is that is skipped. `b`: bytes, which a host with hexadecimal bitmaps writes as twice as many digits. `x+n`: a letter for
 * credit or debit before digits.
 */
export interface Layout {
  readonly content: Content | "b" | "x+n";
  readonly rule: LengthRule;
  /** In characters, digits or bytes; of `x+n` the digits alone. Where the length comes before the field, that one counts. */
  readonly length: number;
}

export interface FieldFormat extends Layout {
  readonly content: Content;
  readonly name: string;
  readonly shown?: Shown;
}

/** Of a tag in the field of content `tagged`. */
export interface TagFormat {
  readonly content: Exclude<Content, "tagged">;
  readonly least: number;
  readonly most: number;
  /** Whether it may come several times, in an order that has a meaning. */
  readonly repeats?: true;
  readonly name: string;
  readonly shown?: Shown;
}

export interface MessageType {
  readonly name: string;
  /** Fields without which such a message is none. */
  readonly required: readonly number[];
  /** Fields that it may have. Others are not sent. */
  readonly optional: readonly number[];
  /** Of `optional`: those that only inform. One that cannot be read is as if it were not there, and so is any field beyond these. */
  readonly informative?: readonly number[];
}

export type DigitsEncoding = "ascii" | "bcd";
export type BitmapEncoding = "hex" | "binary";

/** How a host wants the same message written. */
export interface Writing {
  /** The type and all fields of digits. */
  readonly digits: DigitsEncoding;
  readonly bitmap: BitmapEncoding;
}

export interface Dialect extends Writing {
  readonly name: string;
  /** The lengths before fields. */
  readonly lengths: DigitsEncoding | "as digits";
  /** By field number, 2 to 128. */
  readonly fields: Readonly<Record<number, FieldFormat>>;
  /** Of all other fields, to skip them by. */
  readonly layouts: Readonly<Record<number, Layout>>;
  /** The field of content `tagged`. Messages are made with it in {@link PRIVATE_DATA}, whatever its number here. */
  readonly privateData: number;
  /** By their two characters. */
  readonly tags: Readonly<Record<string, TagFormat>>;
  /** By message type indicator, four digits. */
  readonly messageTypes: Readonly<Record<string, MessageType>>;
}

export const writtenAs = (dialect: Dialect, { digits, bitmap }: Writing): Dialect => ({ ...dialect, digits, bitmap });

const own = <T>(record: Readonly<Record<string | number, T>>, key: string | number): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

export const fieldOf = ({ fields }: Dialect, field: number): FieldFormat | undefined => own(fields, field);
export const layoutOf = (dialect: Dialect, field: number): Layout | undefined =>
  fieldOf(dialect, field) ?? own(dialect.layouts, field);
export const tagOf = ({ tags }: Dialect, tag: string): TagFormat | undefined => own(tags, tag);
export const messageTypeOf = ({ messageTypes }: Dialect, mti: string): MessageType | undefined =>
  own(messageTypes, mti);

/** The required fields that this message lacks; all of none where its type is not in the dialect. */
export function missingFields(dialect: Dialect, message: Message): readonly number[] {
  return messageTypeOf(dialect, message.mti)?.required.filter((field) => !message.has(field)) ?? [];
}

/** Whether it is of a type that the dialect has, with all that such a message must have. */
export const isWhole = (dialect: Dialect, message: Message): boolean =>
  messageTypeOf(dialect, message.mti) !== undefined && missingFields(dialect, message).length === 0;

/** Where messages have their private data until they are carried (ISO 8583:1987, field 48). */
export const PRIVATE_DATA = 48;

/**
 * What of a message the dialect carries, with the private data where the dialect has it.
 * @throws CodecFault if a field that it requires is not there
 */
export function carried(dialect: Dialect, given: Message): Message {
  const message = withPrivateDataIn(dialect.privateData, given);
  const type = messageTypeOf(dialect, message.mti);
  if (type === undefined) throw new CodecFault("the message type is not in the message format");
  const [missing] = missingFields(dialect, message);
  if (missing !== undefined) throw new CodecFault(`field ${missing}: required, and not there`);
  return message.only(new Set([...type.required, ...type.optional]));
}

const withPrivateDataIn = (field: number, message: Message): Message =>
  field === PRIVATE_DATA || !message.has(PRIVATE_DATA)
    ? message
    : message.with({ [PRIVATE_DATA]: undefined, [field]: message.get(PRIVATE_DATA) });

/** 0100 → 0110, 0220 and 0221 → 0230 (ISO 8583:1987: the third digit is the function, the fourth tells a repeat). */
export const answerTypeOf = (mti: string): string => `${mti.slice(0, 2)}${Number(mti.charAt(2)) + 1}0`;

/** Of an answer the same, whoever it is from: 0211 and 0212 → 0210 (ISO 8583:1987: the fourth digit is the originator, 0 to 5). */
export const plainTypeOf = (mti: string): string => (/^0.[13][1-5]$/.test(mti) ? `${mti.slice(0, 3)}0` : mti);

/** 0220 → 0221. */
export const repeatOf = (mti: string): string => `${mti.slice(0, 3)}1`;
