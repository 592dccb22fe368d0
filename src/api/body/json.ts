// JSON text to a tree. The grammar is JSON.parse's; added are bounds that are checked before anything is built,
// numbers that keep their literal, and the refusal of what JSON.parse would drop or let through. A reviver would take three
// times as long.

import { nameTwice } from "../../validation/name-twice.ts";
import { isNumberLiteral, numberLiteral } from "../../validation/number-literal.ts";
import { shownName } from "../../validation/stray-card-numbers.ts";
import { baseFault, type RequestFault } from "../request-fault.ts";
import { AIRLINE_FIELD, boundValues, forbiddenKey, MOST_VALUES } from "./bounds.ts";
import { type TextPosition, whereJsonBreaks } from "./json-faults.ts";
import { type JsonBounds, OF_A_BODY, scanJson } from "./json-scan.ts";
import { type BodyTree, type BodyValue, isBodyTree } from "./tree.ts";

/**
 * The object that the text holds; a `RequestFault` of 400 or 413 if it holds none. No fault repeats any of the text.
 * @param what how the faults call the text
 * @param values how many it may have, before those of airline data are told apart
 */
export function readJsonObject(text: string, what = "The body", values = MOST_VALUES): BodyTree {
  const read = readJson(text, what, { ...OF_A_BODY, values });
  const { value: root } = read;
  if (!isBodyTree(root)) throw baseFault(400, `${what} must be a JSON object: {"name": "value", …}.`);
  boundValues(read.values, () => countValues(root[AIRLINE_FIELD]));
  return root;
}

export interface JsonRead {
  readonly value: BodyValue;
  /** Values that are no object or list, plus empty ones. */
  readonly values: number;
  /** Objects and lists. */
  readonly branches: number;
}

/** Any JSON value. A `RequestFault` of 400 or 413 if the text is none, or holds more than it may. */
export function readJson(text: string, what: string, most: JsonBounds): JsonRead {
  const { members, values, branches, marked } = scanJson(text, most);
  const checking: Checking = { what, members: 0, mayHaveSurrogates: text.includes("\\u") };
  const root = parse(text, what, () => checked(JSON.parse(marked), checking));
  // JSON.parse keeps the last of two members with one name, others keep the first: which amount was meant?
  if (checking.members < members) {
    const name = shownName(nameTwice(marked) ?? "");
    throw baseFault(
      400,
      `${what} has an object with the same name in it twice: ${name}. Send it once.`,
      {},
      "field-twice",
    );
  }
  return { value: root, values, branches };
}

interface Checking {
  readonly what: string;
  /** How many there are in the objects so far. */
  members: number;
  readonly mayHaveSurrogates: boolean;
}

/** What JSON.parse made of a marked text, as deep as the scan lets it be; in place, for it may have fifty thousand values. */
function checked(value: unknown, checking: Checking): BodyValue {
  if (typeof value === "string") return wellFormed(value, checking);
  if (Array.isArray(value))
    return typeof value[1] === "number" ? numberLiteral(value[0]) : checkedList(value, checking);
  if (typeof value === "object" && value !== null) return checkedObject(value as Record<string, unknown>, checking);
  return value as boolean | null;
}

function checkedList(list: unknown[], checking: Checking): readonly BodyValue[] {
  for (let index = 0; index < list.length; index += 1) list[index] = checked(list[index], checking);
  return list as BodyValue[];
}

function checkedObject(object: Record<string, unknown>, checking: Checking): BodyTree {
  const names = Object.keys(object);
  checking.members += names.length;
  for (const name of names) {
    if (name === "__proto__") throw forbiddenKey();
    wellFormed(name, checking);
    const value = checked(object[name], checking);
    if ((name === "constructor" || name === "prototype") && holdsFields(value)) throw forbiddenKey();
    if (value !== object[name]) object[name] = value;
  }
  return Object.setPrototypeOf(object, null);
}

const holdsFields = (value: BodyValue): boolean =>
  typeof value === "object" && value !== null && !isNumberLiteral(value);

function wellFormed(text: string, { what, mayHaveSurrogates }: Checking): string {
  if (mayHaveSurrogates && !text.isWellFormed())
    throw baseFault(400, `${what} has an escaped character (\\u…) that is only half of one.`);
  return text;
}

/** As deep as the scan lets it be. */
function countValues(value: BodyValue | undefined): number {
  if (value === undefined) return 0;
  if (typeof value !== "object" || value === null || isNumberLiteral(value)) return 1;
  const inner: readonly BodyValue[] = Object.values(value);
  return inner.length === 0 ? 1 : inner.reduce((count: number, one) => count + countValues(one), 0);
}

function parse(text: string, what: string, work: () => BodyValue): BodyValue {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw notJson(text, what);
  }
}

// The messages of JSON.parse repeat some of the text, and there may be a card number in it.
function notJson(text: string, what: string): RequestFault {
  const at = placeOfFault(text);
  const where = at === undefined ? "" : `: look at line ${at.line}, column ${at.column}`;
  return baseFault(400, `${what} is not valid JSON${where}.`);
}

/** By what JSON.parse says of the text as it came, without marks. */
function placeOfFault(text: string): TextPosition | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return whereJsonBreaks(text, error as SyntaxError);
  }
}
