// JSON text to a tree. The grammar is JSON.parse's; what is added are bounds that hold before anything is built,
// numbers that keep their literal, and the refusal of what JSON.parse would drop or let through.

import { baseFault, type RequestFault } from "../request-fault.ts";
import {
  AIRLINE_FIELD,
  boundValues,
  forbiddenKey,
  MAX_BRANCHES,
  MAX_DEPTH,
  MOST_VALUES,
  tooDeep,
  tooMany,
} from "./bounds.ts";
import { whereJsonBreaks } from "./json-break.ts";
import { type BodyTree, type BodyValue, isBodyTree, isNumberLiteral, numberLiteral } from "./tree.ts";

/**
 * The object that the text holds; a `RequestFault` of 400 or 413 if it holds none. No fault repeats any of the text.
 * @param what how the faults call the text
 */
export function readJsonObject(text: string, what = "The body"): BodyTree {
  const { members: membersWritten, values } = measure(text);
  const mayHaveSurrogates = text.includes("\\u");
  // The root is revived as a member too, of an object that JSON.parse wraps around it.
  let membersKept = -1;

  function revive(this: unknown, key: string, value: unknown, context: { readonly source: string }): unknown {
    if (!Array.isArray(this)) membersKept += 1;
    if (key === "__proto__") throw forbiddenKey();
    if (mayHaveSurrogates && !(key.isWellFormed() && (typeof value !== "string" || value.isWellFormed()))) {
      throw baseFault(400, `${what} has an escaped character (\\u…) that is only half of one.`);
    }
    if (typeof value === "number") return numberLiteral(context.source);
    if (typeof value !== "object" || value === null) return value;
    if (key === "constructor" || key === "prototype") throw forbiddenKey();
    return Array.isArray(value) ? value : Object.setPrototypeOf(value, null);
  }

  const root = parse(text, revive, what);
  if (!isBodyTree(root)) {
    throw baseFault(400, `${what} must be a JSON object: {"name": "value", …}.`);
  }
  // JSON.parse keeps the last of two members with one name, others keep the first: which amount was meant?
  if (membersKept < membersWritten) throw baseFault(400, `${what} has an object with the same name in it twice.`);
  boundValues(values, () => countValues(root[AIRLINE_FIELD]));
  return root;
}

/** As deep as `measure` lets it be. */
function countValues(value: BodyValue | undefined): number {
  if (value === undefined) return 0;
  if (typeof value !== "object" || value === null || isNumberLiteral(value)) return 1;
  const inner: readonly BodyValue[] = Object.values(value);
  return inner.length === 0 ? 1 : inner.reduce((count: number, one) => count + countValues(one), 0);
}

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source: string }) => unknown;

function parse(text: string, revive: Reviver, what: string): BodyValue {
  try {
    return JSON.parse(text, revive as (this: unknown, key: string, value: unknown) => unknown);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw notJson(text, error, what);
  }
}

// The messages of JSON.parse repeat some of the text, and there may be a card number in it.
function notJson(text: string, error: SyntaxError, what: string): RequestFault {
  const at = whereJsonBreaks(text, error);
  const where = at === undefined ? "" : `: look at line ${at.line}, column ${at.column}`;
  return baseFault(400, `${what} is not valid JSON${where}.`);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Refuses what is out of all bounds, before anything is built: reviving calls itself once a level. */
function measure(text: string): { readonly members: number; readonly values: number } {
  let depth = 0;
  let branches = 0;
  let members = 0;
  // A comma stands between two values; so there is one value, or empty object or list, more than there are commas.
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === COMMA) values += 1;
    else if (char === COLON) members += 1;
    else if (char === OPEN_OBJECT || char === OPEN_LIST) {
      depth += 1;
      branches += 1;
      if (depth > MAX_DEPTH) throw tooDeep();
    } else if (char === CLOSE_OBJECT || char === CLOSE_LIST) depth -= 1;
  }
  if (values > MOST_VALUES || branches > MAX_BRANCHES) throw tooMany();
  return { members, values };
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) return at;
    at += char === BACKSLASH ? 2 : 1;
  }
  return at;
}
