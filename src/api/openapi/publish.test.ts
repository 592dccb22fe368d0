import assert from "node:assert/strict";
import { test } from "node:test";
import { COMPONENT } from "./components.ts";
import { publish } from "./publish.ts";
import { REQUESTS } from "./publish-schema.ts";

type Schemas = Record<string, { readonly properties: Record<string, unknown> }>;
const body = (name: string) => ({
  requestBody: {
    required: true,
    content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
  },
  responses: {},
});

/** A field as it is published in a component that a request takes, and in one that only answers have. */
function published(field: object): { request: unknown; answer: unknown } {
  const component = () => ({ type: "object", properties: { field } });
  const document = {
    components: { schemas: { New: component(), Shown: component() } },
    paths: { "/": { post: body("New") } },
  };
  const { schemas } = (publish(document) as { components: { schemas: Schemas } }).components;
  const of = (name: string) => schemas[name]?.properties.field;
  return { request: of("New"), answer: of("Shown") };
}

test("the gateway's own keywords become standard ones", () => {
  for (const [own, standard, inAnswers = standard] of [
    [
      { type: "string", format: "uuid" },
      { type: "string", format: "uuid" },
    ],
    [
      { type: "string", format: "text", minLength: 1 },
      { type: "string", minLength: 1 },
      { type: "string", "x-invariants": { minLength: 1 } },
    ],
    [
      { type: "string", format: "calendar-date" },
      { type: "string", format: "date" },
      { type: "string", "x-invariants": { format: "date" } },
    ],
    [{ type: "string", format: "ip" }, { type: "string" }],
    [{ type: "string", format: "base64" }, { type: "string" }],
    [
      { enum: ["a", "b"] },
      { enum: ["a", "b"], type: "string" },
      {
        type: "string",
        description: "One of `a`, `b`; later versions may add values.",
        "x-extensible-enum": ["a", "b"],
      },
    ],
    [{ type: "object", "x-json": true }, { type: "object" }],
    [
      { anyOf: [{ type: "integer", minimum: 0 }, { type: "null" }], description: "x" },
      { type: ["integer", "null"], minimum: 0, description: "x" },
      { type: ["integer", "null"], format: "int64", description: "x", "x-invariants": { minimum: 0 } },
    ],
    [
      { anyOf: [{ enum: ["a"], description: "y" }, { type: "null" }], description: "Null without it." },
      { enum: ["a"], type: ["string", "null"], description: "Null without it." },
      {
        type: ["string", "null"],
        description: "Null without it. Now always `a`; later versions may add values.",
        "x-extensible-enum": ["a"],
      },
    ],
    [
      { anyOf: [{ $ref: "#/components/schemas/X" }, { type: "null" }] },
      { anyOf: [{ $ref: "#/components/schemas/X" }, { type: "null" }] },
    ],
    [
      { type: "array", items: { type: "string", format: "currency", description: "x" } },
      { type: "array", items: { $ref: "#/components/schemas/Currency", description: "x" } },
    ],
  ] as const)
    assert.deepEqual(published(own), { request: standard, answer: inAnswers });
});

test("an amount is a text, though the gateway takes a number, too", () => {
  const { request } = published({ type: "string", format: "amount", "x-number": true });
  assert.deepEqual(request, { type: "string", pattern: "^[0-9]+(\\.[0-9]{1,2}0*)?$" });
});

test("the schema of an answer takes every value that a later version may send", () => {
  for (const [own, open] of [
    [
      { type: "object", properties: { a: { type: "string", pattern: "^a$" } }, additionalProperties: false },
      {
        type: "object",
        properties: { a: { type: "string", "x-invariants": { pattern: "^a$" } } },
        additionalProperties: true,
      },
    ],
    [
      { type: "array", items: { const: "a", type: "string" }, maxItems: 50 },
      {
        type: "array",
        items: {
          type: "string",
          description: "Now always `a`; later versions may add values.",
          "x-extensible-enum": ["a"],
        },
        "x-invariants": { maxItems: 50 },
      },
    ],
    [{ type: "number" }, { type: "number", format: "double" }],
    [
      { anyOf: [{ type: "number" }, { type: "string" }], description: "As sent." },
      {
        description: "As sent.",
        "x-invariants": { anyOf: [{ type: "number" }, { type: "string" }] },
      },
    ],
    [
      { type: "string", format: "date-time" },
      { type: "string", format: "date-time" },
    ],
    [
      { type: "string", format: "email", maxLength: 255 },
      { type: "string", "x-invariants": { maxLength: 255, format: "email" } },
    ],
  ] as const)
    assert.deepEqual(published(own).answer, open);
});

