// That many who come at once are let in soon.

import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import Fastify from "fastify";
import { doorsOf } from "./doors.ts";

const AT_ONCE = 240;

async function opened() {
  const app = Fastify();
  app.get("/", async () => "here");
  const url = await doorsOf(app).listen({ host: "127.0.0.1", port: 0 });
  const end = () => app.close();
  return { app, port: Number(new URL(url).port), end };
}

test("several connections that wait are taken a turn of the event loop", async () => {
  const { app, port, end } = await opened();
  let [taken, turns] = [0, 0];
  app.server.on("connection", () => taken++);
  const clients = Array.from({ length: AT_ONCE }, () => connect({ host: "127.0.0.1", port }));
  for (; taken < AT_ONCE; turns++) await new Promise((turn) => setImmediate(turn));
  assert.ok(turns < AT_ONCE / 4, `${turns} turns for ${AT_ONCE} connections`);
  for (const client of clients) client.destroy();
  await end();
});

test("whichever door a request comes by, it is answered, and closing waits for it", async () => {
  const { app, port, end } = await opened();
  const asked = Array.from({ length: 40 }, () => answer(port));
  for (const text of await Promise.all(asked)) assert.match(text, /^HTTP\/1.1 200.*here$/s);
  await end();
  assert.equal(app.server.listening, false);
  await assert.rejects(answer(port));
});

test("what ends with the server ends when the last connection has, whichever door it came by", async () => {
  const app = Fastify();
  const there: Socket[] = [];
  app.server.on("connection", (socket: Socket) => there.push(socket));
  let ended = false;
  app.addHook("onClose", async () => {
    ended = true;
  });
  const url = await doorsOf(app).listen({ host: "127.0.0.1", port: 0 });
  const clients = Array.from({ length: 40 }, () => connect({ host: "127.0.0.1", port: Number(new URL(url).port) }));
  // Fastify ends those that ask for nothing.
  for (const client of clients) client.on("error", () => undefined).write("GET / HTTP/1.1\r\nhost");
  while (there.length < clients.length || there.some(({ bytesRead }) => bytesRead === 0)) await sleep(1);
  // Those that came by its own socket, which it waits for in any case.
  for (const socket of there) if ((socket as { _server?: unknown })._server === app.server) socket.destroy();
  const closed = app.close();
  await sleep(100);
  assert.equal(ended, false);
  for (const client of clients) client.destroy();
  await closed;
  assert.equal(ended, true);
});

const answer = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = "";
    const socket: Socket = connect({ host: "127.0.0.1", port });
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    socket.on("error", reject).on("close", () => resolve(text));
    socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  });
