// From a body's tree to a value that its schema vouches for: absent is absent, numbers and texts are interchangeable, all
// wrong fields are named at once, and fields nobody knows are told apart (decisions R2, R4).

import type { Static, TObject, TSchema } from "typebox";
import { type Problems, problemsOf } from "../merchants/problems.ts";
import { readJsonObject } from "./body/json.ts";
import { type BodyTree, type BodyValue, isBodyTree, isNumberLiteral, literalOf } from "./body/tree.ts";
import { RequestFault } from "./request-fault.ts";

export interface Checked<T> {
  /** Only if there are no problems. */
  readonly value: T;
  readonly problems: Problems;
  /** Dotted names of fields that the schema does not know. */
  readonly ignored: readonly string[];
}

/** @returns a function that checks one body */
export function checker<S extends TObject>(schema: S): (body: BodyTree) => Checked<Static<S>> {
  return (body) => {
    const ignored: string[] = [];
    const value = normalObject(schema, body, "", ignored);
    return { value: value as Static<S>, problems: problemsOf(schema, value), ignored };
  };
}

interface Described {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly "x-json"?: boolean;
}

function normalObject(schema: Described, tree: BodyTree, path: string, ignored: string[]): Record<string, unknown> {
  const normal: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(tree)) {
    const field = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
    if (field === undefined) ignored.push(path + name);
    else if (value !== null && value !== "")
      normal[name] = normalValue(field as Described, value, `${path}${name}`, ignored);
  }
  return normal;
}

function normalValue(schema: Described, value: BodyValue, path: string, ignored: string[]): unknown {
  if (schema["x-json"]) return typeof value === "string" ? jsonOr(value) : value;
  if (schema.type === "boolean") return booleanOr(value);
  if (schema.type === "array" && Array.isArray(value))
    return value.map((item, index) =>
      normalValue((schema.items ?? {}) as Described, item, `${path}.${index}`, ignored),
    );
  if (schema.type === "object" && isBodyTree(value)) return normalObject(schema, value, `${path}.`, ignored);
  return isNumberLiteral(value) ? literalOf(value) : value;
}

/** A form may send an object as a JSON text; what is not one stays a text, which the schema refuses. */
function jsonOr(text: string): unknown {
  try {
    return readJsonObject(text);
  } catch (fault) {
    if (fault instanceof RequestFault) return text;
    throw fault;
  }
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false, "1": true, "0": false };

function booleanOr(value: BodyValue): unknown {
  const text = isNumberLiteral(value) ? literalOf(value) : value;
  return typeof text === "string" && Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : value;
}
