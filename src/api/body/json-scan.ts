// One walk over a JSON text before anything is built from it: checks the bounds, counts, and marks the
// numbers, so that JSON.parse keeps their literals. It does not check whether the text is JSON.

import { MAX_BRANCHES, MAX_DEPTH, MOST_VALUES, tooDeep, tooMany } from "./bounds.ts";

/** How much a text may hold. */
export interface JsonBounds {
  readonly values: number;
  readonly branches: number;
  readonly depth: number;
}
export const OF_A_BODY: JsonBounds = { values: MOST_VALUES, branches: MAX_BRANCHES, depth: MAX_DEPTH };

export interface Scanned {
  /** Of all objects, as they are written: one colon each. */
  readonly members: number;
  readonly values: number;
  /** Objects and lists. */
  readonly branches: number;
  /**
   * The text with each number as a list of its literal and a 0: `1.10` is `["1.10",0]`. It is JSON if and only if the
   * text is, apart from malformed literals (`01`); and no other 0 is left in it, so that no list can be taken for a mark.
   */
  readonly marked: string;
}

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** @param most with more it is refused where the first too many stands */
export function scanJson(text: string, most: JsonBounds): Scanned {
  let depth = 0;
  let branches = 0;
  let members = 0;
  // A comma stands between two values; so there is one value, or empty object or list, more than there are commas.
  let values = 1;
  const pieces: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === COMMA) {
      values += 1;
      if (values > most.values) throw tooMany();
    } else if (char === COLON) members += 1;
    else if (char === OPEN_OBJECT || char === OPEN_LIST) {
      depth += 1;
      branches += 1;
      if (depth > most.depth) throw tooDeep();
      if (branches > most.branches) throw tooMany();
    } else if (char === CLOSE_OBJECT || char === CLOSE_LIST) depth -= 1;
    else if (char === MINUS || isDigit(char)) {
      const end = endOfNumber(text, at);
      pieces.push(text.slice(copied, at), '["', text.slice(at, end), '",0]');
      copied = end;
      at = end - 1;
    }
  }
  return { members, values, branches, marked: copied === 0 ? text : pieces.join("") + text.slice(copied) };
}

function endOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1);
  if (quote === -1) return text.length;
  return text.charCodeAt(quote - 1) === BACKSLASH ? endOfEscaped(text, start) : quote;
}

function endOfEscaped(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) return at;
    at += char === BACKSLASH ? 2 : 1;
  }
  return at;
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && isInNumber(text.charCodeAt(at))) at += 1;
  return at;
}

const isDigit = (char: number): boolean => char >= ZERO && char <= NINE;
const isInNumber = (char: number): boolean =>
  isDigit(char) || char === POINT || char === MINUS || char === PLUS || (char | 0x20) === 0x65; // e, E
