// A gateway of a later version, as far as a client sees: a proxy that adds a field to every object of a response and changes every text
// that this version takes from a list. It also answers a capture with 202, as while an outcome is not known.

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { VALUES } from "../../../src/api/openapi/open-schema.ts";
import type { Document, Schema } from "../../journeys/published.ts";

export interface LaterVersion {
  readonly url: string;
  readonly close: () => Promise<void>;
}

export async function startLaterVersion(url: string, document: Document): Promise<LaterVersion> {
  const listed = namesOfListed(document);
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const answer = await fetch(url + request.url, {
      method: request.method ?? "GET",
      headers: headersOf(request),
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const text = JSON.stringify(changed(await answer.json(), "", listed));
    const pending = answer.status === 200 && request.url?.endsWith("/capture");
    response.writeHead(pending ? 202 : answer.status, { "content-type": "application/json", "x-of-later": "1" });
    response.end(text);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> => {
  const { authorization = "", "idempotency-key": key } = headers;
  return {
    authorization,
    "content-type": headers["content-type"] ?? "application/json",
    ...(typeof key === "string" && { "idempotency-key": key }),
  };
};

/** `meta` is the merchant's own, and the fields of an error's message are those of the request. */
const CLOSED = ["meta", "message"];

function changed(value: unknown, name: string, listed: ReadonlySet<string>): unknown {
  if (typeof value === "string") return listed.has(name) ? "of-a-later-version" : value;
  if (Array.isArray(value)) return value.map((one) => changed(one, name, listed));
  if (typeof value !== "object" || value === null || CLOSED.includes(name)) return value;
  const fields = Object.entries(value).map(([field, inner]) => [field, changed(inner, field, listed)]);
  return { ...Object.fromEntries(fields), of_a_later_version: { also: ["this"] } };
}

/** Fields of responses whose values this version lists. */
function namesOfListed({ components }: Document): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (schema: Schema) => {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (VALUES in field) names.add(name);
      visit(field);
    }
    if (schema.items) visit(schema.items);
  };
  for (const schema of Object.values(components.schemas)) visit(schema);
  return names;
}
