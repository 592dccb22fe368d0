import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import {
  type EchoServer,
  echoServer,
  FORM_TYPE,
  JSON_TYPE,
  MULTIPART_TYPE,
  multipartOf,
} from "../../../test/fixtures/echo-server.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

let server: EchoServer;
/** In which a busy machine sends forty megabytes. */
const DRAIN_MS = 60_000;

before(async () => {
  server = await echoServer({}, { drainBytes: 100 * MIB, drainMs: DRAIN_MS });
});
after(() => server.close());

/** A body of exactly so many bytes. */
const formats: Record<string, (bytes: number, airline: boolean) => string> = {
  [JSON_TYPE]: (bytes, airline) => fill(bytes, `{${airline ? '"passenger_transport":[{}],' : ""}"meta":"`, '"}'),
  [FORM_TYPE]: (bytes, airline) => fill(bytes, `${airline ? "passenger_transport[0][x]=1&" : ""}meta=`, ""),
  [MULTIPART_TYPE]: (bytes, airline) => {
    const [start = "", end = ""] = multipartOf([
      ...(airline ? [["passenger_transport[0][x]", "1"] as const] : []),
      ["meta", "|"],
    ]).split("|");
    return fill(bytes, start, end);
  },
};
const fill = (bytes: number, start: string, end: string) => start + "y".repeat(bytes - start.length - end.length) + end;

test("a body without airline data ends at 64 KiB, one with it at 1 MiB", async () => {
  for (const [type, sized] of Object.entries(formats)) {
    for (const [bytes, airline, status] of [
      [64 * KIB, false, 200],
      [64 * KIB + 1, false, 413],
      [64 * KIB + 1, true, 200],
      [MIB, true, 200],
      [MIB + 1, true, 413],
      [MIB, false, 413],
    ] as const) {
      assert.equal((await server.post(type, sized(bytes, airline))).status, status, `${type}: ${bytes} ${airline}`);
    }
  }
});

test("only airline data within passenger_transport itself makes room", async () => {
  const rest = `"meta":{"passenger_transport":[1],"x":"${"y".repeat(65 * KIB)}"}}`;
  for (const [start, status] of [
    ["{", 413],
    ['{"passenger_transport":null,', 413],
    ['{"passenger_transport":"x",', 413],
    ['{"passenger_transport":{"0":{}},', 200],
  ] as const) {
    assert.equal((await server.post(JSON_TYPE, start + rest)).status, status, start);
  }
});

test("a body that is broken and too large is refused as broken", async () => {
  assert.equal((await server.post(JSON_TYPE, `${"[".repeat(20)}${" ".repeat(70 * KIB)}`)).status, 400);
});

const head = (rest: string) => `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: ${JSON_TYPE}\r\n${rest}\r\n\r\n`;
const whole = (text: string) => /\r\n\r\n.*\}$/s.test(text);

test("a length that is announced past 1 MiB is refused before any of it is sent", async () => {
  const answer = await server.raw((socket) => socket.write(head(`Content-Length: ${MIB + 1}`)), whole);
  assert.match(answer, /^HTTP\/1.1 413 [\s\S]*connection: close[\s\S]*"status":413/i);
});

test("a client that sends all of a body that is too large sees the answer", async () => {
  for (const bytes of [MIB + 1, 4 * MIB, 40 * MIB]) {
    for (let i = 0; i < 3; i += 1) {
      const answer = await server.post(JSON_TYPE, formats[JSON_TYPE]?.(bytes, true));
      assert.deepEqual([answer.status, answer.headers.get("connection")], [413, "close"]);
    }
  }
});

test("a client that reads nothing until it has sent everything sees the answer", async () => {
  // More than the socket buffers of the machine hold: the server has to take it.
  const pieces = 40;
  for (const start of [`Content-Length: ${pieces * MIB}`, "Transfer-Encoding: chunked"]) {
    const piece = "y".repeat(MIB);
    const [chunk, end] = start.startsWith("C") ? [piece, ""] : [`${MIB.toString(16)}\r\n${piece}\r\n`, "0\r\n\r\n"];
    const answer = await server.raw((socket) => {
      let sent = 0;
      const send = (error?: Error | null) => {
        if (error) return;
        sent += 1;
        if (sent <= pieces) socket.write(chunk, send);
        else socket.write(end, () => socket.resume());
      };
      socket.pause();
      socket.write(head(start), send);
    });
    assert.match(answer, /^HTTP\/1.1 413 [\s\S]*\}$/, start);
  }
});

test("the answer comes while most of the body is still to be sent", async () => {
  for (const start of [`Content-Length: ${1024 * MIB}`, "Transfer-Encoding: chunked"]) {
    const piece = "y".repeat(MIB + 1);
    const body = start.startsWith("C") ? piece : `${piece.length.toString(16)}\r\n${piece}`;
    const startedAt = performance.now();
    assert.match(await server.raw((socket) => socket.write(head(start) + body), whole), /^HTTP\/1.1 413 /);
    assert.ok(performance.now() - startedAt < DRAIN_MS / 2, "before the server has waited for the rest");
  }
});

test("a client that goes on sending after the answer is cut off", async () => {
  const bounded = await echoServer({}, { drainBytes: 4 * MIB, drainMs: 60_000 });
  const piece = "y".repeat(64 * KIB);
  let sent = 0;
  await bounded.raw((socket) => {
    socket.write(head(`Content-Length: ${1024 * MIB}`));
    const send = () => {
      while (!socket.destroyed && sent < 256 * MIB) {
        sent += piece.length;
        if (!socket.write(piece)) return socket.once("drain", send);
      }
      return socket;
    };
    send();
  });
  await bounded.close();
  // What the machine's socket buffers hold comes on top.
  assert.ok(sent < 32 * MIB, `${sent} bytes were taken`);
});

test("a client that stops in the middle of a body that is too large is not waited for", async () => {
  const brief = await echoServer({}, { drainBytes: 4 * MIB, drainMs: 200 });
  const start = performance.now();
  assert.match(await brief.raw((socket) => socket.write(`${head(`Content-Length: ${2 * MIB}`)}{`)), /^HTTP\/1.1 413 /);
  // Others are waited for five seconds.
  assert.ok(performance.now() - start < 4_500);
  await brief.close();
});

test("a body that stalls is ended", async () => {
  const impatient = await echoServer({
    requestTimeout: 300,
    http: { headersTimeout: 200, connectionsCheckingInterval: 50 },
  });
  const stalled = [
    head("Content-Length: 10"),
    `${head("Content-Length: 10")}{`,
    `${head("Transfer-Encoding: chunked")}1\r\n{\r\n`,
    `${head(`Content-Length: ${MIB}`)}{`,
  ];
  for (const sent of stalled) {
    const start = performance.now();
    assert.match(await impatient.raw((socket) => socket.write(sent)), /^HTTP\/1.1 408 /);
    assert.ok(performance.now() - start < 15_000);
  }
  await impatient.close();
});

test("a client that goes away in the middle of a body harms nobody", async () => {
  for (let i = 0; i < 20; i += 1) {
    await server.raw((socket) => {
      socket.write(`${head(`Content-Length: ${i % 2 === 0 ? 100 : 2 * MIB}`)}{"a":`);
      void wait(i).then(() => socket.destroy());
    });
  }
  assert.equal((await server.post(JSON_TYPE, "{}")).status, 200);
});
