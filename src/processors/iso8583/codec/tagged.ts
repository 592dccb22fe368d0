// Field 48, private data: tags one after the other, each of two characters, three digits of length and its value.

import { IN_WORDS, madeOf } from "./content.ts";
import { CodecFault, fieldFault } from "./fault.ts";
import { isTag, TAGS, type Tag, type TagFormat } from "./tags.ts";

/** In the order on the wire. */
export type Tagged = readonly (readonly [Tag, string])[];

const HEADER = 5;

export function renderTagged(tagged: Tagged): string {
  assertTagged(tagged);
  return tagged.map(([tag, value]) => tag + String(value.length).padStart(3, "0") + value).join("");
}

export function parseTagged(text: string): Tagged {
  const tagged: [Tag, string][] = [];
  for (let at = 0; at < text.length; ) {
    const tag = text.slice(at, at + 2);
    const length = text.slice(at + 2, at + HEADER);
    if (!isTag(tag)) throw new CodecFault("field 48: a tag that is not in the message format");
    if (length.length !== 3 || !madeOf("n", length)) throw fieldFault(`48.${tag}`, "its length is not three digits");
    const end = at + HEADER + Number(length);
    if (end > text.length) throw fieldFault(`48.${tag}`, "longer than the field");
    tagged.push([tag, text.slice(at + HEADER, end)]);
    at = end;
  }
  assertTagged(tagged);
  return tagged;
}

export const taggedValue = (tagged: Tagged, wanted: Tag): string | undefined =>
  tagged.find(([tag]) => tag === wanted)?.[1];

function assertTagged(tagged: Tagged): void {
  const seen = new Set<Tag>();
  for (const [tag, value] of tagged) {
    const { content, least, most, repeats }: TagFormat = TAGS[tag];
    if (value.length < least || value.length > most) throw fieldFault(`48.${tag}`, `not ${least} to ${most} long`);
    if (!madeOf(content, value)) throw fieldFault(`48.${tag}`, `something else than ${IN_WORDS[content]}`);
    if (seen.has(tag) && !repeats) throw fieldFault(`48.${tag}`, "there twice");
    seen.add(tag);
  }
}
