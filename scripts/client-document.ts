// The merchant's part of the OpenAPI document, which the client's types are made of. No gateway runs for it: the document is made
// of the routes and their schemas, and no route is called.

import { hash } from "node:crypto";
import pino from "pino";
import { VALUES } from "../src/api/openapi/open-schema.ts";
import { buildServer, type ServerParts } from "../src/api/server.ts";
import { PROCESSOR_KINDS } from "../src/processors/kinds.ts";

type Json = Readonly<Record<string, unknown>>;
interface Document extends Json {
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly paths: Readonly<Record<string, Json>>;
}

const WEBHOOKS = ["WebhookPayload", "DisputeWebhookPayload", "PlanWebhookPayload", "PingPayload"];

/** What clients use: the paths under /api with the bodies that succeed, webhooks' bodies, the one shape of errors. */
export async function clientDocument(): Promise<Document> {
  const { webhooks: _webhooks, ...whole } = await wholeDocument();
  const paths = JSON.parse(JSON.stringify(merchantsPaths(whole), succeeded)) as Document["paths"];
  const schemas = JSON.parse(JSON.stringify(whole.components.schemas, typed)) as Readonly<Record<string, Json>>;
  const needed = new Set([...WEBHOOKS, "ApiError"]);
  const waiting: unknown[] = [paths, ...WEBHOOKS.map((name) => schemas[name])];
  for (const one of waiting)
    for (const [, name = ""] of JSON.stringify(one).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      if (!needed.has(name)) {
        needed.add(name);
        waiting.push(schemas[name]);
      }
  const kept = Object.fromEntries(Object.entries(schemas).filter(([name]) => needed.has(name)));
  const { pathItems: _pathItems, ...components } = whole.components;
  return { ...whole, paths, components: { ...components, schemas: kept } };
}

const merchantsPaths = ({ paths }: Document): Json =>
  Object.fromEntries(Object.entries(paths).filter(([path]) => path.startsWith("/api/")));

/** Statuses of errors, and headers of responses, would make ten times as many lines that nobody uses. */
function succeeded(name: string, value: unknown): unknown {
  if (name === "headers") return undefined;
  if (name !== "responses") return value;
  return Object.fromEntries(Object.entries(value as Json).filter(([status]) => status.startsWith("2")));
}

/** Types check nothing while a program runs: they may name the values and fields of this version. */
function typed(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { [VALUES]: values, additionalProperties, ...schema } = value as Json;
  const hasNamedFields = Object.keys(schema.properties ?? {}).length > 0;
  const isOpen = additionalProperties !== undefined && !(hasNamedFields && additionalProperties === true);
  return {
    ...schema,
    ...(values !== undefined && { enum: [schema.type].flat().includes("null") ? [...(values as []), null] : values }),
    ...(isOpen && { additionalProperties }),
  };
}

async function wholeDocument(): Promise<Document> {
  const parts = { office: { kinds: PROCESSOR_KINDS }, parts: {}, secret: Buffer.alloc(32), trustProxy: [] };
  const log = pino({ level: "silent" });
  const app = await buildServer({ ...parts, log, rateLimitPerMinute: 0 } as unknown as ServerParts);
  const { body } = await app.inject("/openapi.json");
  await app.close();
  return JSON.parse(body) as Document;
}

/** Of all that types depend on: words and examples may change without new types. */
export function shapeHash(document: Document): string {
  const shape = JSON.stringify(document, (name, value: unknown) =>
    name === "info" || name === "examples" || (TEXTS.includes(name) && typeof value === "string") ? undefined : value,
  );
  return hash("sha256", shape, "hex");
}

const TEXTS = ["description", "summary"];
