import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import Fastify from "fastify";
import { doorsOf } from "./api/doors.ts";
import { reservePort } from "./listen.ts";
import type { Undo } from "./undo.ts";

const HOST = "127.0.0.1";
const taken = (port: number) => ({
  name: "StartFault",
  message: `Port ${port} of ${HOST} is in use. Stop what listens there, or choose another: PORT=8081`,
});

async function giveBack(undo: Undo): Promise<void> {
  for (const step of undo.splice(0)) await step();
}

test("a port that is taken is named, with what to do about it; 0 is any that is free", async (t) => {
  const undo: Undo = [];
  t.after(() => giveBack(undo));
  const server = createServer().listen(0, HOST);
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  await assert.rejects(reservePort({ host: HOST, port }, undo), taken(port));
  assert.ok((await reservePort({ host: HOST, port: 0 }, undo)) > 0);
  await assert.rejects(reservePort({ host: "192.0.2.1", port: 0 }, undo), {
    name: "StartFault",
    message: /Look at HOST and PORT/,
  });
});

test("a port that a gateway listens on is not shared with another", async (t) => {
  const app = Fastify();
  t.after(() => app.close());
  const { port } = new URL(await doorsOf(app).listen({ host: HOST, port: 0 }));
  await assert.rejects(reservePort({ host: HOST, port: Number(port) }, []), taken(Number(port)));
});

test("a port is reserved also while nobody listens on it, until it is given back", async () => {
  const [first, second]: [Undo, Undo] = [[], []];
  const port = await reservePort({ host: HOST, port: 0 }, first);
  await assert.rejects(reservePort({ host: HOST, port }, second), taken(port));
  await giveBack(first);
  assert.equal(await reservePort({ host: HOST, port }, second), port);
  await giveBack(second);
});
