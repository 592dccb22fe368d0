// The page at /docs. Each of its files is read once and kept in memory, so that many requests open no files.

import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { baseFault } from "../request-fault.ts";
import { type CachedResponse, cachedResponse } from "./cached-response.ts";

const AT = "/docs";

/** All there is. Of anything else not even the disk is asked. */
const FILES = [
  "swagger-ui.css",
  "index.css",
  "swagger-ui-bundle.js",
  "swagger-ui-standalone-preset.js",
  "swagger-initializer.js",
  "favicon-16x16.png",
  "favicon-32x32.png",
];
const PATHS = new Set(["", "/", "/json", "/yaml", "/static/index.html", ...FILES.map((file) => `/static/${file}`)]);

/** The page is the gateway's own from the first byte to the last, and asks nobody else. */
const POLICY = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self' 'unsafe-inline'",
  "img-src": "'self' data:",
  "font-src": "'self' data:",
  "connect-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
  "frame-ancestors": "'none'",
};
const KEPT_HEADERS = ["content-type", "content-security-policy"];
/** With these the response would be a part of the file, or none. */
const OF_A_PART = ["range", "if-range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since"];

/** To be called before any route is added. */
export async function showPage(app: FastifyInstance): Promise<void> {
  await app.register(async (page) => {
    const kept = new Map<string, CachedResponse>();
    page.addHook("onRequest", async (request, reply) => {
      const path = pathOf(request.url);
      if (!PATHS.has(path)) throw baseFault(404, "There is nothing at this path.");
      const there = kept.get(path);
      if (there !== undefined) return there(request, reply);
      for (const header of OF_A_PART) delete request.raw.headers[header];
    });
    page.addHook("onSend", async ({ url }, reply, payload) => {
      const path = pathOf(url);
      if (reply.statusCode !== 200 || kept.has(path) || payload === null) return payload;
      const bytes = await bytesOf(payload);
      const headers = KEPT_HEADERS.map((name) => [name, String(reply.getHeader(name) ?? "")] as const);
      kept.set(path, cachedResponse(bytes, Object.fromEntries(headers.filter(([, value]) => value !== ""))));
      return bytes;
    });
    await page.register(swaggerUi, {
      routePrefix: AT,
      staticCSP: POLICY,
      // Without the bar at the top: it has the library's logo and offers to load other documents.
      uiConfig: { layout: "BaseLayout", deepLinking: true, docExpansion: "list", persistAuthorization: false },
      theme: { title: "Faregate API" },
    });
  });
}

const pathOf = (url: string): string => url.replace(/\?.*$/s, "").slice(AT.length);

async function bytesOf(payload: unknown): Promise<Buffer> {
  if (typeof payload === "string" || Buffer.isBuffer(payload)) return Buffer.from(payload);
  const chunks: Buffer[] = [];
  for await (const chunk of payload as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
