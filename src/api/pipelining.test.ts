import assert from "node:assert/strict";
import type { AddressInfo, Socket } from "node:net";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import Fastify, { type FastifyInstance } from "fastify";
import { get, rawConnection, until } from "../../test/fixtures/raw-connection.ts";
import type { Holder } from "../shares/loop-turns.ts";
import { respondToErrors } from "./errors.ts";
import { trackExchanges } from "./exchanges.ts";
import { oneAfterTheOther, type PipeliningLimits } from "./pipelining.ts";

const servers: FastifyInstance[] = [];
after(() => Promise.all(servers.map((app) => app.close())));

/** More than the system keeps for a connection that is not read. */
const LARGE = Buffer.alloc(8_000_000, "x");

const asStranger = () => ({ name: "127.0.0.1", known: false });

async function server(limits?: PipeliningLimits, holderOf: (socket: Socket) => Holder = asStranger) {
  const app = Fastify({ forceCloseConnections: true });
  const made = { large: 0, atOnce: 0, most: 0 };
  respondToErrors(app);
  oneAfterTheOther(app, trackExchanges(app), holderOf, undefined, limits);
  app.get("/large", async () => {
    made.large++;
    return LARGE;
  });
  app.get("/slow/:nth", async ({ params }) => {
    made.most = Math.max(made.most, ++made.atOnce);
    await sleep(20);
    made.atOnce--;
    return `<${(params as { nth: string }).nth}>`;
  });
  app.post("/echo", async ({ body }) => `<${(body as string).length}>`);
  await app.listen({ host: "127.0.0.1", port: 0 });
  servers.push(app);
  return { port: (app.server.address() as AddressInfo).port, made };
}

const numbersIn = (text: string) => [...text.matchAll(/<(\d+)>/g)].map(([, nth]) => Number(nth));

test("while nobody reads a connection, one answer is made and no more", async () => {
  const { port, made } = await server();
  const connections = await Promise.all(
    Array.from({ length: 20 }, () => rawConnection(port, get("/large").repeat(20), false)),
  );
  await until(() => made.large === 20);
  await sleep(200);
  assert.equal(made.large, 20);
  for (const { socket } of connections) socket.destroy();
});

test("requests that were sent at once are worked on one after the other, and all are answered in order", async () => {
  const { port, made } = await server();
  const wanted = Array.from({ length: 21 }, (_, nth) => nth);
  const { socket, received } = await rawConnection(port, wanted.map((nth) => get(`/slow/${nth}`)).join(""));
  await until(() => numbersIn(received()).length === 21);
  assert.deepEqual(numbersIn(received()), wanted);
  assert.equal(made.most, 1);
  // The connection goes on.
  socket.write(get("/slow/21"));
  await until(() => numbersIn(received()).length === 22);
  socket.destroy();
});

test("bodies of requests that wait arrive whole, however large", async () => {
  const { port } = await server();
  const post = (bytes: number) =>
    `POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: ${bytes}\r\n\r\n${"z".repeat(bytes)}`;
  const sizes = [10, 200_000, 5, 900_000, 70_000, 1, 1, 300_000];
  const { socket, received } = await rawConnection(port, get("/slow/7") + sizes.map(post).join(""));
  await until(() => numbersIn(received()).length === sizes.length + 1);
  assert.deepEqual(numbersIn(received()), [7, ...sizes]);
  socket.destroy();
});

test("beyond the most that may wait, one is told so and the connection is closed", async () => {
  const { port, made } = await server({ mostWaiting: 5, mostWaitingOfOne: 100, mostWaitingOfAll: 100 });
  const all = Array.from({ length: 30 }, (_, nth) => get(`/slow/${nth}`)).join("");
  const { received, statuses, closed } = await rawConnection(port, all);
  await closed;
  assert.deepEqual(statuses(), [...Array(6).fill("200"), "429"]);
  assert.deepEqual(numbersIn(received()), [0, 1, 2, 3, 4, 5]);
  assert.match(received(), /connection: close.*nothing reached the processor/is);
  assert.equal(made.most, 1);
  const next = await rawConnection(port, get("/slow/1"));
  await until(() => next.statuses().length === 1);
  next.socket.destroy();
});

test("beyond what may wait of one address or of all, a connection is closed, and others go on", async () => {
  const { port } = await server({ mostWaiting: 50, mostWaitingOfOne: 20, mostWaitingOfAll: 100 });
  const within = await rawConnection(port, get("/slow/1").repeat(15));
  await until(() => within.statuses().length > 0);
  const beyond = await rawConnection(port, get("/slow/1").repeat(30));
  await beyond.closed;
  await until(() => within.statuses().length === 15);
  within.socket.destroy();
});

test("what waits of strangers takes nothing from known callers, nor theirs from strangers", async () => {
  const limits = { mostWaiting: 50, mostWaitingOfOne: 20, mostWaitingOfAll: 20 };
  for (const floodIsKnown of [false, true]) {
    const known = new Set<number | undefined>();
    const { port, made } = await server(limits, ({ remotePort }) => ({ name: "one", known: known.has(remotePort) }));
    const [flood, other] = [await rawConnection(port, "", false), await rawConnection(port)];
    known.add((floodIsKnown ? flood : other).socket.localPort);
    flood.socket.write(get("/large").repeat(21));
    await until(() => made.large === 1);
    await sleep(100);
    other.socket.write(get("/slow/1").repeat(16));
    await Promise.race([until(() => other.statuses().length === 16), other.closed]);
    assert.equal(other.statuses().length, 16);
    for (const { socket } of [flood, other]) socket.destroy();
  }
});

test("a request whose client left before its turn is not begun", async () => {
  const begun: string[] = [];
  const turns: (() => void)[] = [];
  const app = Fastify({ forceCloseConnections: true });
  const exchanges = trackExchanges(app);
  const { connections } = exchanges;
  oneAfterTheOther(app, exchanges, asStranger, (_request, begin) => void turns.push(begin));
  app.get("/:name", async ({ params }) => begun.push((params as { name: string }).name));
  await app.listen({ host: "127.0.0.1", port: 0 });
  servers.push(app);
  const { port } = app.server.address() as AddressInfo;
  const [leaves, stays] = [await rawConnection(port, get("/leaves")), await rawConnection(port, get("/stays"))];
  await until(() => turns.length === 2);
  leaves.socket.destroy();
  await until(() => connections.size === 1);
  for (const begin of turns) begin();
  await until(() => stays.statuses().length === 1);
  assert.deepEqual(begun, ["stays"]);
  stays.socket.destroy();
});
