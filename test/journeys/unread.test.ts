// Clients that ask and do not read, and clients that count wrong, over raw sockets to the whole gateway.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { get, rawConnection, until } from "../fixtures/raw-connection.ts";
import { startTestGateway } from "./gateway.ts";
import { type Gateway, sale } from "./merchant.fixture.ts";

describe("unread answers", () => {
  let gateway: Gateway;
  let port: number;
  before(async () => {
    gateway = await startTestGateway();
    port = Number(new URL(gateway.url).port);
  });
  after(() => gateway.close());

  test("130 strangers who ask for the document 99 times each and read nothing keep no answers in memory", async () => {
    const before = process.memoryUsage();
    const strangers = await Promise.all(
      Array.from({ length: 130 }, () => rawConnection(port, get("/openapi.json").repeat(99), false)),
    );
    await sleep(3_000);
    const now = process.memoryUsage();
    const moreMiB = (now.heapUsed + now.external - before.heapUsed - before.external) / 1_048_576;
    assert.ok(moreMiB < 250, `${Math.round(moreMiB)} MiB`);
    assert.equal((await gateway.get("/health/ready", { token: null })).status, 200);
    for (const { socket } of strangers) socket.destroy();
  });

  test("a sale whose Content-Length counts characters and not bytes is answered before the rest is refused", async () => {
    const body = JSON.stringify(sale({ city: "Zürich" }));
    const { received, statuses, closed } = await rawConnection(
      port,
      `POST /api/transactions/sale HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n` +
        `authorization: Bearer ${gateway.sandbox.api_token}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await closed;
    // The body lacks its last byte, so it is no JSON; whatever becomes of it is told, and told first.
    assert.deepEqual(statuses(), ["400", "400"]);
    assert.doesNotMatch(received().split("HTTP/1.1 400")[1] ?? "", /not HTTP/);
  });

  test("a form whose Content-Length counts characters is a sale, and its answer comes first", async () => {
    const fields = Object.entries(sale()).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
    const body = `${fields.join("&")}&city=Zürich`;
    const { received, statuses, closed } = await rawConnection(
      port,
      `POST /api/transactions/sale HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\n` +
        `authorization: Bearer ${gateway.sandbox.api_token}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await closed;
    assert.deepEqual(statuses(), ["200", "400"]);
    assert.match(received(), /"processor_message":"APPROVED".*HTTP\/1\.1 400 .*not HTTP as it can be read/s);
  });

  test("the documents and their pages are made once, compressed for who wants that, and not sent to who has them", async () => {
    for (const path of ["/openapi.json", "/docs", "/docs/errors", "/docs/operator.json", "/docs/redoc.js"]) {
      await gateway.get(path, { token: null });
      const first = await gateway.get(path, { token: null });
      const etag = first.headers.get("etag") ?? "";
      assert.equal(first.status, 200, path);
      assert.equal((await gateway.get(path, { token: null, headers: { "if-none-match": etag } })).status, 304, path);
      assert.equal((await gateway.get(path, { token: null, headers: { range: "bytes=0-1" } })).status, 200, path);
      const plain = await rawBody(path, "");
      assert.equal(plain.toString(), first.text, path);
      assert.deepEqual(gunzipSync(await rawBody(path, "accept-encoding: gzip\r\n")), plain, path);
    }
    assert.equal((await gateway.get("/docs/anything", { token: null })).status, 404);
    assert.equal((await gateway.get("/docs/../../package.json", { token: null })).status, 404);
  });

  async function rawBody(path: string, headers: string): Promise<Buffer> {
    const chunks: string[] = [];
    const { socket, closed } = await rawConnection(port, get(path, `connection: close\r\n${headers}`), false);
    socket.setEncoding("latin1").on("data", (text: string) => chunks.push(text));
    socket.resume();
    await closed;
    const text = chunks.join("");
    return Buffer.from(text.slice(text.indexOf("\r\n\r\n") + 4), "latin1");
  }

  test("a stranger's twenty-one requests on one connection are answered one after the other", async () => {
    const { socket, statuses } = await rawConnection(port, get("/health/live").repeat(21));
    await until(() => statuses().length === 21);
    assert.ok(statuses().every((status) => status === "200"));
    socket.destroy();
  });
});
