import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import Fastify from "fastify";
import type { RequestFault } from "../request-fault.ts";
import { arrivingBodies } from "./arriving.ts";
import { readBodies } from "./read-bodies.ts";

const LIMITS = { mostBytesOfOne: 100, mostBytesOfAll: 250 };

function opened() {
  const arriving = arrivingBodies({ known: LIMITS, strangers: LIMITS });
  const refused: string[] = [];
  const begin = (name: string, known = true) => {
    const holder = name.slice(0, 1);
    return arriving.begin(
      { name: holder, known },
      ({ status }: RequestFault) => void refused.push(`${name} ${status}`),
    );
  };
  return { begin, refused };
}

test("beyond a sender's share, its oldest body is refused, and nobody else's", () => {
  const { begin, refused } = opened();
  const [first, other, second] = [begin("a1"), begin("b1"), begin("a2")];
  first.came(60);
  other.came(90);
  second.came(40);
  assert.deepEqual(refused, []);
  second.came(1);
  assert.deepEqual(refused, ["a1 429"]);
});

test("beyond all shares together, the sender with most loses its oldest", () => {
  const { begin, refused } = opened();
  for (const [name, bytes] of [
    ["a1", 20],
    ["b1", 90],
    ["c1", 45],
    ["c2", 50],
  ] as const)
    begin(name).came(bytes);
  assert.deepEqual(refused, []);
  begin("d1").came(50);
  assert.deepEqual(refused, ["c1 503"]);
});

test("one body alone beyond the share is refused itself, and counts no more", () => {
  const { begin, refused } = opened();
  const body = begin("a1");
  body.came(101);
  body.came(101);
  begin("a2").came(100);
  assert.deepEqual(refused, ["a1 429"]);
});

test("what has arrived, or will not, takes nothing", () => {
  const { begin, refused } = opened();
  for (let nth = 0; nth < 50; nth++) {
    const body = begin(`a${nth}`);
    body.came(90);
    body.end();
    body.end();
  }
  assert.deepEqual(refused, []);
});

test("strangers take nothing from those who are known, nor these from strangers", () => {
  const { begin, refused } = opened();
  for (const name of ["a", "b", "c"]) begin(name, false).came(80);
  for (const name of ["d", "e", "f"]) begin(name, true).came(80);
  assert.deepEqual(refused, []);
  begin("g", false).came(80);
  assert.deepEqual(refused, ["a 503"]);
});

test("an address that lets bodies stand half sent is told so on the oldest of them, and its whole ones are taken", async () => {
  const app = Fastify();
  const limits = { mostBytesOfOne: 1_000, mostBytesOfAll: 3_000 };
  readBodies(app, { drainBytes: 0, drainMs: 0 }, undefined, arrivingBodies({ known: limits, strangers: limits }));
  app.post("/", async () => "taken");
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const send = (announced: number, sent: number) => {
    const socket = connect(port, "127.0.0.1").setEncoding("utf8");
    const body = JSON.stringify({ note: "n".repeat(announced) }).slice(-announced);
    const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${announced}\r\n\r\n`;
    socket.write(head + body.slice(0, sent));
    return socket;
  };
  const oldest = send(500, 80);
  const answered = once(oldest, "data");
  const arrived = new Promise((resolve) => app.server.once("request", resolve));
  await arrived;
  const younger = send(500, 80);
  assert.match(String((await answered)[0]), /^HTTP\/1.1 429 /);
  const whole = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: new URLSearchParams({ a: "1" }) });
  assert.equal(await whole.text(), "taken");
  for (const socket of [oldest, younger]) socket.destroy();
  await app.close();
});
