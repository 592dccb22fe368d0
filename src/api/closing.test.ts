import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setTimeout as sleep, setImmediate as turnOfTheLoop } from "node:timers/promises";
import Fastify from "fastify";
import { bodyServerOptions, readBodies } from "./body/read-bodies.ts";
import { letGoOnClose } from "./closing.ts";
import { doorsOf } from "./doors.ts";
import { trackExchanges } from "./exchanges.ts";

const GRACE_MS = 200;

interface Connection {
  readonly socket: Socket;
  readonly received: () => string;
  readonly ended: Promise<unknown>;
}

/**
 * A server with a slow route, an endless answer and one that takes a body; connections to it, by its own socket and by another door, and
 * how long it closes.
 */
async function server() {
  const app = Fastify({ ...bodyServerOptions, return503OnClosing: false });
  letGoOnClose(app, trackExchanges(app), GRACE_MS);
  readBodies(app);
  app.get("/slow", async () => sleep(GRACE_MS * 3, "done"));
  app.get("/quick", async () => "done");
  app.get("/slow-endless", async (_, reply) => {
    await sleep(GRACE_MS * 3);
    return reply.send(Readable.from(endless()));
  });
  app.get("/endless", async (_, reply) => reply.send(Readable.from(endless())));
  app.post("/body", async () => "done");
  await app.listen({ host: "127.0.0.1", port: 0 });
  const door = createServer({ allowHalfOpen: true }, (socket) => app.server.emit("connection", socket));
  await new Promise<void>((listening) => door.listen(0, "127.0.0.1", listening));
  const there = new Map<number | undefined, Socket>();
  app.server.on("connection", (socket: Socket) => there.set(socket.remotePort, socket));
  const hasRead = ({ localPort }: Socket): number => there.get(localPort)?.bytesRead ?? -1;
  return {
    open: async (sent = "", by: "own socket" | "door" = "own socket"): Promise<Connection> => {
      const { port } = (by === "door" ? door : app.server).address() as AddressInfo;
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      const ended = new Promise((resolve) => socket.once("close", resolve));
      let received = "";
      socket.setEncoding("utf8").on("error", () => undefined);
      socket.on("data", (text: string) => {
        received += text;
      });
      socket.write(sent);
      while (hasRead(socket) < sent.length) await turnOfTheLoop();
      await turnOfTheLoop();
      return { socket, received: () => received, ended };
    },
    closedAfterMs: async () => {
      const since = performance.now();
      await Promise.all([app.close(), new Promise((closed) => door.close(closed))]);
      return performance.now() - since;
    },
  };
}

async function* endless() {
  for (;;) yield "x".repeat(65_536);
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
const assertAbout = (ms: number, expected: number) =>
  assert.ok(ms > expected - 100 && ms < expected + 1_500, `${ms} ms`);

test("a connection that has yet to send its first request is closed at once", async () => {
  const { open, closedAfterMs } = await server();
  await open();
  await open("GET /quick HT");
  assertAbout(await closedAfterMs(), 0);
});

test("a request that has arrived and was not read yet is answered, and told that it is the last", async () => {
  const { open, closedAfterMs } = await server();
  const { socket, received, ended } = await open(get("/quick"));
  while (!received().endsWith("done")) await turnOfTheLoop();
  socket.write(get("/quick"));
  assertAbout(await closedAfterMs(), 0);
  await ended;
  assert.match(received(), /done.*HTTP\/1.1 200 .*connection: close.*done$/is);
});

test("a request whose connection was not let in yet is answered, too", async () => {
  const app = Fastify({ ...bodyServerOptions, return503OnClosing: false });
  letGoOnClose(app, trackExchanges(app));
  app.get("/quick", async () => "done");
  const url = await doorsOf(app).listen({ host: "127.0.0.1", port: 0 });
  let letIn = 0;
  app.server.on("connection", () => letIn++);
  const clients = Array.from({ length: 200 }, () => connect(Number(new URL(url).port), "127.0.0.1"));
  const answers = clients.map(async (client) => {
    let received = "";
    client.setEncoding("utf8").on("data", (text: string) => {
      received += text;
    });
    client.write(get("/quick"));
    await once(client, "close");
    return received;
  });
  await Promise.all(clients.map((client) => once(client, "connect")));
  assert.ok(letIn < clients.length, `${letIn} were let in before`);
  await app.close();
  for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1.1 200 .*done$/s);
});

test("what is being worked on is finished and answered, however long it takes", async () => {
  const { open, closedAfterMs } = await server();
  const { received, ended } = await open(get("/slow"));
  assertAbout(await closedAfterMs(), GRACE_MS * 3);
  await ended;
  assert.match(received(), /^HTTP\/1.1 200 .*done$/s);
});

test("a body that stalls, and an answer that nobody takes, are waited for a while", async () => {
  for (const start of ["POST /body HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc", get("/endless")]) {
    const { open, closedAfterMs } = await server();
    const { socket } = await open(start);
    socket.pause();
    assertAbout(await closedAfterMs(), GRACE_MS);
  }
});

test("what stalls on a connection of another door is waited for no longer, though nothing of the own socket's is left", async () => {
  const { open, closedAfterMs } = await server();
  const { socket, ended } = await open("POST /body HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc", "door");
  const leaving = setTimeout(() => socket.destroy(), GRACE_MS + 5_000);
  assertAbout(await closedAfterMs(), GRACE_MS);
  clearTimeout(leaving);
  await ended;
});

test("an answer that begins after the grace, and that nobody takes, is waited for as long again", async () => {
  const { open, closedAfterMs } = await server();
  const { socket } = await open(get("/slow-endless"));
  socket.pause();
  assertAbout(await closedAfterMs(), GRACE_MS * 4);
});
