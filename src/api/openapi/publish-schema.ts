// One of the gateway's own schemas as any client understands it: own formats become standard keywords, `x-must-be` becomes
// words, and what has a name of its own becomes a reference. Generated clients check responses against the document, and one
// that throws does so after the money has moved. So the schema of a response (open-schema.ts) refuses nothing that a later
// version might send.

import { CURRENCY_CODES } from "../../payment/currency.ts";
import { MAY_HOLD } from "../../validation/stray-card-numbers.ts";
import { COMPONENT, type Components } from "./components.ts";
import { openSchema } from "./open-schema.ts";

export type Json = Readonly<Record<string, unknown>>;
export type Use = "request" | "response";

/** A component's whole bodies, by what each shows: they become the examples of the requests that take it. */
export const REQUESTS = "x-requests";

/** Of api/schema/fields.ts: what each format means in the words of JSON Schema. */
const OWN_FORMATS: Readonly<Record<string, Json>> = {
  text: {},
  // The gateway takes numbers, too. A client that is told so has a type for amounts that few languages can express.
  amount: { pattern: "^[0-9]+(\\.[0-9]{1,2}0*)?$" },
  "card-number": { pattern: "^[0-9]{8,19}$" },
  "card-cvv": { pattern: "^[0-9]{3,4}$" },
  // JSON Schema has a format for each kind of address and none for both; generators compile no alternatives of texts.
  ip: {},
  base64: {},
  "threeds-xid": {},
  "calendar-date": { format: "date" },
};
const CURRENCY = { type: "string", description: "An ISO 4217 code.", enum: [...CURRENCY_CODES] };

export function publishSchema(schema: Json, use: Use, components: Components): Json {
  const published = publishAsIs(schema, use, components);
  const { [COMPONENT]: name } = schema;
  const open = use === "response" ? openSchema(published) : published;
  return typeof name === "string" ? components.refer(name, open) : open;
}

function publishAsIs(schema: Json, use: Use, components: Components): Json {
  const {
    "x-must-be": mustBe,
    "x-number": _number,
    "x-json": _json,
    [MAY_HOLD]: _mayHold,
    [REQUESTS]: _requests,
    [COMPONENT]: _name,
    ...kept
  } = schema;
  const inside = (one: unknown) => publishSchema(one as Json, use, components);
  // One that becomes part of this schema is opened with it.
  const alternative = (one: Json) => (COMPONENT in one ? inside(one) : publishAsIs(one, use, components));
  const about = use === "request" && mustBe !== undefined && { description: sentences(kept.description, mustBe) };
  if (kept.format === "currency") return { ...withoutType(kept), ...about, ...components.refer("Currency", CURRENCY) };
  const own = typeof kept.format === "string" ? OWN_FORMATS[kept.format] : undefined;
  if (own !== undefined) delete (kept as { format?: unknown }).format;
  // Go and PHP read no such escape: there the words must do.
  if (typeof kept.pattern === "string" && kept.pattern.includes("\\u")) delete (kept as { pattern?: unknown }).pattern;
  return orNull({
    ...kept,
    ...own,
    ...(isStrings(kept.enum) && { type: "string" }),
    ...about,
    ...(isJson(kept.properties) && { properties: mapped(kept.properties, inside) }),
    ...(isJson(kept.items) && { items: inside(kept.items) }),
    ...(isJson(kept.additionalProperties) && { additionalProperties: inside(kept.additionalProperties) }),
    ...(Array.isArray(kept.anyOf) && { anyOf: kept.anyOf.map(alternative) }),
    ...(Array.isArray(kept.oneOf) && { oneOf: kept.oneOf.map(inside) }),
  });
}

const withoutType = ({ type: _type, format: _format, ...kept }: Json): Json => kept;

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
    ...(about !== undefined && about !== "" && { description: about }),
  };
}

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
const isStrings = (values: unknown): boolean =>
  Array.isArray(values) && values.every((value) => typeof value === "string");

export const mapped = <T, R>(
  record: Readonly<Record<string, T>>,
  change: (value: T, name: string) => R,
): Record<string, R> => Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
