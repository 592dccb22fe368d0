// PROXY_PROTOCOL and HTTP/2: who a client is behind a load balancer that passes connections on, what a hostile header comes to, and what a client
// is told that begins with HTTP/2.

import assert from "node:assert/strict";
import { connect as http2 } from "node:http2";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { keptLog, startTestGateway } from "./gateway.ts";
import type { Gateway } from "./merchant.fixture.ts";

const CLIENT = "203.0.113.77";
const V1 = `PROXY TCP4 ${CLIENT} 198.51.100.1 56324 443\r\n`;
const V2 = Buffer.from("0d0a0d0a000d0a515549540a2111000ccb00714dc6336401dc0401bb", "hex");

describe("connections that begin with the PROXY protocol's header", () => {
  let gateway: Gateway;
  const { log, lines } = keptLog();
  before(async () => {
    // Of this machine's own addresses, one is the load balancer's.
    gateway = await startTestGateway({ proxyProtocol: ["127.0.0.2"], trustProxy: ["203.0.113.0/24"] }, {}, log);
  });
  after(() => gateway.close());

  /** What comes back on a connection from that address until it is closed, or nothing more comes. */
  async function said(from: string, ...pieces: readonly (string | Buffer)[]): Promise<string> {
    const socket = connect({ port: Number(new URL(gateway.url).port), host: "127.0.0.1", localAddress: from });
    let text = "";
    const closed = new Promise<string>((resolve) =>
      socket.on("error", () => undefined).on("close", () => resolve(text)),
    );
    socket.setNoDelay(true).on("data", (bytes) => (text += bytes.toString("latin1")));
    for (const piece of pieces) {
      socket.write(piece);
      await sleep(10);
    }
    return closed;
  }
  let count = 0;
  /** Creates a merchant, whose entry in the audit log says where from. */
  const creating = (headers = ""): { readonly name: string; readonly request: string } => {
    const name = `Merchant ${++count}`;
    const body = JSON.stringify({ name });
    const head = `POST /operator/merchants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.sandbox.operator_token}\r\n`;
    const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n`;
    return { name, request: `${head}${headers}${type}\r\n${body}` };
  };
  const sourceOf = async (name: string): Promise<string | undefined> => {
    const { entries } = (await gateway.operator("GET", "/operator/audit-log?action=merchant.create")).body;
    return entries.find((entry: { after?: { name?: string } }) => JSON.stringify(entry).includes(name))?.source;
  };

  for (const [how, header] of [
    ["version 1", [V1]],
    ["version 2", [V2]],
    ["version 1, byte by byte", [...V1]],
    ["version 2, in two pieces", [V2.subarray(0, 15), V2.subarray(15)]],
  ] as const)
    test(`${how}: the client is who the header says`, async () => {
      const { name, request } = creating();
      assert.match(await said("127.0.0.2", ...header, request), /^HTTP\/1\.1 201 /);
      assert.equal(await sourceOf(name), CLIENT);
    });

  test("header and request may come as one piece, and requests one after the other", async () => {
    const [one, two] = [creating(), creating()];
    const kept = one.request.replace("Connection: close\r\n", "");
    assert.equal((await said("127.0.0.2", `${V1}${kept}${two.request}`)).match(/HTTP\/1\.1 201 /g)?.length, 2);
    assert.deepEqual([await sourceOf(one.name), await sourceOf(two.name)], [CLIENT, CLIENT]);
  });

  test("a request as long as many packets arrives whole behind its header", async () => {
    const { name, request } = creating(`X-Long: ${"x".repeat(12_000)}\r\n`);
    assert.match(await said("127.0.0.2", V2, request), /^HTTP\/1\.1 201 /);
    assert.equal(await sourceOf(name), CLIENT);
  });

  test("a load balancer's own checks, LOCAL and UNKNOWN, have its own address", async () => {
    for (const header of ["PROXY UNKNOWN\r\n", Buffer.from("0d0a0d0a000d0a515549540a20000000", "hex")]) {
      const { name, request } = creating();
      assert.match(await said("127.0.0.2", header, request), /^HTTP\/1\.1 201 /);
      assert.equal(await sourceOf(name), "127.0.0.2");
    }
  });

  test("X-Forwarded-For counts if the client of the header is a trusted proxy", async () => {
    const { name, request } = creating("X-Forwarded-For: 192.0.2.9\r\n");
    await said("127.0.0.2", V1, request);
    assert.equal(await sourceOf(name), "192.0.2.9");
    const other = creating("X-Forwarded-For: 192.0.2.9\r\n");
    await said("127.0.0.2", V1.replace(CLIENT, "198.51.100.5"), other.request);
    assert.equal(await sourceOf(other.name), "198.51.100.5");
  });

  test("from any other address a header is no HTTP, and requests without one are served", async () => {
    for (const header of [V1, V2])
      assert.match(await said("127.0.0.3", header, creating().request), /^HTTP\/1\.1 400 /);
    const { name, request } = creating();
    assert.match(await said("127.0.0.3", request), /^HTTP\/1\.1 201 /);
    assert.equal(await sourceOf(name), "127.0.0.3");
  });

  test("a load balancer's connection without a header, or with a wrong one, is closed without a word, and the log says why", async () => {
    for (const wrong of [
      "GET /health/live HTTP/1.1\r\n\r\n",
      "PROXY TCP4 1.2.3 4 5 6\r\n",
      V1 + V1,
      `PROXY ${"x".repeat(200)}`,
    ]) {
      const text = await said("127.0.0.2", wrong, "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      assert.ok(text === "" || text.startsWith("HTTP/1.1 400 "), JSON.stringify(wrong));
    }
    assert.ok(
      lines.some(({ msg }) => /PROXY_PROTOCOL's addresses was closed: it does not begin with/.test(String(msg))),
    );
  });

  test("HTTP/2 without TLS is refused in words, also behind a header, and the log says what to do", async () => {
    const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    for (const [from, begin] of [
      ["127.0.0.3", ""],
      ["127.0.0.2", V1],
    ] as const)
      assert.match(
        await said(from, begin, preface),
        /^HTTP\/1\.1 505 [\s\S]*This gateway speaks HTTP\/1\.1, and no HTTP\/2/,
      );
    const client = http2(gateway.url);
    const failed = new Promise((resolve) => client.once("error", resolve));
    client
      .request({ ":path": "/health/live" })
      .on("error", () => undefined)
      .end();
    assert.match(String(await failed), /Protocol error/);
    assert.equal(lines.filter(({ msg }) => /^HTTP\/2 was refused/.test(String(msg))).length, 1);
  });

  test("a client that offers HTTP/2 in HTTP/1.1 is answered in HTTP/1.1", async () => {
    const offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n";
    const { name, request } = creating(offer);
    assert.match(await said("127.0.0.3", request), /^HTTP\/1\.1 201 /);
    assert.equal(await sourceOf(name), "127.0.0.3");
  });
});
