// A field of private data: tags one after the other, each of two characters, three digits of length and its value.

import { IN_WORDS, madeOf } from "./content.ts";
import { type Dialect, type TagFormat, tagOf } from "./dialect.ts";
import { fieldFault } from "./fault.ts";

/** In the order on the wire. */
export type Tagged = readonly (readonly [tag: string, value: string])[];

const HEADER = 5;

/** What is wrong with a value is found when the message is written. */
export function renderTagged(tagged: Tagged): string {
  return tagged.map(([tag, value]) => tag + String(value.length).padStart(3, "0") + value).join("");
}

/** @param field its number in the message, for faults */
export function parseTagged(text: string, dialect: Dialect, field: number): Tagged {
  const tagged: [string, string][] = [];
  for (let at = 0; at < text.length; ) {
    const tag = text.slice(at, at + 2);
    const length = text.slice(at + 2, at + HEADER);
    if (tagOf(dialect, tag) === undefined) throw fieldFault(field, "a tag that is not in the message format");
    if (length.length !== 3 || !madeOf("n", length))
      throw fieldFault(`${field}.${tag}`, "its length is not three digits");
    const end = at + HEADER + Number(length);
    if (end > text.length) throw fieldFault(`${field}.${tag}`, "longer than the field");
    tagged.push([tag, text.slice(at + HEADER, end)]);
    at = end;
  }
  assertTagged(tagged, dialect, field);
  return tagged;
}

function assertTagged(tagged: Tagged, dialect: Dialect, field: number): void {
  const seen = new Set<string>();
  for (const [tag, value] of tagged) {
    const format = tagOf(dialect, tag);
    if (format !== undefined) check(`${field}.${tag}`, format, value, seen.has(tag));
    seen.add(tag);
  }
}

function check(where: string, { content, least, most, repeats }: TagFormat, value: string, again: boolean): void {
  if (value.length < least || value.length > most) throw fieldFault(where, `not ${least} to ${most} long`);
  if (!madeOf(content, value)) throw fieldFault(where, `something else than ${IN_WORDS[content]}`);
  if (again && !repeats) throw fieldFault(where, "there twice");
}
