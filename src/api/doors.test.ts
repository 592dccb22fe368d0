// That many who come at once are let in soon.

import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import Fastify from "fastify";
import { doorsOf } from "./doors.ts";

const AT_ONCE = 240;

async function opened() {
  const app = Fastify();
  app.get("/", async () => "here");
  const doors = doorsOf(app);
  const url = await doors.listen({ host: "127.0.0.1", port: 0 });
  const end = () => Promise.all([app.close(), doors.close()]);
  return { app, doors, url, port: Number(new URL(url).port), end };
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

test("a port that another gateway has is not shared with it", async () => {
  const first = await opened();
  const second = doorsOf(Fastify());
  await assert.rejects(second.listen({ host: "127.0.0.1", port: first.port }), { code: "EADDRINUSE" });
  await first.end();
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
