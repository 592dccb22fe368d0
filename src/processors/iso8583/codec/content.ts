// Which characters a field's value may be made of. Shared by both directions, so that what was written can be read.

import type { Content } from "./dialect.ts";

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
