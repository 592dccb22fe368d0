// What `/` responds with: browsers are led to the console, programs are told what this is and where to go. Made once.

import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { CONSOLE_PATH } from "../console.ts";
import { cachedResponse } from "./cached-response.ts";
import { COMPONENT } from "./components.ts";
import { mapped } from "./publish-schema.ts";
import { headTooLarge } from "./responses.ts";

const PLACES = {
  console: CONSOLE_PATH,
  docs: "/docs",
  openapi: "/openapi.json",
  api: "/api/transactions",
  operator: "/operator/merchants",
  live: "/health/live",
  ready: "/health/ready",
} as const;

const WORDS: Record<keyof typeof PLACES, string> = {
  console: "see and steer payments in a browser",
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

/** Browsers name HTML among what they accept; programs that do not care get JSON. */
const wantsPage = (accept: string | undefined): boolean => /\btext\/html\b/.test(accept ?? "");

export function frontPage(app: FastifyInstance, version: string): void {
  const { basePath = "" } = app;
  const links = mapped(PLACES, (path) => `${basePath}${path}`);
  const json = cachedResponse(
    Buffer.from(JSON.stringify({ name: "Faregate", description: DESCRIPTION, version, links })),
    { "content-type": "application/json; charset=utf-8", vary: "accept, accept-encoding" },
  );
  const schema = {
    summary: "What this is",
    description:
      "Where the API, its reference and the health checks are. If `Accept` names `text/html`, as browsers do: on to the console.",
    tags: ["Health"],
    security: [],
    response: {
      200: {
        description: "Where to go.",
        content: { "application/json": { schema: FrontPage } },
      },
      302: { description: "To the console.", type: "null" },
      ...headTooLarge,
    },
  };
  app.get("/", { schema }, async (request, reply) =>
    wantsPage(request.headers.accept)
      ? reply.header("vary", "accept").redirect(`${basePath}${CONSOLE_PATH}`)
      : json(request, reply),
  );
}
