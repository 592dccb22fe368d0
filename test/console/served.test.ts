// The console's files as the gateway serves them: what may be kept, what may run, and what is there before they are built.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import Fastify from "fastify";
import { consoleRoutes } from "../../src/api/console.ts";
import { atEnd, temporaryFolder } from "../journeys/used-folder.ts";

const SCRIPT = "console.log('a console');".repeat(200);

function built(folder: string): void {
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Faregate</title>");
  writeFileSync(join(folder, "assets/index-abc.js"), SCRIPT);
}

function served(t: TestContext, folder: string) {
  const app = Fastify();
  atEnd(t, () => app.close());
  consoleRoutes(app, [join(folder, "elsewhere"), folder]);
  return (path: string, headers: Record<string, string> = {}) => app.inject({ url: path, headers });
}

test("each address of the console gives its page, which runs only what the gateway serves", async (t) => {
  const folder = temporaryFolder(t);
  built(folder);
  const get = served(t, folder);
  for (const path of ["/console", "/console/", "/console/transactions?status=settled", "/console/transactions/1/2"]) {
    const { statusCode, headers, body } = await get(path);
    assert.deepEqual([statusCode, headers["content-type"]], [200, "text/html; charset=utf-8"], path);
    assert.match(body, /<title>Faregate/);
    assert.equal(headers["cache-control"], "no-cache");
    const policy = String(headers["content-security-policy"]);
    for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
      assert.ok(policy.includes(rule), rule);
    assert.doesNotMatch(policy, /script-src[^;]*unsafe|https?:|\*/);
  }
});

test("a file whose name changes with its content is kept for good, and sent compressed", async (t) => {
  const folder = temporaryFolder(t);
  built(folder);
  const get = served(t, folder);
  const { headers, body } = await get("/console/assets/index-abc.js");
  assert.equal(body, SCRIPT);
  assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
  assert.equal(headers["content-type"], "text/javascript; charset=utf-8");
  const short = await get("/console/assets/index-abc.js", { "accept-encoding": "gzip" });
  assert.deepEqual(short.rawPayload, gzipSync(SCRIPT));
  const again = await get("/console/assets/index-abc.js", { "if-none-match": String(headers.etag) });
  assert.deepEqual([again.statusCode, again.body], [304, ""]);
});

test("a file that is not there is not the page, and nothing outside of the console is served", async (t) => {
  const folder = temporaryFolder(t);
  built(folder);
  const get = served(t, folder);
  assert.equal((await get("/console/assets/index-old.js")).statusCode, 404);
  const outside = await get("/console/..%2f..%2fpackage.json");
  assert.match(outside.body, /<title>Faregate/);
});

test("before the console is built its page says so, and is not kept", async (t) => {
  const folder = temporaryFolder(t);
  const get = served(t, folder);
  const { statusCode, headers, body } = await get("/console/transactions");
  assert.deepEqual([statusCode, headers["cache-control"]], [200, "no-store"]);
  assert.match(body, /npm run console/);
  assert.match(body, /http-equiv="refresh"/);
});
