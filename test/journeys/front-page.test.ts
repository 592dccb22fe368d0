// Whoever finds the gateway by its address alone is told what it is and where to go on.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startTestGateway, type TestGateway } from "./gateway.ts";

describe("the front page", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const front = (accept?: string, headers: Record<string, string> = {}) =>
    gateway.get("/", { token: null, headers: { ...(accept !== undefined && { accept }), ...headers } });

  test("gives programs JSON, whatever else they accept", async () => {
    for (const accept of [undefined, "*/*", "application/json", "application/xml"]) {
      const { status, headers, body } = await front(accept);
      assert.deepEqual([status, headers.get("content-type")], [200, "application/json; charset=utf-8"]);
      assert.equal(body.name, "Faregate");
      assert.equal(body.links.docs, "/docs");
      assert.equal(headers.get("vary"), "accept, accept-encoding");
    }
  });

  test("leads browsers to the console", async () => {
    const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
    const led = (await front(accept)).headers;
    assert.deepEqual([led.get("location"), led.get("vary")], ["/console", "accept"]);
    const { status, headers } = await gateway.get("/console", { token: null });
    assert.deepEqual([status, headers.get("content-type")], [200, "text/html; charset=utf-8"]);
    assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'/);
  });

  test("leads nowhere that is not there", async () => {
    const { body } = await front();
    for (const path of Object.values<string>(body.links)) {
      const { status } = await gateway.get(path, { token: null });
      assert.ok([200, 401].includes(status), `${path}: ${status}`);
    }
  });

  test("is the same for everybody, so that who has it already gets 304", async () => {
    const { headers } = await front();
    const again = await front(undefined, { "if-none-match": headers.get("etag") ?? "" });
    assert.deepEqual([again.status, again.text], [304, ""]);
  });
});
