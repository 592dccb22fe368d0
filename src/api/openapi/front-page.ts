// What `/` answers: what this is and where to go, as a page for browsers and as JSON for programs. Made once.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { cachedResponse } from "./cached-response.ts";
import { COMPONENT } from "./components.ts";
import { headTooLarge } from "./responses.ts";

const PLACES = {
  docs: "/docs",
  openapi: "/openapi.json",
  api: "/api/transactions",
  operator: "/operator/merchants",
  live: "/health/live",
  ready: "/health/ready",
} as const;

const WORDS: Record<keyof typeof PLACES, string> = {
  docs: "API reference",
  openapi: "the same for programs (OpenAPI 3.1)",
  api: "transactions, with an API token",
  operator: "merchants, with an operator token",
  live: "whether the process runs",
  ready: "whether it takes requests",
};

const DESCRIPTION = "A self-hosted card payment gateway";

const Path = (description: string) => Type.String({ description });
const FrontPage = Type.Object(
  {
    name: Type.Literal("Faregate"),
    description: Type.String(),
    version: Type.String(),
    links: Type.Object(Object.fromEntries(Object.entries(WORDS).map(([name, words]) => [name, Path(words)])), {
      additionalProperties: false,
    }),
  },
  { [COMPONENT]: "Gateway", additionalProperties: false },
);

const links = (Object.keys(PLACES) as (keyof typeof PLACES)[])
  .map((name) => `<li><a href="${PLACES[name]}">${PLACES[name]}</a>: ${WORDS[name]}</li>`)
  .join("\n");

const pageOf = (version: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Faregate</title>
<h1>Faregate ${version}</h1>
<p>${DESCRIPTION}.</p>
<ul>
${links}
</ul>
</html>
`;

/** Browsers name HTML among what they accept; programs that do not care get JSON. */
const wantsPage = (accept: string | undefined): boolean => /\btext\/html\b/.test(accept ?? "");

export function frontPage(app: FastifyInstance, version: string): void {
  const vary = "accept, accept-encoding";
  const json = cachedResponse(
    Buffer.from(JSON.stringify({ name: "Faregate", description: DESCRIPTION, version, links: PLACES })),
    { "content-type": "application/json; charset=utf-8", vary },
  );
  const page = cachedResponse(Buffer.from(pageOf(version)), {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    vary,
  });
  const schema = {
    summary: "What this is",
    description:
      "Where the API, its reference and the health checks are: a page if `Accept` names `text/html`, else JSON.",
    tags: ["Health"],
    security: [],
    response: {
      200: {
        description: "Where to go.",
        content: { "application/json": { schema: FrontPage }, "text/html": { schema: Type.String() } },
      },
      ...headTooLarge,
    },
  };
  app.get("/", { schema }, (request, reply) => (wantsPage(request.headers.accept) ? page : json)(request, reply));
}
