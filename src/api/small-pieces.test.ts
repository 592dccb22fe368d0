// Bodies in chunks of a byte: refused before they hold the event loop, and nobody reads on what no route asked for.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import Fastify from "fastify";
import { get, rawConnection, until } from "../../test/fixtures/raw-connection.ts";
import { readBodies } from "./body/read-bodies.ts";
import { trackExchanges } from "./exchanges.ts";
import { oneAfterTheOther } from "./pipelining.ts";
import { refuseSmallPieces } from "./small-pieces.ts";
import { leaveUnreadable, respondToUnreadable } from "./unreadable.ts";

const app = Fastify({ clientErrorHandler: leaveUnreadable });
const exchanges = trackExchanges(app);
const sold: string[] = [];
readBodies(app);
respondToUnreadable(app, exchanges);
refuseSmallPieces(app, exchanges, 200);
oneAfterTheOther(app, exchanges, () => ({ name: "one", known: false }));
app.post("/length", async ({ body }) => ({ length: String((body as { text: string }).text).length }));
app.get("/early", async () => ({ early: true }));
app.get("/slow", async () => sleep(50, { slow: true }));
let release: ((text: string) => void) | undefined;
app.get("/held", () => new Promise<string>((resolve) => (release = resolve)));
app.post("/sale/:name", async ({ params }) => ({ sold: sold.push((params as { name: string }).name) }));

before(() => app.listen({ host: "127.0.0.1", port: 0 }));
after(() => app.close());

const CHUNKED = "host: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
const chunksOf = (text: string, bytes: number): string =>
  (text.match(new RegExp(`[^]{1,${bytes}}`, "g")) ?? [])
    .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
    .join("");

async function answer(request: string, isEnough: (text: string) => boolean): Promise<string> {
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("error", () => undefined);
  socket.on("data", (part: string) => {
    text += part;
    if (isEnough(text)) socket.destroy();
  });
  socket.write(request);
  await once(socket, "close");
  return text;
}

const isWhole = (text: string): boolean => text.endsWith("}");
const json = (length: number): string => JSON.stringify({ text: "a".repeat(length) });
const post = (chunks: string): string => `POST /length HTTP/1.1\r\n${CHUNKED}${chunks}0\r\n\r\n`;
const announced = (body: string): string =>
  `POST /length HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const sale = (name: string): string => `POST /sale/${name} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`;

test("a body in chunks of a byte is refused, with a word on why", async () => {
  const text = await answer(post(chunksOf(json(20_000), 1)), isWhole);
  assert.match(text, /^HTTP\/1.1 400 .*too many small pieces.*send it whole/s);
});

test("a short one is taken, and so is a long one in larger chunks", async () => {
  for (const [length, bytes] of [
    [900, 1],
    [60_000, 200],
  ] as const)
    assert.match(await answer(post(chunksOf(json(length), bytes)), isWhole), /"length":\d/);
});

test("the parser of a refused connection takes the next one's bodies", async () => {
  for (let nth = 0; nth < 5; nth++) {
    assert.match(await answer(post(chunksOf(json(5_000), 1)), isWhole), /^HTTP\/1.1 400/);
    assert.match(await answer(post(chunksOf(json(5), 1)), isWhole), /"length":5\b/);
  }
});

test("a CONNECT behind refused pieces takes nothing of what others send next", async () => {
  for (let nth = 0; nth < 5; nth++) {
    const pieces = post(chunksOf("a".repeat(1_001), 1));
    assert.match(await answer(`${pieces}CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n`, isWhole), /^HTTP\/1.1 400/);
    const next = await Promise.all([6, 7, 8].map((length) => answer(announced(json(length)), isWhole)));
    for (const [of, length] of [6, 7, 8].entries()) assert.match(next[of] ?? "", new RegExp(`"length":${length}}`));
  }
});

for (const [what, headers, piece] of [
  ["in chunks", CHUNKED, chunksOf("a".repeat(100), 1)],
  ["longer than any may be", "host: x\r\ncontent-length: 100000000000\r\n\r\n", "a".repeat(600)],
] as const)
  test(`a body ${what} that nobody asked for is not read on: the connection closes after the response`, async () => {
    const accepted = once(app.server, "connection");
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    socket.on("error", () => undefined);
    const [served] = (await accepted) as [Socket];
    const left = once(served, "close");
    const [first] = await Promise.all([
      once(socket, "data"),
      socket.write(`GET /early HTTP/1.1\r\n${headers}${piece}`),
    ]);
    assert.match(String(first), /^HTTP\/1\.1 200 .*connection: close.*early/is);
    const more = piece.repeat(4_000);
    socket.write(more);
    await left;
    assert.ok(
      served.bytesRead > 0 && served.bytesRead < more.length / 2,
      `${served.bytesRead} of ${more.length} bytes`,
    );
  });

test("what came before refused pieces is answered, the refusal follows, and nothing behind it is carried out", async () => {
  const pieces = post(chunksOf("a".repeat(1_001), 1));
  const { port } = app.server.address() as AddressInfo;
  for (const first of [get("/slow"), get("/slow") + sale("before"), ""]) {
    const { closed, statuses } = await rawConnection(port, first + pieces + sale("behind"));
    await closed;
    assert.deepEqual(statuses(), [...Array(first.split("HTTP").length - 1).fill("200"), "400"], first);
  }
  assert.deepEqual(sold, ["before"]);
});

test("a sale that comes while the rest of a body is left unread is not carried out", async () => {
  const { port } = app.server.address() as AddressInfo;
  const { socket, closed, statuses } = await rawConnection(port, `GET /held HTTP/1.1\r\n${CHUNKED}1\r\na\r\n`);
  await until(() => release !== undefined);
  // From a timer, so that Node reads once more before it does what was left for later.
  setTimeout(() => {
    socket.write(`0\r\n\r\n${sale("late")}`);
    release?.("held");
  }, 1);
  await closed;
  assert.deepEqual([statuses(), sold.includes("late")], [["200"], false]);
});
