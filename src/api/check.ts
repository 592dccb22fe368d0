// Turns a body's tree into a value that matches its schema: numbers and texts are interchangeable, all wrong fields are
// reported at once, and unknown fields are ignored and the caller is told (decisions R2, R4).

import type { FastifyReply, FastifyServerOptions } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import { isNumberLiteral, literalOf } from "../validation/number-literal.ts";
import { type Problems, problemsOf } from "../validation/problems.ts";
import { isPlainName } from "../validation/stray-card-numbers.ts";
import { MAX_VALUES } from "./body/bounds.ts";
import { readJsonObject } from "./body/json.ts";
import { type BodyTree, type BodyValue, emptyTree, isBodyTree } from "./body/tree.ts";
import { RequestFault } from "./request-fault.ts";

/**
 * For Fastify: requests are checked here, answers by the test run. A server that is not begun with this has loaded the hundred files
 * that compile schemas. Fastify's types ask for the compilers that it comes with.
 */
export const NOTHING_COMPILED = {
  compilersFactory: {
    buildValidator: () => () => (value: unknown) => ({ value }),
    buildSerializer: () => () => (answer: unknown) => JSON.stringify(answer),
  },
} as unknown as NonNullable<FastifyServerOptions["schemaController"]>;

export interface Fields {
  /** Only fields that the schema knows, or admits, with values as the schema wants them where they can be. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Dotted names of fields that the schema does not know. */
  readonly ignored: readonly string[];
}

export interface Checked<T> {
  /** Only if there are no problems. */
  readonly value: T;
  readonly problems: Problems;
  /** Dotted names of fields that the schema does not know. */
  readonly ignored: readonly string[];
}

/** @returns a function that checks one body */
export function checker<S extends TObject>(schema: S): (body: BodyTree, strict?: boolean) => Checked<Static<S>> {
  return (body, strict) => {
    const { value, ignored } = fieldsOf(schema, body);
    return { value: value as Static<S>, problems: problemsOf(schema, value, ignored, strict), ignored };
  };
}

/** What the body says in terms of the schema; whether it is right has still to be checked. */
export function fieldsOf(schema: TObject, body: BodyTree): Fields {
  const ignored: string[] = [];
  return { value: normalObject(schema, body, "", ignored), ignored };
}

interface Described {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly additionalProperties?: unknown;
  readonly items?: TSchema;
  readonly maxItems?: number;
  readonly anyOf?: readonly Described[];
  readonly "x-json"?: boolean;
}

function normalObject(schema: Described, tree: BodyTree, path: string, ignored: string[]): Record<string, unknown> {
  const normal: Record<string, unknown> = {};
  for (const name of Object.keys(tree)) {
    const value = tree[name] as BodyValue;
    const field = fieldOf(schema, name);
    if (field === undefined) ignored.push(path + name);
    else if (value === null ? admitsNull(field) : value !== "")
      normal[name] = isAsWanted(field, value) ? value : normalValue(field, value, path + name, ignored);
  }
  return normal;
}

/** Nearly every field of every request: a text where there is to be one. */
const isAsWanted = (field: Described, value: BodyValue): boolean =>
  typeof value === "string" && field.type === "string";

/** A field nobody knows is told apart, unless the schema has a word on such fields: then it is for the check to refuse. */
function fieldOf(schema: Described, name: string): Described | undefined {
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, name))
    return schema.properties[name] as Described;
  return schema.properties === undefined || schema.additionalProperties === false ? ANYTHING : undefined;
}

const ANYTHING: Described = {};
/** Of a list whose schema names no other bound. */
const MOST_ITEMS = 1_000;
/** In place of a longer list, none of whose items is looked at: no schema takes it. */
const TOO_MANY_ITEMS = Symbol("a list with too many items");
const isAnything = ({ type, anyOf, ...more }: Described) => !type && !anyOf && !("enum" in more);

/** There null is a value: it takes something away. Everywhere else it is an absent field. */
const admitsNull = (schema: Described): boolean =>
  schema.type === "null" || isAnything(schema) || (schema.anyOf ?? []).some(admitsNull);

function normalValue(schema: Described, value: BodyValue, path: string, ignored: string[]): unknown {
  if (value === null) return null;
  // (A number literal is an object to JavaScript, and so to the schema.)
  if (schema["x-json"] && !isNumberLiteral(value)) return objectIn(value);
  if (schema.anyOf) return normalValue(schema.anyOf.find(({ type }) => type !== "null") ?? {}, value, path, ignored);
  if (schema.type === "boolean") return booleanOr(value);
  if (schema.type === "integer" || schema.type === "number") return numberOr(value);
  if (Array.isArray(value)) {
    if (value.length > (schema.maxItems ?? MOST_ITEMS)) return TOO_MANY_ITEMS;
    return value.map((item, index) =>
      normalValue((schema.items ?? ANYTHING) as Described, item, `${path}.${index}`, ignored),
    );
  }
  if (isBodyTree(value)) return normalObject(schema.type === "object" ? schema : ANYTHING, value, `${path}.`, ignored);
  if (isNumberLiteral(value)) return isAnything(schema) ? numberOr(value) : literalOf(value);
  return value;
}

/** PHP writes an object without anything as a list without anything. */
const objectIn = (value: BodyValue): unknown => {
  if (Array.isArray(value) && value.length === 0) return emptyTree();
  return typeof value === "string" ? jsonOr(value) : value;
};

const EMPTY_LIST = /^\s{0,100}\[\s{0,100}\]\s{0,100}$/;

/** A form may send an object as a JSON text; what is not one stays a text, which the schema refuses. */
function jsonOr(text: string): unknown {
  if (EMPTY_LIST.test(text)) return emptyTree();
  try {
    return readJsonObject(text, "The text", MAX_VALUES);
  } catch (fault) {
    if (fault instanceof RequestFault) return text;
    throw fault;
  }
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false, "1": true, "0": false };

/** In any case: Python and C# write `True` into a form. */
export function booleanOr(value: BodyValue): unknown {
  const text = isNumberLiteral(value) ? literalOf(value) : value;
  const word = typeof text === "string" ? text.toLowerCase() : "";
  return Object.hasOwn(BOOLEANS, word) ? BOOLEANS[word] : value;
}

/** Digits, with a point and a minus at most: what is anything else stays as it is, and the schema refuses it. */
function numberOr(value: BodyValue): unknown {
  if (isNumberLiteral(value)) return Number(literalOf(value));
  return typeof value === "string" && /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;
}

const MOST_CHARACTERS = 1_000;
/** A name that holds this many digits may hold a card number. */
const CARD_NUMBER = /\d(?:[ .-]?\d){7}/;

export function tellIgnored(reply: FastifyReply, ignored: readonly string[]): void {
  let header = "";
  for (const name of ignored) {
    if (name.length > MOST_CHARACTERS || CARD_NUMBER.test(name) || !isPlainName(name)) continue;
    const next = `${header}${header && ", "}${encodeURIComponent(name.toWellFormed())}`;
    if (next.length > MOST_CHARACTERS) break;
    header = next;
  }
  if (header !== "") reply.header("faregate-ignored-fields", header);
}
