// The form of a file of declared state, made of the schemas that the operator's API checks by. As a JSON Schema editors complete it.

import Type, { type TObject, type TSchema } from "typebox";
import { CardTestingChange } from "../merchants/card-testing.ts";
import { GIVEN_ID } from "../merchants/given-id.ts";
import type { Kinds } from "../merchants/kind-settings.ts";
import { NewMerchant } from "../merchants/merchants.ts";
import { NewProcessor } from "../merchants/processor-schema.ts";
import { RoutingChange } from "../merchants/routing-schema.ts";
import { NewToken } from "../merchants/tokens.ts";
import { NewUser } from "../merchants/users.ts";
import { NewOperator, NewPerson, PersonChange } from "../people/person.ts";
import { shownName } from "../validation/stray-card-numbers.ts";
import { NewWebhook } from "../webhooks/endpoint-schema.ts";

export const VERSION = 1;

/** In place of a value that is to be in no file of many readers. */
const Reference = Type.Union(
  [
    Type.Object(
      { env: Type.String({ description: "The environment variable that has the value." }) },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        file: Type.String({ description: "The file that has the value; its path is relative to this file's folder." }),
      },
      { additionalProperties: false },
    ),
  ],
  { description: "Where the value is, when the file is applied." },
);

const closed = (schema: TObject, more: Record<string, TSchema> = {}, without: readonly string[] = []): TObject => {
  const fields = { ...schema.properties, ...more } as Record<string, TSchema>;
  const kept = Object.entries(fields).filter(([name]) => !without.includes(name));
  return Type.Object(Object.fromEntries(kept), { additionalProperties: false });
};

const person = (schema: TObject): TObject => closed(schema, { locked: PersonChange.properties.locked });

const User = closed(NewUser);
const Person = person(NewPerson);
const Operator = person(NewOperator);
const Webhook = closed(NewWebhook);
const Processor = closed(NewProcessor);
const Token = closed(NewToken, {
  user_id: Type.Optional(NewToken.properties.user_id),
  user: Type.Optional(
    Type.String({
      description: "In place of user_id: the external_key of a user or person of this merchant in the file.",
    }),
  ),
  secret_hash: Type.Optional(
    Type.String({
      pattern: "^[0-9a-f]{64}$",
      description: "The SHA-256 of the token's secret, as 64 hexadecimal digits. A new token needs it, or `secret`.",
    }),
  ),
  secret: Type.Optional({
    ...Reference,
    description: "Where the token's secret is. A new token needs it, or `secret_hash`.",
  }),
});

const withKeys = (rules: unknown): TSchema => {
  const { items, ...list } = rules as { readonly items: TObject };
  const { processors } = items.properties as unknown as { readonly processors: { readonly items: TObject } };
  const { id, weight } = processors.items.properties as Record<string, TSchema>;
  const one = { id: Type.Optional(id ?? {}), external_key: GIVEN_ID.external_key, weight: weight ?? {} };
  const named = { ...processors, items: Type.Object(one as Record<string, TSchema>, { additionalProperties: false }) };
  return { ...list, items: { ...items, properties: { ...items.properties, processors: named } } } as unknown as TSchema;
};

const Routing = Type.Object(
  {
    attempts_at_most: RoutingChange.properties.attempts_at_most,
    rules: Type.Optional(withKeys(RoutingChange.properties.rules)),
  },
  { additionalProperties: false, description: "The rules for where charges go; they replace all others." },
);
const CardTesting = closed(CardTestingChange);

const list = (items: TSchema, description: string) => Type.Optional(Type.Array(items, { description }));

const Merchant = closed(NewMerchant, {
  users: list(User, "Users for API tokens. What is in the file stays as it was created."),
  people: list(Person, "Who signs in. A new person has no password before somebody gives one (person reset-password)."),
  processors: list(Processor, "Processor records."),
  routing: Type.Optional(Routing),
  card_testing: Type.Optional(CardTesting),
  webhooks: list(Webhook, "Webhook endpoints."),
  tokens: list(Token, "API tokens, without their secrets."),
});

/** What no schema of the API checks: the frame, and which names there are. */
const FILE = Type.Object(
  {
    version: Type.Integer({ minimum: VERSION, maximum: VERSION, description: "Of the format.", examples: [VERSION] }),
    partial: Type.Optional(
      Type.Boolean({
        description: "Whether other merchants are none of this file's business. Otherwise they are differences.",
      }),
    ),
    operators: list(Operator, "Operators who sign in."),
    merchants: list(Merchant, "Merchants, with all that is theirs."),
  },
  { additionalProperties: false, description: "The declared state of a Faregate gateway." },
);

interface Described {
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
}

/** For editors. @param kinds whose settings it knows */
export function jsonSchema(kinds: Kinds): object {
  const schema = JSON.parse(JSON.stringify(FILE)) as {
    properties: { merchants: { items: { properties: { processors: { items: Record<string, unknown> } } } } };
  };
  schema.properties.merchants.items.properties.processors.items.allOf = [...kinds.values()].map((kind) => ({
    if: { properties: { kind: { const: kind.name } }, required: ["kind"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { settings: settingsOf(kind.settingsSchema, kind.secretSettings) } },
  }));
  return { $schema: "https://json-schema.org/draft/2020-12/schema", title: "Faregate: declared state", ...schema };
}

/** Each setting may be a reference, and a secret must be one; null takes it away. */
function settingsOf(schema: TObject, secrets: readonly string[]): object {
  const properties = Object.entries(schema.properties as Record<string, TSchema>).map(([name, one]) => {
    const { description } = one as { readonly description?: string };
    const others = secrets.includes(name) ? [] : [one];
    return [
      name,
      { ...(description !== undefined && { description }), anyOf: [...others, Reference, { type: "null" }] },
    ];
  });
  const { required } = schema as { readonly required?: readonly string[] };
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required && { required }),
    additionalProperties: false,
  };
}

/** Names that the form does not know, and lists and objects that are something else. Settings are for their kind to judge. */
export function problemsOfForm(tree: unknown, tell: (path: string, text: string, ofName?: boolean) => void): void {
  const walk = (schema: Described, value: unknown, path: string): void => {
    const inner = (name: string) => (path === "" ? name : `${path}.${name}`);
    if (schema.items !== undefined && "type" in schema && schema.type === "array") {
      // What a list of plain values must be, the API says.
      if (schema.items.properties === undefined) return;
      if (!Array.isArray(value)) return void tell(path, "must be a list");
      for (const [index, item] of value.entries()) walk(schema.items, item, inner(String(index)));
    } else if (schema.properties !== undefined) {
      if (!isObject(value))
        return void tell(path, path === "" ? "must be an object with version and merchants" : "must be an object");
      const known = schema.properties;
      for (const [name, one] of Object.entries(value)) {
        const described = Object.hasOwn(known, name) ? known[name] : undefined;
        if (described === undefined)
          tell(inner(shownName(name)), `is unknown; use one of ${Object.keys(known).join(", ")}`, true);
        else if (name !== "secret") walk(described, one, inner(name));
      }
    }
  };
  walk(FILE as unknown as Described, tree, "");
}

/** Neither null nor a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
