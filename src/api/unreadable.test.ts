import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import Fastify, { type FastifyInstance } from "fastify";
import { get, rawConnection, until } from "../../test/fixtures/raw-connection.ts";
import { respondToErrors } from "./errors.ts";
import { trackExchanges } from "./exchanges.ts";
import { oneAfterTheOther } from "./pipelining.ts";
import { leaveUnreadable, respondToUnreadable } from "./unreadable.ts";

const servers: FastifyInstance[] = [];
after(() => Promise.all(servers.map((app) => app.close())));

async function server() {
  const app = Fastify({
    forceCloseConnections: true,
    clientErrorHandler: leaveUnreadable,
    requestTimeout: 400,
    http: { headersTimeout: 200, connectionsCheckingInterval: 50, requireHostHeader: false },
  });
  const exchanges = trackExchanges(app);
  respondToErrors(app);
  oneAfterTheOther(app, exchanges, () => ({ name: "one", known: false }));
  respondToUnreadable(app, exchanges);
  app.get("/slow", async () => sleep(300, "<slow>"));
  app.get("/large", async () => "x".repeat(3_000_000));
  app.get("/stream", async (_, reply) => reply.send(Readable.from(pieces())));
  app.post("/sale", async ({ body }) => sleep(300, `<sold ${(body as string).length}>`));
  await app.listen({ host: "127.0.0.1", port: 0 });
  servers.push(app);
  return (app.server.address() as AddressInfo).port;
}

async function* pieces() {
  for (let nth = 0; nth < 5; nth++) {
    await sleep(50);
    yield "y".repeat(1_000);
  }
}

const sale = (body: string, announced = body.length) =>
  `POST /sale HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: ${announced}\r\n\r\n${body}`;

const answered = async (sent: string) => {
  const connection = await rawConnection(await server(), sent);
  await connection.closed;
  return connection;
};

test("a body that is longer than its Content-Length: the sale is answered first, and then what follows it", async () => {
  const { received, statuses } = await answered(sale('{"city":"Zurich"}', 16));
  assert.deepEqual(statuses(), ["200", "400"]);
  assert.match(received(), /<sold 16>HTTP\/1\.1 400 .*connection: close.*not HTTP as it can be read/s);
});

test("all that was sent before something unreadable is answered, in order, streamed answers whole", async () => {
  const { received, statuses } = await answered(`${get("/slow") + get("/stream") + sale("abc")}\0\0\0`);
  assert.deepEqual(statuses(), ["200", "200", "200", "400"]);
  assert.match(received(), /<slow>.*y{1000}.*\r\n0\r\n\r\nHTTP\/1\.1 200 .*<sold 3>HTTP\/1\.1 400 /s);
});

test("something unreadable in the midst of an answer waits for its end", async () => {
  const port = await server();
  const { socket, received, closed, statuses } = await rawConnection(port, get("/stream"));
  await until(() => received().includes("yyy"));
  socket.write("garbage \0\r\n\r\n");
  await closed;
  assert.deepEqual(statuses(), ["200", "400"]);
  assert.match(received(), /y{1000}\r\n0\r\n\r\nHTTP\/1\.1 400 /);
});

test("a large answer that is not read yet comes whole before the error", async () => {
  const port = await server();
  const { socket, received, closed, statuses } = await rawConnection(port, `${get("/large")}\0`, false);
  await sleep(200);
  const chunks: string[] = [];
  socket.on("data", (text: string) => chunks.push(text)).resume();
  await closed;
  const text = chunks.join("");
  assert.deepEqual([received(), statuses()], ["", []]);
  assert.equal(text.indexOf("HTTP/1.1 400"), text.indexOf("\r\n\r\n") + 4 + 3_000_000);
});

test("after an answer that ends the connection nothing follows", async () => {
  const { received } = await answered(`${get("/slow", "connection: close\r\n")}\0\0`);
  assert.match(received(), /<slow>$/);
});

test("a HEAD before something unreadable has no body, and the error has one", async () => {
  const { received, statuses } = await answered(`HEAD /slow HTTP/1.1\r\nhost: x\r\n\r\n\0\0`);
  assert.deepEqual(statuses(), ["200", "400"]);
  assert.doesNotMatch(received(), /<slow>/);
  assert.match(received(), /"status":400/);
});

test("a request that comes too late is told so after the answers of those before it", async () => {
  for (const late of ["POST /sale HTT", sale("abc", 10)]) {
    const { received, statuses } = await answered(get("/slow") + sale("ab") + late);
    assert.deepEqual(statuses(), ["200", "200", "408"], late);
    assert.match(received(), /<slow>.*<sold 2>HTTP\/1\.1 408 /s);
  }
});

test("a body that breaks in the middle is answered in its place, after those before it", async () => {
  const chunked = "POST /sale HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n";
  const { received, statuses } = await answered(`${sale("ab")}${chunked}2\r\nabXX\r\n`);
  assert.deepEqual(statuses(), ["200", "400"]);
  assert.match(received(), /<sold 2>HTTP\/1\.1 400 /);
});

test("CONNECT, upgrades and the preface of HTTP/2 after a sale take nothing of its answer away", async () => {
  for (const [more, expected] of [
    ["CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n", ["200", "400"]],
    ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ["200", "505"]],
  ] as const) {
    const { received, statuses } = await answered(sale("ab") + more);
    assert.deepEqual(statuses(), expected, more);
    assert.match(received(), /<sold 2>/);
  }
  const upgrade = get("/slow", "connection: upgrade\r\nupgrade: websocket\r\n");
  const { socket, statuses } = await rawConnection(await server(), sale("ab") + upgrade);
  await until(() => statuses().length === 2);
  assert.deepEqual(statuses(), ["200", "200"]);
  socket.destroy();
});

test("a client that goes on sending what cannot be read gets one error, and is let go", async () => {
  const port = await server();
  const { socket, closed, statuses } = await rawConnection(port, "\0\0\0");
  const sending = setInterval(() => socket.writable && socket.write("\0".repeat(1_000)), 20);
  await closed;
  clearInterval(sending);
  assert.deepEqual(statuses(), ["400"]);
});
