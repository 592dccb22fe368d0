// A body that is plainly in another format than its Content-Type says. Read as a form, most texts are one long name, and every field
// that was meant is missing; a follow-up without an amount takes all that remains (decision R4).

import { baseFault, type RequestFault } from "../request-fault.ts";
import type { BodyFormat } from "./media-type.ts";

type Look = "json" | "multipart" | "xml" | "urlencoded";

const NAMES: Readonly<Record<Look, string>> = {
  json: "JSON",
  multipart: "a multipart form",
  xml: "XML",
  urlencoded: "an urlencoded form",
};
const TYPES = {
  json: "application/json",
  multipart: "multipart/form-data",
  urlencoded: "application/x-www-form-urlencoded",
} as const;

/** No form begins like this: whoever makes one encodes quotes in the name of a field, and no name begins with a bracket. */
const BEGINS_AS_JSON = /^\s*(?:\{\s*["}]|\[\s*[\]{"])/;
const BEGINS_AS_XML = /^\s*<[?!a-z_]/i;
const BEGINS_AS_PAIRS = /^\s*[\w.%+\-[\]]{1,200}=/;
/** At the beginning of any line: a text may stand before it. */
const HAS_PART = /(?:^|\n)--[^\r\n]{1,200}\r?\ncontent-/i;
const MOST_BEFORE_LOOK = 1_000;

function lookOf(text: string): Look | undefined {
  if (HAS_PART.test(text)) return "multipart";
  const start = text.slice(0, MOST_BEFORE_LOOK);
  if (BEGINS_AS_JSON.test(start)) return "json";
  if (BEGINS_AS_XML.test(start)) return "xml";
  return BEGINS_AS_PAIRS.test(start) ? "urlencoded" : undefined;
}

/** Undefined where the body may be what its Content-Type says. */
export function mislabeled(label: BodyFormat["kind"], text: string): RequestFault | undefined {
  const look = lookOf(text);
  if (look === undefined || look === label) return undefined;
  const advice = look === "xml" ? `Send it as ${TYPES.json}.` : `Send Content-Type: ${TYPES[look]}.`;
  return labelFault(`The body is ${NAMES[look]}, but its Content-Type says ${TYPES[label]}. ${advice}`);
}

/**
 * What a program never writes into a form as it is, because it encodes it: a line break between two fields, the zeros of UTF-16.
 * @param text without the line end that some clients append
 */
export function unlikeForm(text: string): RequestFault | undefined {
  const said = `its Content-Type says ${TYPES.urlencoded}`;
  if (text.length > 0 && text.trim() === "") return labelFault(`The body is blank, but ${said}.`);
  if (!CONTROL.test(text)) return undefined;
  return labelFault(
    `The body has line breaks or control characters, but ${said}: send a=1&b=2, and encode line breaks as %0A.`,
  );
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\0-\x1f\x7f]/;

const labelFault = (text: string): RequestFault => baseFault(415, text, {}, "mislabeled-body");
