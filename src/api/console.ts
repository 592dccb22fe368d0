// The console at /console: the files that `npm run console` has built, kept in memory. While they are not there, a page says so
// and loads itself again. The pages themselves are in console/, and talk to the API like any other client.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import type { FastifyInstance } from "fastify";
import { pageUnder } from "./base-path.ts";
import { type CachedResponse, cachedResponse } from "./openapi/cached-response.ts";
import { baseFault } from "./request-fault.ts";

export const CONSOLE_PATH = "/console";

/** In a checkout, and in the npm package. */
const PLACES = ["../../console/dist", "../console"].map((place) => join(import.meta.dirname, place));
const PAGE = "index.html";
/** Their names change with their content. */
const HASHED = "assets/";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The component library sets styles on elements; scripts, and what they ask, are the gateway's own. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = { "content-security-policy": POLICY, "referrer-policy": "no-referrer" };
const KEPT_FOR_GOOD = { "cache-control": "public, max-age=31536000, immutable" };
const LOOKED_FOR_EVERY_MS = 1_000;

/** @param places where it may have been built; the first that is there counts */
export function consoleRoutes(app: FastifyInstance, places: readonly string[] = PLACES): void {
  const { basePath = "" } = app;
  const files = keptFiles(places, basePath);
  const notBuilt = notBuiltUnder(basePath);
  const schema = { hide: true } as object;
  app.get(CONSOLE_PATH, { schema }, (request, reply) => (files()?.get(PAGE) ?? notBuilt)(request, reply));
  app.get<{ Params: { "*": string } }>(`${CONSOLE_PATH}/*`, { schema }, (request, reply) => {
    const there = files();
    const name = request.params["*"];
    const file = there?.get(name);
    if (there !== undefined && file === undefined && name.startsWith(HASHED))
      throw baseFault(404, "There is nothing at this path.");
    // Any other path is a view of the page.
    return (file ?? there?.get(PAGE) ?? notBuilt)(request, reply);
  });
}

type Files = ReadonlyMap<string, CachedResponse>;

/** Read once they are there: a gateway shows the console that it found, also while a new one is built. */
function keptFiles(places: readonly string[], basePath: string): () => Files | undefined {
  let kept: Files | undefined;
  let nextLookMs = 0;
  return () => {
    if (kept !== undefined || Date.now() < nextLookMs) return kept;
    nextLookMs = Date.now() + LOOKED_FOR_EVERY_MS;
    const folder = places.find((place) => existsSync(join(place, PAGE)));
    kept = folder === undefined ? undefined : readFiles(folder, basePath);
    return kept;
  };
}

function readFiles(folder: string, basePath: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = relative(folder, path);
      const type = TYPES[extname(name)] ?? "application/octet-stream";
      const headers = { ...HEADERS, ...(name.startsWith(HASHED) && KEPT_FOR_GOOD), "content-type": type };
      const bytes = readFileSync(path);
      const page = name === PAGE ? Buffer.from(pageUnder(basePath, namedIn(bytes.toString(), basePath))) : bytes;
      return [name, cachedResponse(page, headers)] as const;
    }),
  );
}

/** Where the page's scripts find it. */
const namedIn = (html: string, basePath: string): string =>
  html.replace('name="base-path" content=""', `name="base-path" content="${basePath}"`);

const notBuiltUnder = (basePath: string): CachedResponse =>
  cachedResponse(
    Buffer.from(
      pageUnder(
        basePath,
        `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="2">
<title>Faregate: console</title>
<h1>The console is being built</h1>
<p>After the first start this takes some seconds, and this page loads itself again. If it does not change:
<code>npm run console</code> builds the console and says what is wrong.</p>
<p>The API is there already: <a href="/docs">reference</a>.</p>
</html>
`,
      ),
    ),
    {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cache-control": "no-store",
    },
  );
