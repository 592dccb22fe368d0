// Long answers over real sockets: they are made no faster than they are read, end with their reader, and never look whole
// when they are not.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import Fastify from "fastify";
import { alarms, loggedApp } from "../../test/logged-app.ts";
import { logLines } from "../shares/log-lines.ts";
import type { TurnBounds } from "../shares/turns.ts";
import { respondToErrors } from "./errors.ts";
import { longResponses, sendHead } from "./long-responses.ts";

const PORTION = "x".repeat(1_000_000);
const WIDE: TurnBounds = { atOnce: 10, mostOfOne: 10, mostWaiting: 10, mostWaitingOfOne: 10 };

async function server(
  bounds: TurnBounds,
  portions: (path: string, gone: AbortSignal) => AsyncIterable<string>,
  { waitMs = 100, keptMs = 60_000 } = {},
) {
  const app = Fastify();
  const responses = longResponses(logLines(app.log), { ...bounds, waitMs, keptMs, lookEveryMs: 10 });
  respondToErrors(app);
  app.get("/*", (request, reply) =>
    request.method === "HEAD"
      ? sendHead(reply.type("text/csv"))
      : responses.send(String(request.headers.holder ?? "holder"), reply, (gone) => portions(request.url, gone)),
  );
  await app.listen({ port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { app, responses, port, get: (path = "/") => fetch(`http://127.0.0.1:${port}${path}`) };
}

/** Asks and reads nothing. */
async function unread(port: number, version = "1.1", holder = "holder"): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").pause();
  await once(socket, "connect");
  socket.write(`GET / HTTP/${version}\r\nhost: x\r\nholder: ${holder}\r\n\r\n`);
  return socket;
}

async function until(holds: () => boolean): Promise<void> {
  for (let time = 0; !holds(); time++) {
    assert.ok(time < 1_000, "it never came to that");
    await sleep(10);
  }
}

test("no portion is made before the last one was taken, and all end with their reader", async () => {
  const [made, ended] = [new Map<number, number>(), new Set<number>()];
  let begun = 0;
  const { app, responses, port } = await server(WIDE, async function* (_, gone) {
    const own = begun++;
    try {
      for (let count = 1; count <= 1_000; count++) {
        made.set(own, count);
        yield PORTION;
      }
    } finally {
      assert.ok(gone.aborted);
      ended.add(own);
    }
  });
  const sockets = await Promise.all(Array.from({ length: 5 }, () => unread(port)));
  await until(() => made.size === 5);
  await sleep(300);
  const held = [...made.values()];
  // What the system's own buffers take is beside the point: some megabytes a connection.
  assert.ok(Math.max(...held) < 30, `${held} portions were made`);
  await sleep(100);
  assert.deepEqual([...made.values()], held);
  assert.equal(responses.counts().working, 5);
  for (const socket of sockets) socket.destroy();
  await until(() => ended.size === 5 && responses.counts().working === 0);
  await app.close();
});

test("whoever finds no room is refused before anything is written, and there is room again after", async () => {
  const { promise: waits, resolve: go } = Promise.withResolvers<void>();
  const { app, get } = await server({ ...WIDE, atOnce: 2, mostOfOne: 1, mostWaiting: 1 }, async function* () {
    yield "begun";
    await waits;
    yield ", ended";
  });
  const first = await get();
  const [refused, over] = await Promise.all([get("/1"), get("/2")]);
  assert.deepEqual([refused, over].map(({ status, headers }) => [status, headers.get("retry-after")]).sort(), [
    [429, "1"],
    [503, "1"],
  ]);
  go();
  assert.equal(await first.text(), "begun, ended");
  assert.equal(await (await get()).text(), "begun, ended");
  await app.close();
});

test("what fails before it begins is an error, and what fails later never looks whole", async () => {
  const { app, port, get } = await server(WIDE, async function* (path) {
    if (path === "/at-once") throw new Error("broken");
    yield "line\r\n";
    await sleep(50);
    throw new Error("broken");
  });
  const answer = await get("/at-once");
  assert.deepEqual([answer.status, answer.headers.get("content-type")], [500, "application/json; charset=utf-8"]);
  await assert.rejects((await get("/later")).text());
  const old = await unread(port, "1.0");
  const [fault] = await Promise.all([once(old, "error").then(([error]) => error.code), old.resume()]);
  assert.equal(fault, "ECONNRESET");
  await app.close();
});

test("a reader that leaves while its next portion is being read ends it, and nothing else", async () => {
  let ended = 0;
  const { app, responses, port } = await server(WIDE, async function* (_, gone) {
    yield "line\r\n";
    await once(gone, "abort");
    ended++;
    throw gone.reason;
  });
  const sockets = await Promise.all(Array.from({ length: 5 }, () => unread(port)));
  await until(() => responses.counts().working === 5);
  for (const socket of sockets) socket.destroy();
  await until(() => ended === 5 && responses.counts().working === 0);
  assert.equal((await fetch(`http://127.0.0.1:${port}/`, { method: "HEAD" })).status, 200);
  await app.close();
});

test("a head is one without a body, and without a length that would not be that of the answer", async () => {
  const { app, port } = await server(WIDE, async function* () {
    yield assert.fail("nothing is read for a head");
  });
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "HEAD" });
  assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, "text/csv"]);
  assert.equal(answer.headers.get("content-length"), null);
  await app.close();
});

