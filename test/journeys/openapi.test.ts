// The published OpenAPI document against the gateway that publishes it: it is valid and complete, its examples work, and
// every answer over HTTP, with every status that HTTP can bring about, is one that it describes.

import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { after, before, describe, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { FastifyInstance, RouteOptions } from "fastify";
import { unlike } from "../docs/shown.ts";
import { asksProcessor, callsOf, examplesOf, type Gateway, isCharge } from "./calls.ts";
import { startTestGateway } from "./gateway.ts";
import { redocly, spectral } from "./linters.ts";
import {
  type Document,
  type Operation,
  operationsOf,
  type Promises,
  promisesOf,
  reachable,
  type Schema,
  webhookBodies,
  within,
} from "./published.ts";

describe("the published API", () => {
  let gateway: Gateway;
  let document: Document;
  let operations: Operation[];
  let promises: Promises;
  let calls: ReturnType<typeof callsOf>;
  const routes: RouteOptions[] = [];
  /** Operation and status, for all answers that were checked. */
  const seen = new Set<string>();

  before(async () => {
    const watch = (message: unknown) =>
      (message as { fastify: FastifyInstance }).fastify.addHook("onRoute", (route) => void routes.push(route));
    subscribe("fastify.initialization", watch);
    gateway = await startTestGateway({
      rateLimitPerMinute: 100_000,
      failedAuthenticationsPerMinute: 1,
      trustProxy: ["127.0.0.1"],
    });
    unsubscribe("fastify.initialization", watch);
    document = (await gateway.get("/openapi.json", { token: null })).body;
    operations = operationsOf(document);
    promises = promisesOf(document);
    calls = callsOf(gateway);
  });
  after(() => gateway.close());

  test("the document is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document) as never);
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(validator.version, "3.1");
  });

  test("the linters that people know find nothing", async () => {
    assert.deepEqual(await redocly(document), []);
    assert.deepEqual(await spectral(document), []);
  });

  test("every operation has a name of its own", () => {
    const names = operations.map(({ operationId }) => operationId);
    for (const [index, name] of names.entries()) assert.match(name ?? "", /^[a-z]+[A-Z]/, operations[index]?.name);
    assert.equal(new Set(names).size, names.length);
  });

  test("patterns are in the syntax that regular expressions of all languages share", () => {
    for (const [, pattern] of JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\\\]|\\\\.)*")/g))
      assert.doesNotMatch(JSON.parse(pattern ?? ""), /\\p\{|\[\^\]|\(\?|\\u/i);
  });

  test("every route is in the document and nothing else; hidden are only the pages, wrong methods, what processors send, browsers' sessions, and payers' addresses", () => {
    const isHidden = ({ schema }: RouteOptions) => (schema as { hide?: boolean } | undefined)?.hide === true;
    const named = (route: RouteOptions) =>
      [route.method]
        .flat()
        .filter((method) => method !== "HEAD")
        .map((method) => `${method} ${route.url.replace(/:(\w+)/g, "{$1}")}`);
    const shown = routes.filter((route) => !isHidden(route) && !route.url.startsWith("/docs"));
    assert.deepEqual(shown.flatMap(named).sort(), operations.map(({ name }) => name).sort());
    const paths = new Set(shown.map(({ url }) => url));
    for (const { url } of routes.filter(isHidden))
      assert.ok(
        paths.has(url) ||
          /^\/(docs|console|sessions?|checkout)(\/|$)/.test(url) ||
          url === "/notifications/:processor_id",
        url,
      );
  });

  test("components have names that say what they are", () => {
    for (const name of Object.keys(document.components.schemas)) assert.match(name, /^[A-Z][a-z\d]+([A-Z][a-z\d]+)*$/);
  });

  test("every operation says what it does, where it belongs, and which token it takes", () => {
    const tags = document.tags.map(({ name }) => name);
    for (const { name, summary, tags: own = [], security = document.security } of operations) {
      assert.ok(summary && own.length === 1 && tags.includes(own[0] ?? ""), name);
      const schemes = (security ?? []).flatMap((one) => Object.keys(one));
      const expected = name.includes(" /api/") ? ["apiToken"] : name.includes(" /operator/") ? ["operatorToken"] : [];
      assert.deepEqual(schemes, expected, name);
    }
  });

  test("every field and parameter of a request says what it means", () => {
    const silent: string[] = [];
    for (const { name, parameters = [], requestBody } of operations) {
      for (const parameter of parameters) if (!parameter.description) silent.push(`${name} ${parameter.name}`);
      for (const { schema } of Object.values(requestBody?.content ?? {}))
        for (const [at, one] of reachable(document, schema, name))
          for (const [field, inner] of Object.entries(one.properties ?? {}))
            if (!inner.description) silent.push(`${at}.${field}`);
    }
    assert.deepEqual([...new Set(silent)], []);
  });

  /** Everything in the document's bodies that go this way, by where it is. */
  const partsOf = (way: "request" | "response"): Map<string, Schema> => {
    const schemas: (readonly [string, Schema])[] =
      way === "request" ? [] : webhookBodies(document).map((schema) => ["webhook", schema]);
    for (const { name, requestBody, responses } of operations) {
      const contents =
        way === "request" ? [requestBody?.content] : Object.values(responses).map(({ content }) => content);
      for (const content of contents)
        for (const { schema } of Object.values(content ?? {})) schemas.push([name, schema]);
    }
    return new Map(schemas.flatMap(([name, schema]) => [...reachable(document, schema, name)]));
  };
  const without = (parts: Map<string, Schema>, isRight: (schema: Schema, at: string) => boolean): string[] =>
    [...parts].filter(([at, schema]) => !isRight(schema, at)).map(([at, schema]) => `${at}: ${JSON.stringify(schema)}`);

  test("a client that checks a response against the document takes every value and field that a later version adds", () => {
    const free = /^(\$ref|type|description|examples|items|properties|required|x-[\w-]+)$/;
    const checked: Readonly<Record<string, (value: unknown, at: string) => boolean>> = {
      format: (value) => ["date-time", "uuid", "int64", "double"].includes(value as string),
      additionalProperties: (value) => value !== false,
      oneOf: (_value, at) => at === "FollowUpResult",
    };
    const isOpen = (schema: Schema, at: string) =>
      (schema.properties === undefined || schema.additionalProperties !== undefined) &&
      Object.entries(schema).every(([keyword, value]) => free.test(keyword) || checked[keyword]?.(value, at));
    assert.deepEqual(without(partsOf("response"), isOpen), []);
  });

  test("a field has one type, or one and null; values are of one type, and null is none of them", () => {
    const isPlain = ({ type = [], enum: values = [] }: Schema) =>
      [type].flat().filter((one) => one !== "null").length <= 1 &&
      new Set(values.map((value) => typeof value)).size <= 1 &&
      !values.some((value) => typeof value === "boolean" || value === null) &&
      !(values.length > 0 && [type].flat().includes("null"));
    for (const way of ["request", "response"] as const) assert.deepEqual(without(partsOf(way), isPlain), []);
  });

  test("a request's amounts are texts, and none of its fields has alternatives but the settings of a kind of processor", () => {
    const isSingle = ({ anyOf, oneOf }: Schema, at: string) => (anyOf ?? oneOf) === undefined || /\.settings$/.test(at);
    const parts = partsOf("request");
    assert.deepEqual(without(parts, isSingle), []);
    const amounts = [...parts].filter(([at]) => /\.(amount|fare)$/.test(at));
    assert.ok(amounts.length >= 5);
    for (const [at, { type }] of amounts) assert.equal(type, "string", at);
  });

  test("a body is described as JSON alone, which names the forms that the gateway takes, too", () => {
    const bodies = operations.flatMap(({ requestBody }) => requestBody ?? []);
    for (const body of bodies) {
      assert.deepEqual(Object.keys(body.content), ["application/json"]);
      assert.deepEqual(body["x-also-accepted"], ["application/x-www-form-urlencoded", "multipart/form-data"]);
    }
    assert.ok(bodies.length > 10);
  });

  test("no component has a name that a generator makes of another one", () => {
    const names = Object.keys(document.components.schemas);
    // Go: the function that makes a Merchant is NewMerchant, and a Merchant or nothing is a NullableMerchant.
    const made = names.flatMap((name) => [`New${name}`, `Nullable${name}`, `Api${name}`]);
    assert.deepEqual(
      names.filter((name) => made.includes(name) || /^(New|Nullable)[A-Z]/.test(name)),
      [],
    );
  });

  test("every example is one of its schema", () => {
    const wrong: string[] = [];
    const check = (at: string, schema: Schema, value: unknown) =>
      wrong.push(...promises.faults(schema, value).map((fault) => `${at}: ${fault}`));
    for (const [name, component] of Object.entries(document.components.schemas))
      for (const [at, schema] of within(component, name))
        for (const example of schema.examples ?? []) check(at, schema, example);
    for (const { name, parameters = [], requestBody } of operations) {
      for (const { name: field, schema } of parameters)
        for (const example of schema.examples ?? []) check(`${name} ${field}`, schema, example);
      for (const { schema, examples = {} } of Object.values(requestBody?.content ?? {}))
        for (const [title, { value }] of Object.entries(examples)) check(`${name} "${title}"`, schema, value);
    }
    assert.deepEqual(wrong, []);
  });

  test("the transaction that the document shows is the answer to the sale that it shows", async () => {
    const sale = operations.find(({ operationId }) => operationId === "createSale");
    const [, request] = (sale && examplesOf(sale).find(([title]) => title === "A card")) ?? [];
    const answer = await gateway.post("/api/transactions/sale", request);
    const [shown] = document.components.schemas.Transaction?.examples ?? [];
    assert.deepEqual(unlike(shown, answer.body.transaction), []);
    assert.deepEqual(unlike(answer.body.transaction, shown), []);
  });

  const keeps = (operation: Operation, answer: Awaited<ReturnType<typeof gateway.call>>, how: string) => {
    seen.add(`${operation.name} ${answer.status}`);
    assert.deepEqual(promises.broken(operation, answer), [], `${operation.name} ${how}: ${answer.text.slice(0, 300)}`);
  };
  const succeeded = ({ status }: { readonly status: number }) => status >= 200 && status < 300;

  test("every example of a request works, and its answer is as described", async () => {
    for (const operation of operations) {
      const examples = examplesOf(operation);
      if (operation.requestBody) assert.ok(examples.length > 0, `${operation.name} shows no whole request`);
      for (const [title, value] of examples) {
        const answer = await calls.works(operation, value);
        assert.ok(succeeded(answer), `${operation.name} "${title}": ${answer.text}`);
        assert.equal(answer.headers.get("faregate-ignored-fields"), null);
        keeps(operation, answer, title);
      }
    }
  });

  test("every operation works without what it does not require, and with each example of a parameter", async () => {
    for (const operation of operations) {
      const { parameters = [], requestBody } = operation;
      const queries = parameters
        .filter((parameter) => parameter.in === "query")
        .flatMap(({ name, schema }) =>
          (schema.enum ?? schema.examples ?? []).map((value) => [name, String(value)] as const),
        )
        .map(([name, value]) => `?${new URLSearchParams({ [name]: value })}`);
      for (const query of requestBody?.required ? [] : ["", ...queries]) {
        const answer = await calls.works(operation, undefined, query);
        assert.ok(succeeded(answer), `${operation.name}${query}: ${answer.text}`);
        keeps(operation, answer, query);
      }
    }
  });

  test("an empty parameter is refused by its name, so that an unset variable never lists everything", async () => {
    const taken: string[] = [];
    for (const operation of operations)
      for (const { name } of operation.parameters?.filter((parameter) => parameter.in === "query") ?? []) {
        const answer = await calls.works(operation, undefined, `?${new URLSearchParams({ [name]: "" })}`);
        const field = name.replace(/\[(\w+)\]/, ".$1");
        if (answer.status !== 422 || !Object.hasOwn(answer.body.error.message, field))
          taken.push(`${operation.name} ${name}: ${answer.status}`);
        else keeps(operation, answer, name);
      }
    assert.deepEqual(taken, []);
  });

  test("every error that HTTP can bring about is as described", async () => {
    for (const operation of operations)
      for (const status of Object.keys(operation.responses)) {
        const answer = await calls.failures[status]?.(operation);
        if (answer === undefined) continue;
        assert.equal(String(answer.status), status, `${operation.name}: ${answer.text}`);
        keeps(operation, answer, status);
      }
  });

  test("no status is described that was not seen, but for what takes a fault of the gateway or its database", () => {
    const unseen = operations.flatMap((operation) =>
      Object.keys(operation.responses)
        .filter((status) => !seen.has(`${operation.name} ${status}`))
        // Of a processor that tells the end later: test/journeys/asynchronous-processor.test.ts.
        .filter((status) => !(status === "202" && isCharge(operation)))
        .filter((status) => status !== "500" && !(status === "503" && !asksProcessor(operation)))
        .map((status) => `${operation.name} ${status}`),
    );
    assert.deepEqual(unseen, []);
  });
});
