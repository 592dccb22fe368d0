// Turns the gateway's own schemas into an OpenAPI document that any client understands: own formats become standard keywords,
// `x-must-be` becomes words, and what the OpenAPI plugin cannot know is added.

import { MAY_HOLD } from "../../validation/stray-card-numbers.ts";

type Json = Readonly<Record<string, unknown>>;
type Use = "request" | "answer";

interface Media {
  readonly schema?: Json;
}
interface Parameter {
  readonly example?: unknown;
  readonly schema: Json;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, Json>> };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Of api/schema/fields.ts: what each format means in the words of JSON Schema. */
const OWN_FORMATS: Readonly<Record<string, Json>> = {
  text: {},
  amount: { type: ["string", "number"], pattern: "^[0-9]+(\\.[0-9]{1,2}0*)?$", minimum: 0.01, maximum: 9_999_999 },
  currency: { pattern: "^[A-Z]{3}$" },
  "card-number": { pattern: "^[0-9]{8,19}$" },
  "card-cvv": { pattern: "^[0-9]{3,4}$" },
  ip: { anyOf: [{ format: "ipv4" }, { format: "ipv6" }] },
  base64: { contentEncoding: "base64" },
  "calendar-date": { format: "date" },
};

/** A component's whole bodies, by what each shows: they become the examples of the requests that take it. */
export const REQUESTS = "x-requests";

export function publish(document: object): object {
  const { components = {}, paths = {}, ...rest } = document as Document;
  const schemas = components.schemas ?? {};
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const taken = new Set(operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}).map(nameOf)));
  return {
    ...rest,
    components: {
      ...components,
      schemas: mapped(schemas, (schema, name) => publishSchema(schema, taken.has(name) ? "request" : "answer")),
    },
    paths: mapped(paths, (methods) => mapped(methods, (operation) => publishOperation(operation, schemas))),
  };
}

const PREFIX = "#/components/schemas/";
const nameOf = ({ schema }: Media): string => String(schema?.$ref ?? "").replace(PREFIX, "");

function publishOperation(operation: Operation, schemas: Readonly<Record<string, Json>>): object {
  const { parameters, requestBody, responses } = operation;
  return {
    ...operation,
    ...(parameters && {
      parameters: parameters.map(publishParameter),
    }),
    ...(requestBody && { requestBody: publishBody(requestBody.content, schemas) }),
    responses: mapped(responses, (response) => ({
      ...response,
      ...(response.content && {
        content: mapped(response.content, (media) => ({
          ...media,
          schema: publishSchema(media.schema ?? {}, "answer"),
        })),
      }),
    })),
  };
}

/** The page fills a parameter's own example in, so that a list that is tried out there would be a filtered one. */
function publishParameter({ example, ...parameter }: Parameter): object {
  const schema = publishSchema(parameter.schema, "request");
  return { ...parameter, schema: example === undefined ? schema : { ...schema, examples: [example] } };
}

/** The plugin says of every body that it is required; one that may have no field may be left out. */
function publishBody(content: Readonly<Record<string, Media>>, schemas: Readonly<Record<string, Json>>): object {
  const body = schemas[nameOf(content["application/json"] ?? {})];
  const examples = body?.[REQUESTS] as Json | undefined;
  return {
    required: body?.required !== undefined || body?.minProperties !== undefined,
    content: mapped(content, (media, type) => ({
      ...media,
      ...(examples && type === "application/json" && { examples: mapped(examples, (value) => ({ value })) }),
    })),
  };
}

function publishSchema(schema: Json, use: Use): Json {
  const {
    "x-must-be": mustBe,
    "x-number": _number,
    "x-json": _json,
    [MAY_HOLD]: _mayHold,
    [REQUESTS]: _requests,
    ...kept
  } = schema;
  const own = typeof kept.format === "string" ? OWN_FORMATS[kept.format] : undefined;
  if (own !== undefined) delete (kept as { format?: unknown }).format;
  const inner = {
    ...kept,
    ...own,
    ...(isStrings(kept.enum) && { type: "string" }),
    ...(use === "request" && mustBe !== undefined && { description: sentences(kept.description, mustBe) }),
    ...(isJson(kept.properties) && { properties: mapped(kept.properties, (one) => publishSchema(one as Json, use)) }),
    ...(isJson(kept.items) && { items: publishSchema(kept.items, use) }),
    ...(isJson(kept.additionalProperties) && { additionalProperties: publishSchema(kept.additionalProperties, use) }),
    ...(Array.isArray(kept.anyOf) && { anyOf: kept.anyOf.map((one) => publishSchema(one, use)) }),
  };
  return orNull(inner);
}

const sentences = (description: unknown, mustBe: unknown): string =>
  [description, `Must be ${mustBe}.`].filter((text) => text !== undefined && text !== "").join(" ");

/** `anyOf: [X, null]` reads better as X of two types, where X has one. */
function orNull(schema: Json): Json {
  const { anyOf, ...outer } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1].type !== "null") return schema;
  const [one] = anyOf as [Json];
  if (typeof one.type !== "string") return schema;
  const { description, ...keywords } = one;
  const about = outer.description ?? description;
  return {
    ...keywords,
    ...outer,
    type: [one.type, "null"],
    ...(Array.isArray(one.enum) && { enum: [...one.enum, null] }),
    ...(about !== undefined && about !== "" && { description: about }),
  };
}

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
const isStrings = (values: unknown): boolean =>
  Array.isArray(values) && values.every((value) => typeof value === "string");

const mapped = <T, R>(record: Readonly<Record<string, T>>, change: (value: T, name: string) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