test("a request says in words what a value must be; an answer only has such values", () => {
  assert.deepEqual(published({ type: "string", description: "A.", "x-must-be": "short" }), {
    request: { type: "string", description: "A. Must be short." },
    answer: { type: "string", description: "A." },
  });
});

test("whole requests become examples, and a body without required fields may be left out", () => {
  const schemas = {
    Needed: { type: "object", required: ["a"], properties: { a: { type: "string" } }, [REQUESTS]: { One: { a: "x" } } },
    Optional: { type: "object", properties: { a: { type: "string" } }, [REQUESTS]: { None: {} } },
    Something: { type: "object", minProperties: 1, properties: { a: { type: "string" } } },
  };
  const paths = {
    "/a": { post: body("Needed") },
    "/b": { post: body("Optional") },
    "/c": { post: body("Something") },
  };
  const document = publish({ components: { schemas }, paths }) as {
    components: { schemas: Schemas };
    paths: Record<string, { post: { requestBody: Record<string, unknown> } }>;
  };
  const bodyOf = (path: string) => {
    const { description, "x-also-accepted": forms, ...requestBody } = document.paths[path]?.post.requestBody ?? {};
    assert.deepEqual(forms, ["application/x-www-form-urlencoded", "multipart/form-data"]);
    assert.match(String(description), /as a form/);
    return requestBody;
  };
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  assert.deepEqual(bodyOf("/a"), {
    required: true,
    content: { "application/json": { schema: ref("Needed"), examples: { One: { value: { a: "x" } } } } },
  });
  assert.deepEqual(bodyOf("/b"), {
    required: false,
    content: { "application/json": { schema: ref("Optional"), examples: { None: { value: {} } } } },
  });
  assert.deepEqual(bodyOf("/c"), { required: true, content: { "application/json": { schema: ref("Something") } } });
  for (const schema of Object.values(document.components.schemas)) assert.ok(!(REQUESTS in schema));
});

const schemasOf = (document: object) => (publish(document) as { components: { schemas: Schemas } }).components.schemas;
const answering = (schema: object) => ({
  get: { responses: { 200: { description: "x", content: { "application/json": { schema } } } } },
});
const LEG = { type: "object", properties: {}, [COMPONENT]: "Leg" };

test("what has a name of its own becomes a component, and so do wrapped records and lists of them", () => {
  const $ref = "#/components/schemas/Ticket";
  const Ticket = { type: "object", properties: { legs: { type: "array", items: LEG } } };
  const document = {
    components: { schemas: { Ticket } },
    paths: {
      "/one": answering({ type: "object", properties: { ticket: { $ref } } }),
      "/all": answering({ type: "object", properties: { tickets: { type: "array", items: { $ref } }, meta: {} } }),
      "/both": answering({ type: "object", properties: { a: { $ref }, b: { $ref } } }),
    },
  };
  assert.deepEqual(Object.keys(schemasOf(document)), ["Ticket", "Leg", "TicketEnvelope", "TicketList"]);
  assert.deepEqual(schemasOf(document).Ticket?.properties.legs, {
    type: "array",
    items: { $ref: "#/components/schemas/Leg" },
  });
});

test("two different shapes cannot share a name", () => {
  const twice = { type: "object", properties: { a: LEG, b: { ...LEG, description: "another" } } };
  assert.throws(
    () => publish({ components: { schemas: { Ticket: twice } } }),
    /two different components are named Leg/,
  );
});
