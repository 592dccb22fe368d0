import assert from "node:assert/strict";
import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, test } from "node:test";
import { setImmediate as endOfTurn, setTimeout as sleep } from "node:timers/promises";
import Fastify, { type FastifyInstance } from "fastify";
import { connectionHttpOptions, connectionServerOptions, limitConnections, MOST_HEADER_BYTES } from "./connections.ts";
import { respondToErrors } from "./errors.ts";
import { trackExchanges } from "./exchanges.ts";
import type { PlaceLimits } from "./places.ts";
import { leaveUnreadable, respondToUnreadable } from "./unreadable.ts";

const servers: FastifyInstance[] = [];
after(() => Promise.all(servers.map((app) => app.close())));

/** As the gateway's, with patience that a test has. */
async function server(limits?: PlaceLimits) {
  const app = Fastify({
    ...connectionServerOptions,
    keepAliveTimeout: 300,
    requestTimeout: 600,
    forceCloseConnections: true,
    clientErrorHandler: leaveUnreadable,
    http: { headersTimeout: 300, connectionsCheckingInterval: 50, ...connectionHttpOptions },
  });
  respondToErrors(app);
  const exchanges = trackExchanges(app);
  respondToUnreadable(app, exchanges);
  limitConnections(app, exchanges, [], limits);
  app.get("/", async () => "done");
  app.get("/slow", async () => sleep(200, "slow"));
  app.get("/forwarded", async ({ headers }) => `<${headers["x-forwarded-for"]}>`);
  app.post("/", async () => "taken");
  await app.listen({ host: "127.0.0.1", port: 0 });
  servers.push(app);
  const { port } = app.server.address() as AddressInfo;
  return { port, open: () => opened(port) };
}

/** Its type does not know the buffer yet: what Node waits beyond what it tells clients. */
const httpServerAt = (port: number) =>
  servers.map(({ server }) => server).find((one) => (one.address() as AddressInfo | null)?.port === port) as Server & {
    readonly keepAliveTimeoutBuffer: number;
  };

async function opened(port: number) {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.setEncoding("utf8").on("error", () => undefined);
  socket.on("data", (text: string) => {
    received += text;
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await Promise.race([once(socket, "connect"), closed]);
  return { socket, closed, received: () => received };
}

const get = (path = "/", more = "") => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;

/** One byte after the other, for as long as the other side listens. */
async function dribble(socket: Socket, bytes: string): Promise<void> {
  for (const byte of bytes) {
    if (socket.destroyed || !socket.writable) return;
    socket.write(byte);
    await sleep(30);
  }
}

test("headers that come byte by byte, and none at all, end with a closed connection", async () => {
  const { open } = await server();
  const slow = await open();
  const silent = await open();
  await dribble(slow.socket, get("/", `x: ${"y".repeat(100)}\r\n`));
  await Promise.all([slow.closed, silent.closed]);
  assert.match(slow.received(), /^HTTP\/1\.1 408 .*The request did not arrive in time/s);
  assert.doesNotMatch(silent.received(), / 200 /);
});

test("a body that comes byte by byte ends with a closed connection", async () => {
  const { open } = await server();
  const { socket, closed, received } = await open();
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 1000\r\n\r\n");
  await dribble(socket, "z".repeat(60));
  await closed;
  assert.doesNotMatch(received(), / 200 /);
});

test("a connection that asks nothing more is closed after a while", async () => {
  const { open } = await server();
  const { socket, closed, received } = await open();
  socket.write(get());
  await closed;
  assert.match(received(), /^HTTP\/1\.1 200 .*done$/s);
});

test("headers up to 16 KiB are taken, beyond it they are refused with 431", async () => {
  const { open } = await server();
  for (const [bytes, expected] of [
    [MOST_HEADER_BYTES - 200, /^HTTP\/1\.1 200 /],
    [MOST_HEADER_BYTES + 200, /^HTTP\/1\.1 431 .*"status":431.*headers are too large/s],
  ] as const) {
    const { socket, closed, received } = await open();
    socket.write(get("/", `x: ${"y".repeat(bytes)}\r\n`));
    await closed;
    assert.match(received(), expected);
  }
});

test("what cannot be read is answered in the shape of all errors, and a HEAD without a body", async () => {
  const { open } = await server();
  for (const [method, end] of [
    ["GET", /\r\n\r\n\{"error":\{"status":400,.*\}$/s],
    ["HEAD", /connection: close\r\n\r\n$/],
  ] as const) {
    const { socket, closed, received } = await open();
    socket.write(`${method} / HTTP/1.1\r\nhost: x\r\nx y: \0\r\n\r\n`);
    await closed;
    assert.match(received(), /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(received(), end);
  }
});

test("beyond the most the stranger who came first makes room, and whoever comes is served", async () => {
  const { open } = await server({
    most: 3,
    mostOfOneAddress: 3,
    mostStrangersOfOneAddress: 3,
    mostKnown: 3,
    mostOfOneMerchant: 3,
  });
  const [first, ...others] = [await open(), await open(), await open()];
  const newcomer = await open();
  await first?.closed;
  const served = [...others, newcomer];
  for (const { socket } of served) socket.write(get());
  for (const { received, closed } of served) {
    await closed;
    assert.match(received(), / 200 .*done$/s);
  }
});

test("a request without a Host or with two is told so, one that expects something unknown is answered", async () => {
  const { open } = await server();
  for (const [text, expected] of [
    [get("/", "hosts: x\r\nx-host: host\r\nHost: x\r\n"), /^HTTP\/1\.1 400 .*"status":400.*more than one Host header/s],
    ["GET / HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 400 .*"status":400.*no Host header/s],
    ["GET / HTTP/1.0\r\n\r\n", /^HTTP\/1\.1 200 /],
    [get("/", "expect: the best\r\n"), /^HTTP\/1\.1 200 /],
  ] as const) {
    const { socket, closed, received } = await open();
    socket.write(text);
    await closed;
    assert.match(received(), expected);
  }
});

test("a request that arrives just as its idle connection is to be closed is answered", async () => {
  const { port, open } = await server();
  const { socket, closed, received } = await open();
  socket.write(get());
  await once(socket, "data");
  const { keepAliveTimeout, keepAliveTimeoutBuffer } = httpServerAt(port);
  const dueAtMs = performance.now() + keepAliveTimeout + keepAliveTimeoutBuffer;
  await sleep(dueAtMs - performance.now() - 100);
  // Timers come first in the next turn of the loop, and only then what has arrived.
  await endOfTurn();
  socket.write(get("/slow"));
  while (performance.now() < dueAtMs + 100);
  await closed;
  assert.equal(received().match(/HTTP\/1\.1 200 /g)?.length, 2);
});

test("of those that a request was forwarded for, the nearest twenty are looked at", async () => {
  const { open } = await server();
  const chain = (from: number) => Array.from({ length: 40 - from }, (_, nth) => `10.0.0.${from + nth}`).join(", ");
  for (const [sent, seen] of [
    ["10.0.0.1", "10.0.0.1"],
    [chain(20), chain(20)],
    [chain(19), ` ${chain(20)}`],
    [`${",".repeat(15_000)}${chain(20)}`, chain(20)],
    [",".repeat(15_000), ",".repeat(19)],
  ] as const) {
    const { socket, closed, received } = await open();
    socket.write(get("/forwarded", `x-forwarded-for: ${sent}\r\nconnection: close\r\n`));
    await closed;
    assert.equal(received().match(/<(.*)>/)?.[1], seen);
  }
});
