import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import Fastify, { type FastifyInstance } from "fastify";
import { get, rawConnection, until } from "../../test/fixtures/raw-connection.ts";
import { logLines } from "../shares/log-lines.ts";
import { trackExchanges } from "./exchanges.ts";
import { beyond, cutOffUnread } from "./unread-responses.ts";

const LIMITS = {
  leastBytes: 40_960,
  withinMs: 500,
  known: { mostBytesOfOne: 1e9, mostBytesOfAll: 1e9 },
  strangers: { mostBytesOfOne: 1e9, mostBytesOfAll: 1e9 },
  lookEveryMs: 20,
};
const LARGE = Buffer.alloc(20_000_000, "x");

const servers: FastifyInstance[] = [];
after(() => Promise.all(servers.map((app) => app.close())));

async function server(limits = LIMITS) {
  const app = Fastify({ forceCloseConnections: true });
  const exchanges = trackExchanges(app);
  cutOffUnread(app, exchanges, () => ({ name: "192.0.2.1", known: false }), logLines(app.log), limits);
  app.get("/large", async () => LARGE);
  app.get("/stream", async (_, reply) => reply.send(Readable.from(pieces())));
  app.get("/slow", async () => sleep(1_500, "done"));
  await app.listen({ host: "127.0.0.1", port: 0 });
  servers.push(app);
  const { port } = app.server.address() as AddressInfo;
  return { port, open: () => exchanges.connections.size };
}

async function* pieces() {
  for (let nth = 0; nth < 300; nth++) yield "x".repeat(65_536);
}

test("an answer that nobody takes is cut off, whole or streamed", async () => {
  const { port, open } = await server();
  for (const path of ["/large", "/stream"]) {
    const { socket } = await rawConnection(port, get(path), false);
    await until(() => open() === 1);
    await until(() => open() === 0);
    socket.destroy();
  }
});

/** Takes a piece, rests, takes the next. */
async function takingSteadily(port: number, path: string, restMs: number) {
  const taken = { bytes: 0 };
  const connection = await rawConnection(port, get(path, "connection: close\r\n"), false);
  const { socket } = connection;
  socket.on("data", (text: string) => {
    taken.bytes += text.length;
    socket.pause();
    setTimeout(() => socket.resume(), restMs);
  });
  socket.resume();
  return { ...connection, taken };
}

test("an answer that is taken drop by drop is cut off", async () => {
  const { port, open } = await server();
  const { socket } = await takingSteadily(port, "/large", 2_000);
  await until(() => open() === 1);
  // At this pace it would take ten minutes.
  await until(() => open() === 0);
  socket.destroy();
});

test("an answer that takes its time to be made, and one that is taken steadily, are left alone", async () => {
  const { port } = await server();
  const slow = await rawConnection(port, get("/slow"));
  const { closed, taken } = await takingSteadily(port, "/stream", 5);
  await closed;
  assert.ok(taken.bytes > 300 * 65_536);
  await until(() => slow.received().endsWith("done"));
  slow.socket.destroy();
});

const waiting = (name: string, sinceMs: number, bytes: number, more: { known?: boolean; many?: true } = {}) => ({
  holder: { name, known: false, ...more },
  sinceMs,
  bytes,
});
const BOUNDS = {
  known: { mostBytesOfOne: 50, mostBytesOfAll: 100 },
  strangers: { mostBytesOfOne: 50, mostBytesOfAll: 100 },
};

test("what waits to be taken is bounded by holder and in all, and what has waited longest goes first", () => {
  const [a1, a2, a3] = [waiting("10.0.0.1", 1, 30), waiting("10.0.0.1", 2, 30), waiting("10.0.0.1", 3, 20)];
  const [b, c] = [waiting("2001:db8::", 1, 40), waiting("10.0.0.3", 0, 30)];
  assert.deepEqual(beyond([a1, a2, a3], BOUNDS), [a1]);
  assert.deepEqual(beyond([a2, a3, b, c], BOUNDS), [c]);
  assert.deepEqual(beyond([a2, b], BOUNDS), []);
});

test("what strangers leave unread cuts no merchant's download off, and what is behind a proxy has no share of one", () => {
  const known = { known: true };
  const download = waiting("a merchant", 0, 50, known);
  const strangers = [1, 2, 3, 4].map((nth) => waiting(`10.0.0.${nth}`, nth, 40));
  assert.deepEqual(beyond([download, ...strangers], BOUNDS), [strangers[1], strangers[0]]);
  const behind = [3, 2, 1].map((sinceMs) => waiting("a proxy", sinceMs, 40, { ...known, many: true }));
  assert.deepEqual(beyond(behind, BOUNDS), [behind[2]]);
});

test("an answer beyond the bound is cut off", async () => {
  const { port } = await server({
    ...{ ...LIMITS, withinMs: 60_000 },
    strangers: { mostBytesOfOne: 1e9, mostBytesOfAll: 30_000_000 },
  });
  const first = await rawConnection(port, get("/large"), false);
  await sleep(200);
  const others = await Promise.all([1, 2, 3].map(() => rawConnection(port, get("/large"), false)));
  await sleep(300);
  first.socket.resume();
  await first.closed;
  for (const { socket } of others) socket.destroy();
});
