// Messages by the format's own data, for properties: any type with any of its fields, each with any value it may have.

import fc from "fast-check";
import { type Content, FIELD_NUMBERS, FIELDS, type FieldFormat } from "./fields.ts";
import type { Framing } from "./frames.ts";
import { Message } from "./message.ts";
import type { Wire } from "./message-codec.ts";
import { MESSAGE_TYPES, type MessageType, type Mti } from "./message-types.ts";
import { renderTagged, type Tagged } from "./tagged.ts";
import { TAGS, type Tag, type TagFormat } from "./tags.ts";

export const WIRES: readonly Wire[] = (["ascii", "bcd"] as const).flatMap((digits) =>
  (["hex", "binary"] as const).map((bitmap) => ({ digits, bitmap })),
);

export const FRAMINGS: readonly Framing[] = ([2, 4] as const).flatMap((bytes) =>
  (["binary", "ascii"] as const).map((encoding) => ({ bytes, encoding })),
);

const ALPHABETS: Readonly<Record<Exclude<Content, "tagged">, string>> = {
  n: "0123456789",
  an: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
  ans: Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join(""),
};

const text = (content: Exclude<Content, "tagged">, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...ALPHABETS[content]), minLength, maxLength, size: "=" });

const ANY_TAG: readonly fc.Arbitrary<readonly [Tag, string]>[] = (Object.keys(TAGS) as Tag[]).map((tag) => {
  const { content, least, most }: TagFormat = TAGS[tag];
  return text(content, least, most).map((value) => [tag, value] as const);
});

const ANY_TAGGED: fc.Arbitrary<string> = fc
  .uniqueArray(fc.oneof(...ANY_TAG), { minLength: 1, maxLength: 8, selector: ([tag]) => tag })
  .map((tagged: Tagged) => renderTagged(tagged));

/** By field number. Built once: building them is slower than drawing from them. */
const ANY_VALUE = new Map(
  FIELD_NUMBERS.map((field) => {
    const { content, rule, length }: FieldFormat = FIELDS[field];
    return [field, content === "tagged" ? ANY_TAGGED : text(content, rule === "fixed" ? length : 1, length)];
  }),
);

const anyOfType = (mti: Mti): fc.Arbitrary<Message> => {
  const { required, optional }: MessageType = MESSAGE_TYPES[mti];
  const values = Object.fromEntries([...required, ...optional].map((field) => [field, ANY_VALUE.get(field)]));
  return fc
    .record(values as Record<string, fc.Arbitrary<string>>, { requiredKeys: [] })
    .map((fields) => new Message(mti, fields));
};

export const anyMessage: fc.Arbitrary<Message> = fc.oneof(...(Object.keys(MESSAGE_TYPES) as Mti[]).map(anyOfType));
