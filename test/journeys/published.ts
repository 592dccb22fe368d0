// The OpenAPI document as a client reads it, and whether a real answer is one of those that it promises: status, media
// type, body and headers.

import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import Format from "typebox/format";
import { INVARIANTS, VALUES } from "../../src/api/openapi/open-schema.ts";
import type { Answer } from "./gateway.ts";

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Schema;
  readonly description?: string;
}

interface Bodies {
  readonly required: boolean;
  readonly content: Readonly<Record<string, Media>>;
  /** Media types besides those of `content`. */
  readonly "x-also-accepted"?: readonly string[];
}

export interface Media {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: Readonly<Record<string, unknown>> }>>;
}

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly schema: Schema; readonly description?: string }>>;
  readonly content?: Readonly<Record<string, Media>>;
}

interface Described {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Bodies;
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Document {
  readonly tags: readonly { readonly name: string }[];
  readonly security: Described["security"];
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly pathItems: Readonly<Record<string, { readonly post: { readonly requestBody: Bodies } }>>;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

export interface Operation extends Described {
  /** `POST /api/transactions/{transaction_id}/void` */
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

export const operationsOf = ({ paths }: Document): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
    })),
  );

/** The bodies that the gateway sends to merchants' endpoints. */
export const webhookBodies = ({ components }: Document): Schema[] =>
  Object.values(components.pathItems).flatMap(({ post }) =>
    Object.values(post.requestBody.content).map(({ schema }) => schema),
  );

export interface Promises {
  /** What the answer has that is not promised, or lacks that is. */
  broken(operation: Operation, answer: Answer): string[];
  /** What is wrong with a value by a schema of the document. */
  faults(schema: Schema, value: unknown): string[];
}

/** Headers that belong to the gateway's protocol: each of them in an answer must be described, and the other way round. */
const OURS = /^(x-ratelimit-.*|faregate-.*|idempotent-.*|x-request-id|retry-after|www-authenticate|allow)$/;
const ALWAYS = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-request-id", "www-authenticate"];

export function promisesOf(document: Document): Promises {
  // Strict: an unknown keyword or format in the document is an error.
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
  const formats = { uuid: Format.IsUuid, date: Format.IsDate, "date-time": Format.IsDateTime, email: Format.IsEmail };
  for (const [name, check] of Object.entries(formats)) ajv.addFormat(name, check);
  for (const name of ["int64", "double"]) ajv.addFormat(name, true);
  for (const [name, schema] of Object.entries(document.components.schemas))
    ajv.addSchema(exact(localized(schema)), `/components/${name}`);

  // Compiling takes far longer than checking, and many answers are of one schema.
  const compiled = new Map<string, ValidateFunction>();
  const validatorOf = (schema: Schema): ValidateFunction => {
    const text = JSON.stringify(exact(localized(schema)));
    const known = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, known);
    return known;
  };
  const faults = (schema: Schema, value: unknown): string[] => {
    const validate = validatorOf(schema);
    return validate(value) ? [] : (validate.errors ?? []).map(worded);
  };

  return {
    faults,
    broken(operation, { status, headers, body, text }) {
      const promised = operation.responses[status];
      if (promised === undefined) return [`status ${status} is not described: ${text.slice(0, 200)}`];
      const [type = ""] = (headers.get("content-type") ?? "").split(";");
      const media = promised.content?.[type];
      const wrong: string[] = [];
      if (promised.content === undefined ? text !== "" : media === undefined) wrong.push(`body of type "${type}"`);
      if (media !== undefined && type === "application/json") wrong.push(...faults(media.schema, body));

      const described = new Map(Object.entries(promised.headers ?? {}).map(([name, one]) => [name.toLowerCase(), one]));
      for (const [name, value] of headers) {
        const header = described.get(name);
        if (header === undefined && OURS.test(name)) wrong.push(`header ${name} is not described`);
        if (header?.schema.type === "integer" && !/^\d+$/.test(value)) wrong.push(`header ${name} is ${value}`);
      }
      const due = [409, 429].includes(status) ? [...ALWAYS, "retry-after"] : ALWAYS;
      for (const name of due) if (described.has(name) && !headers.has(name)) wrong.push(`header ${name} is missing`);
      return wrong;
    },
  };
}

/**
 * What holds in this version as keywords that are checked: the values of a text, the bounds, and that an object has no other
 * fields than those that are named. The document leaves these out for clients; a real response keeps to them all.
 */
function exact(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (_name, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const { [VALUES]: values, [INVARIANTS]: invariants = {}, ...others } = value as Record<string, unknown>;
    const nullable = [others.type].flat().includes("null");
    return {
      ...others,
      ...(invariants as object),
      ...(Array.isArray(values) && { enum: nullable ? [...values, null] : values }),
      ...(hasNamedFields(others) && others.additionalProperties === true && { additionalProperties: false }),
    };
  }) as object;
}

const hasNamedFields = ({ properties = {} }: Schema): boolean => Object.keys(properties).length > 0;

/** References inside of the document become references between the schemas that ajv knows. */
const localized = (schema: Schema): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"/components/'));

const worded = ({ instancePath, message, params }: ErrorObject): string =>
  `${instancePath || "/"} ${message} ${JSON.stringify(params)}`;

/** The schema itself and all that is inside of it, references not followed. */
export function* within(schema: Schema, at: string): Generator<readonly [string, Schema]> {
  yield [at, schema];
  for (const [name, inner] of Object.entries(schema.properties ?? {})) yield* within(inner, `${at}.${name}`);
  if (schema.items) yield* within(schema.items, `${at}[]`);
  for (const inner of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) yield* within(inner, at);
  if (typeof schema.additionalProperties === "object") yield* within(schema.additionalProperties, `${at}.*`);
}

/** The schema, what is inside of it, and what it refers to, each with the name of its component. */
export function reachable({ components }: Document, schema: Schema, at: string): Map<string, Schema> {
  const found = new Map<string, Schema>();
  const visit = (from: Schema, name: string) => {
    for (const [place, one] of within(from, name)) {
      found.set(place, one);
      const component = one.$ref?.split("/").at(-1);
      const target = component === undefined ? undefined : components.schemas[component];
      if (component !== undefined && target !== undefined && !found.has(component)) visit(target, component);
    }
  };
  visit(schema, at);
  return found;
}