test("over a pipe, as the process for heavy requests is asked, a response whose place others wait for ends early, and nothing else", async () => {
  const app = Fastify();
  const terms = { ...WIDE, atOnce: 1, waitMs: 20_000, keptMs: 0, lookEveryMs: 10 };
  const responses = longResponses(logLines(app.log), terms);
  app.get("/endless", (_, reply) =>
    responses.send("many", reply, async function* () {
      for (;;) yield PORTION;
    }),
  );
  app.get("/whole", (_, reply) =>
    responses.send("other", reply, async function* () {
      yield PORTION;
    }),
  );
  const folder = mkdtempSync(join(tmpdir(), "faregate-"));
  const socketPath = join(folder, "socket");
  await app.listen({ path: socketPath });
  const ask = (path: string) =>
    new Promise<IncomingMessage>((resolve, reject) => get({ socketPath, path }, resolve).once("error", reject));
  try {
    const endless = await ask("/endless");
    assert.equal((await buffer(await ask("/whole"))).length, PORTION.length);
    await assert.rejects(buffer(endless), { code: "ECONNRESET" });
  } finally {
    await app.close();
    rmSync(folder, { recursive: true });
  }
});

test("whoever waits gets the place of a response that nobody reads, which is broken off and never looks whole", async () => {
  const endless = async function* (path: string) {
    for (let count = 0; path === "/" || count < 3; count++) yield PORTION;
  };
  const { app, responses, port } = await server({ ...WIDE, atOnce: 2 }, endless, { waitMs: 20_000, keptMs: 0 });
  const clients = await Promise.all([unread(port, "1.1", "many"), unread(port, "1.1", "many")]);
  const faults = clients.map((socket) => once(socket, "error").then(([{ code }]) => code));
  await until(() => responses.counts().working === 2);
  const whole = await fetch(`http://127.0.0.1:${port}/whole`, { headers: { holder: "other" } });
  assert.equal((await whole.text()).length, 3 * PORTION.length);
  for (const socket of clients) socket.resume();
  assert.equal(await Promise.race(faults), "ECONNRESET");
  await until(() => responses.counts().working === 1);
  for (const socket of clients) socket.destroy();
  await app.close();
});

test("a reader that leaves before the first portion is there is nothing to be logged", async (t) => {
  const { app, log, logged } = loggedApp(t);
  const responses = longResponses(logLines(log), { ...WIDE, waitMs: 100, keptMs: 60_000, lookEveryMs: 10 });
  respondToErrors(app);
  const [reached, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  app.get("/", async (request, reply) => {
    await once(request.raw.resume(), "end");
    return responses.send("holder", reply, async function* (gone) {
      reached.resolve();
      await once(gone, "abort");
      await read.promise;
      yield "too late";
    });
  });
  await app.listen({ port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  await reached.promise;
  socket.destroy();
  await until(() => responses.counts().working === 0);
  await sleep(50);
  read.resolve();
  await sleep(50);
  assert.deepEqual(alarms(logged), []);
});
