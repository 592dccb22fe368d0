// Endpoints that would hold on to the gateway's time, memory, sockets or processor: each is bounded in time and bytes.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import tls from "node:tls";
import { until } from "../../test/receiver.ts";
import { openSender, type Reply, type Sender, type SenderOptions } from "./send.ts";

const NEVER = new AbortController().signal;
const TOO_MUCH = "more came than an answer may hold";

interface Endpoint {
  readonly port: number;
  /** Those that are open. */
  readonly sockets: ReadonlySet<Socket>;
  /** What the gateway's side has taken, in bytes. */
  readonly sent: () => number;
}

describe("an endpoint that means harm", () => {
  const senders: Sender[] = [];
  const servers: { close(): void }[] = [];
  after(() => {
    for (const each of [...senders, ...servers]) each.close();
  });
  const listening = async (server: Server): Promise<Endpoint> => {
    const sockets = new Set<Socket>();
    let gone = 0;
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        gone += socket.bytesWritten;
        sockets.delete(socket);
      });
    });
    servers.push({
      close: () => {
        server.close();
        for (const socket of sockets) socket.destroy();
      },
    });
    await new Promise<void>((done) => server.listen(0, done));
    const at = server.address();
    const sent = () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, gone);
    return { port: typeof at === "object" ? (at?.port ?? 0) : 0, sockets, sent };
  };
  const on = (behave: (socket: Socket) => void) => listening(createServer(behave));
  /** Once it was asked, it says this and goes on to say that again and again. */
  const endless = (first: string, again: string, everyMs = 0) =>
    on((socket) =>
      socket.once("data", () => {
        socket.write(first);
        const timer = setInterval(() => {
          for (let n = 0; n < (everyMs === 0 ? 100 : 1); n++) socket.write(again);
        }, everyMs);
        socket.on("close", () => clearInterval(timer));
      }),
    );
  const open = (options: SenderOptions = {}): Sender => {
    const sender = openSender("sandbox", options);
    senders.push(sender);
    return sender;
  };
  const send = (url: string, body = "{}", options: SenderOptions = {}): Promise<Reply> =>
    open(options).send({ url, headers: { "content-type": "application/json" }, body }, NEVER);
  const why = async (at: Endpoint, timeoutMs = 10_000, protocol = "http") => {
    const reply = await send(`${protocol}://127.0.0.1:${at.port}/`, "{}", { timeoutMs });
    return reply.kind === "unanswered" ? reply.why : reply;
  };
  const closed = (at: Endpoint) => until("its connection is closed", () => at.sockets.size === 0);
  const OK: Reply = { kind: "answered", status: 200, retryAfterMs: 0 };

  test("headers that come byte by byte, and a handshake that never ends, have the time of a delivery", async () => {
    assert.equal(await why(await endless("HTTP/1.1 200 OK\r\nx: ", "x", 20), 500), "no answer within 0.5 s");
    assert.equal(await why(await on(() => undefined), 500, "https"), "no answer within 0.5 s");
  });

  test("headers that never end are no answer", async () => {
    const at = await endless("HTTP/1.1 200 OK\r\n", `x: ${"y".repeat(1_000)}\r\n`);
    assert.equal(await why(at), "HPE_HEADER_OVERFLOW");
    await closed(at);
  });

  test("interim answers that never end are no answer", async () => {
    for (const interim of ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"]) {
      const at = await endless(interim, interim);
      assert.equal(await why(at), TOO_MUCH);
      await closed(at);
    }
  });

  test("an interim answer before the final one is let by, and another protocol is none", async () => {
    const patient = await on((socket) =>
      socket.once("data", () => {
        socket.write("HTTP/1.1 100 Continue\r\n\r\n");
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
      }),
    );
    assert.deepEqual(await send(`http://127.0.0.1:${patient.port}/`), OK);
    const other = await endless("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n", "x");
    assert.equal(await why(other), "the connection was closed");
    await closed(other);
  });

  test("a body that comes byte by byte is not waited for: its connection is closed soon after the status", async () => {
    const at = await endless("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n", "x", 20);
    assert.deepEqual(await send(`http://127.0.0.1:${at.port}/`), OK);
    const started = performance.now();
    await closed(at);
    assert.ok(performance.now() - started < 5_000);
  });

  test("while an answer has not ended its delivery has not ended either, so that sockets are no more than deliveries", async () => {
    const at = await endless("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n", "x", 20);
    const sender = open();
    let most = 0;
    for (let n = 0; n < 3; n++) {
      await sender.send({ url: `http://127.0.0.1:${at.port}/`, headers: {}, body: "{}" }, NEVER);
      most = Math.max(most, at.sockets.size);
    }
    assert.ok(most <= 1, `${most} sockets`);
  });

  test("bodies, sizes of chunks and trailers that never end are cut off", async () => {
    const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x\r\n\r\n";
    const filler = "y".repeat(1_000);
    for (const [first, again] of [
      ["HTTP/1.1 200 OK\r\n\r\n", filler],
      [head, `3e8\r\n${filler}\r\n`],
      [`${head}1;`, filler],
      [`${head}0\r\n`, `x: ${filler}\r\n`],
    ] as const) {
      const at = await endless(first, again);
      assert.deepEqual(await send(`http://127.0.0.1:${at.port}/`), OK);
      await closed(at);
      assert.ok(at.sent() < 16_000_000, `${at.sent()} bytes`);
    }
  });

  test("one that answers and never reads what it is sent is cut off", async () => {
    const at = await on((socket) => {
      socket.once("readable", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"));
    });
    const reply = await send(`http://127.0.0.1:${at.port}/`, "x".repeat(32_000_000), { timeoutMs: 20_000 });
    assert.deepEqual(reply, OK);
    await until("the connection is gone", async () => {
      for (const socket of at.sockets) socket.resume();
      return at.sockets.size === 0;
    });
  });

  test("one that says more on a connection that is kept loses it", async () => {
    const at = await on((socket) => {
      socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"));
      setTimeout(() => socket.write("x".repeat(1_000)), 200);
    });
    assert.deepEqual(await send(`http://127.0.0.1:${at.port}/`), OK);
    await closed(at);
  });

  test("a connection that was stale and the one after it have one deadline together", async () => {
    let first = true;
    const at = await on((socket) => {
      const fresh = first;
      first = false;
      let asked = 0;
      socket.on("data", async () => {
        if (!fresh) return;
        if (++asked === 1) return void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        await sleep(1_500);
        socket.resetAndDestroy();
      });
    });
    const sender = open({ timeoutMs: 2_000 });
    const post = { url: `http://127.0.0.1:${at.port}/`, headers: {}, body: "{}" };
    assert.deepEqual(await sender.send(post, NEVER), OK);
    const started = performance.now();
    assert.deepEqual(await sender.send(post, NEVER), { kind: "unanswered", why: "no answer within 2 s" });
    assert.ok(performance.now() - started < 3_300);
  });

  test("of connections that stay open after the answer, a bounded number is kept", async () => {
    const at = await on((socket) =>
      socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")),
    );
    const sender = open();
    const urls = Array.from({ length: 320 }, (_, n) => `http://127.0.${n >> 8}.${n & 255 || 255}:${at.port}/`);
    await Promise.all(urls.map((url) => sender.send({ url, headers: {}, body: "{}" }, NEVER)));
    const started = performance.now();
    await until("256 are kept", () => at.sockets.size <= 256);
    assert.ok(at.sockets.size > 200, "and those are");
    assert.ok(performance.now() - started < 15_000, "not only because they were idle for long");
  });

  const pair = selfSigned();
  test("a key exchange whose size the other side chooses is not taken part in", {
    skip: pair === undefined,
  }, async () => {
    const offers = [
      { maxVersion: "TLSv1.2", ciphers: "DHE-RSA-AES128-GCM-SHA256", dhparam: "auto" },
      { minVersion: "TLSv1.3", ecdhCurve: "ffdhe2048" },
    ] as const;
    for (const offer of offers) {
      const at = await listening(tls.createServer({ ...pair, ...offer }));
      assert.equal(await why(at, 10_000, "https"), "EPROTO");
    }
    const usual = await listening(tls.createServer({ ...pair }));
    assert.equal(await why(usual, 10_000, "https"), "DEPTH_ZERO_SELF_SIGNED_CERT");
  });
});

function selfSigned(): { readonly cert: string; readonly key: string } | undefined {
  const folder = mkdtempSync(join(tmpdir(), "faregate-endpoint-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  try {
    const kind = ["-newkey", "rsa:2048", "-nodes", "-subj", "/CN=shop.test", "-days", "2"];
    execFileSync("openssl", ["req", "-x509", ...kind, "-keyout", key, "-out", cert], { stdio: "ignore" });
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
