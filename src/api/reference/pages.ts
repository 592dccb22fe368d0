// The pages at /docs, and the files that they load: the reference for merchants, the one for operators, and the errors. All of
// it is the gateway's own, made or read once, and kept in memory.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { pageUnder } from "../base-path.ts";
import { GUIDE_PATH } from "../errors-guide.ts";
import { type CachedResponse, cachedResponse, madeOnce } from "../openapi/cached-response.ts";
import { documentFor } from "./documents.ts";
import { errorsPage } from "./errors-page.ts";
import { pageOf, STATIC_POLICY, STYLE_PATH } from "./html.ts";
import { AUDIENCES, type Audience, INTRODUCTIONS } from "./introductions.ts";

const PATHS: Readonly<Record<Audience, string>> = { merchant: "/docs", operator: "/docs/operator" };
const VIEWER_PATH = "/docs/redoc.js";
const START_PATH = "/docs/start.js";

/** The viewer makes its styles itself, and searches in a worker that it makes itself. It asks nobody but the gateway. */
const VIEWER_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src data:",
  "connect-src 'self'",
  "worker-src blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** To be called before any route is added. */
export function showPages(app: FastifyInstance, document: () => object): void {
  const { basePath = "" } = app;
  const show = (path: string, type: string, make: () => string, policy?: string) =>
    app.get(
      path,
      { schema: { hide: true } as object },
      madeOnce(() => textResponse(type === "text/html" ? pageUnder(basePath, make()) : make(), type, policy)),
    );
  for (const audience of AUDIENCES) {
    show(PATHS[audience], "text/html", () => referencePage(audience), VIEWER_POLICY);
    show(documentPath(audience), "application/json", () => JSON.stringify(documentFor(audience, document(), basePath)));
  }
  show("/docs/", "text/html", () => referencePage("merchant"), VIEWER_POLICY);
  show(GUIDE_PATH, "text/html", errorsPage, STATIC_POLICY);
  show(STYLE_PATH, "text/css", () => fileText("style.css"));
  show(START_PATH, "text/javascript", () => fileText("start.js"));
  show(VIEWER_PATH, "text/javascript", viewer);
}

const textResponse = (content: string, type: string, policy: string | undefined): CachedResponse =>
  cachedResponse(Buffer.from(content), {
    "content-type": `${type}; charset=utf-8`,
    ...(policy !== undefined && { "content-security-policy": policy }),
  });

const documentPath = (audience: Audience): string => `/docs/${audience}.json`;

const referencePage = (audience: Audience): string =>
  pageOf({
    title: `${INTRODUCTIONS[audience].title} – Faregate`,
    path: PATHS[audience],
    body: `<main id="reference" data-document="${documentPath(audience)}">
<noscript><p>The reference needs JavaScript. <a href="/openapi.json">The OpenAPI document</a> has the same.</p></noscript>
</main>`,
    scripts: [VIEWER_PATH, START_PATH],
  });

const fileText = (name: string): string => readFileSync(join(import.meta.dirname, name), "utf8");

/** The one picture that the viewer would load from its makers' host. */
const LOGO = "https://cdn.redoc.ly/redoc/logo-mini.svg";
const viewer = (): string =>
  fileText("redoc.standalone.js")
    .replaceAll(LOGO, "data:image/svg+xml,")
    .replace(/\n\/\/# sourceMappingURL=.*$/, "");
