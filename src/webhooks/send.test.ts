import assert from "node:assert/strict";
import type { LookupAddress } from "node:dns";
import { createServer, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { startNameServer } from "../../test/name-server.ts";
import { type Receiver, startReceiver, until } from "../../test/receiver.ts";
import { openNames } from "./names.ts";
import { checkedLookup, openSender, type Sender, type SenderOptions } from "./send.ts";

const LOOPBACK = "0:0:0:0:0:0:0:1";
const NEVER = new AbortController().signal;
const POST = { headers: { "content-type": "application/json", "x-test": "1" }, body: '{"ä":1}' };

describe("sending a webhook", () => {
  let receiver: Receiver;
  const senders: Sender[] = [];
  before(async () => {
    receiver = await startReceiver();
  });
  after(async () => {
    for (const sender of senders) sender.close();
    await receiver.close();
  });
  const open = (mode: "live" | "sandbox", options: SenderOptions = {}) => {
    const sender = openSender(mode, options);
    senders.push(sender);
    return sender;
  };
  const send = (url = receiver.url, options: SenderOptions = {}) =>
    open("sandbox", options).send({ ...POST, url }, NEVER);

  test("body and headers arrive as they are", async () => {
    assert.deepEqual(await send(), { kind: "answered", status: 204, retryAfterMs: 0 });
    const got = receiver.received.at(-1);
    assert.deepEqual([got?.body, got?.headers["x-test"], got?.headers["content-length"]], ['{"ä":1}', "1", "8"]);
  });

  test("a redirect is an answer, and is not followed", async () => {
    const before = receiver.received.length;
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.answer = (response) => response.writeHead(status, { location: `${receiver.url}/elsewhere` }).end();
      assert.deepEqual(await send(), { kind: "answered", status, retryAfterMs: 0 });
    }
    assert.equal(receiver.received.length, before + 5);
    assert.ok(!receiver.received.some(({ path }) => path.includes("elsewhere")));
  });

  test("how long the receiver asks to wait is understood in seconds and as a date", async () => {
    const asked = async (text: string) => {
      receiver.answer = (response) => response.writeHead(503, { "retry-after": text }).end();
      const reply = await send();
      return reply.kind === "answered" ? reply.retryAfterMs : reply;
    };
    assert.equal(await asked("120"), 120_000);
    for (const nothing of ["soon", "-5", "", "1.5e9", new Date(0).toUTCString()]) assert.equal(await asked(nothing), 0);
    const inAnHour = await asked(new Date(Date.now() + 3_600_000).toUTCString());
    assert.ok(typeof inAnHour === "number" && inAnHour > 3_500_000 && inAnHour <= 3_600_000, String(inAnHour));
  });

  test("what the receiver says in its body does not matter, however long it is", async () => {
    receiver.answer = (response) => {
      response.writeHead(200);
      const more = () => {
        while (response.write("x".repeat(65_536)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    };
    assert.deepEqual(await send(), { kind: "answered", status: 200, retryAfterMs: 0 });
    receiver.answer = 204;
  });

  test("silence, hanging up and what is no HTTP are no answers, each with its reason", async () => {
    const servers: { readonly close: () => void }[] = [];
    const listening = async (on: (socket: Socket) => void): Promise<string> => {
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on("error", () => undefined);
        on(socket);
      });
      servers.push({ close: () => server.close() && [...sockets].map((socket) => socket.destroy()) });
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      const at = server.address();
      return `http://127.0.0.1:${typeof at === "object" ? at?.port : ""}/`;
    };
    const why = async (url: string, timeoutMs = 300) => {
      const reply = await send(url, { timeoutMs });
      return reply.kind === "unanswered" ? reply.why : reply;
    };
    assert.equal(await why(await listening(() => undefined)), "no answer within 0.3 s");
    assert.equal(
      await why(await listening((socket) => socket.on("data", () => socket.destroy())), 5_000),
      "ECONNRESET",
    );
    assert.match(String(await why(await listening((socket) => socket.end("SSH-2.0-x\r\n")), 5_000)), /^HPE_/);
    const trickle = await listening((socket) => socket.write("HTTP/1.1 200 OK\r\nx: "));
    assert.equal(await why(trickle), "no answer within 0.3 s");
    assert.equal(await why("http://127.0.0.1:9/", 5_000), "ECONNREFUSED");
    for (const server of servers) server.close();
  });

  test("a connection is kept, and one that the receiver has closed meanwhile is made anew", async () => {
    const sender = open("sandbox");
    const before = receiver.connections();
    for (let n = 0; n < 3; n++)
      assert.equal((await sender.send({ ...POST, url: receiver.url }, NEVER)).kind, "answered");
    assert.equal(receiver.connections(), before + 1);
    // Closed at the moment at which the next request arrives.
    receiver.answer = (response, request) => {
      receiver.answer = 204;
      if (receiver.connections() === before + 1) request.socket.resetAndDestroy();
      else response.writeHead(204).end();
    };
    assert.deepEqual(await sender.send({ ...POST, url: receiver.url }, NEVER), {
      kind: "answered",
      status: 204,
      retryAfterMs: 0,
    });
    assert.equal(receiver.connections(), before + 2);
  });

  test("one that is given up is at an end", async () => {
    const gone = new AbortController();
    receiver.answer = () => undefined;
    const count = receiver.received.length;
    const reply = open("sandbox").send({ ...POST, url: receiver.url }, gone.signal);
    await until("it arrived", () => receiver.received.length > count);
    gone.abort();
    assert.deepEqual(await reply, { kind: "unanswered", why: "the gateway stopped" });
    receiver.answer = 204;
  });

  test("a name is called at whichever of its addresses answers", async () => {
    const server = await startNameServer((type) => ({
      records:
        type === "A"
          ? [
              ["A", "127.0.0.77"],
              ["A", "127.0.0.1"],
            ]
          : [["AAAA", LOOPBACK]],
    }));
    const names = openNames({ servers: [server.address], hostsFile: "/dev/null" });
    const url = receiver.url.replace("127.0.0.1", "shop.test");
    assert.deepEqual(await send(url, { names }), { kind: "answered", status: 204, retryAfterMs: 0 });
    await server.close();
  });

  test("a name whose servers are silent has no more than its part of a delivery's time", async () => {
    const server = await startNameServer(() => undefined);
    const names = openNames({ servers: [server.address], hostsFile: "/dev/null", deadlineMs: 300 });
    const reply = await send("http://shop.test/", { names });
    assert.deepEqual(reply, { kind: "unanswered", why: "the name servers of its name did not answer" });
    await server.close();
  });

  test("an address that is written out needs no look-up", async () => {
    const names = { find: () => assert.fail("it was looked up") };
    assert.equal((await send(receiver.url, { names })).kind, "answered");
    assert.equal((await send("http://[::1]:9/", { names })).kind, "unanswered");
  });

  describe("in live mode", () => {
    const REFUSED = { kind: "unanswered", why: "its address is not one of the public internet" };
    const v4 = (address: string): LookupAddress => ({ address, family: 4 });
    const port = () => new URL(receiver.url).port;

    test("a name that stands for an address of one's own network is not connected to", async () => {
      const before = receiver.connections();
      for (const addresses of [
        [v4("127.0.0.1")],
        [v4("93.184.215.14"), v4("127.0.0.1")],
        [{ address: "::ffff:127.0.0.1", family: 6 }],
        [{ address: "64:ff9b::7f00:1", family: 6 }],
        [{ address: "fe80::1%lo", family: 6 }],
      ]) {
        let asked = 0;
        const sender = open("live", {
          resolve: (_name, _options, done) => {
            asked++;
            done(null, addresses);
          },
        });
        assert.deepEqual(await sender.send({ ...POST, url: `https://shop.example.com:${port()}/` }, NEVER), REFUSED);
        assert.equal(asked, 1, "the connection asks this look-up and no other");
      }
      assert.equal(receiver.connections(), before);
    });

    test("a name server that tells of one's own network is not believed", async () => {
      const before = receiver.connections();
      const server = await startNameServer((type) => ({
        records: [type === "A" ? ["A", "127.0.0.1"] : ["AAAA", LOOPBACK]],
      }));
      const names = openNames({ servers: [server.address], hostsFile: "/dev/null" });
      const sender = open("live", { names });
      assert.deepEqual(await sender.send({ ...POST, url: `https://shop.test:${port()}/` }, NEVER), REFUSED);
      assert.equal(receiver.connections(), before);
      await server.close();
    });

    test("a name of the machine itself is found out by its addresses", async () => {
      const before = receiver.connections();
      for (const name of ["localhost", "LOCALHOST", "localhost."])
        assert.deepEqual(await open("live").send({ ...POST, url: `https://${name}:${port()}/` }, NEVER), REFUSED, name);
      assert.equal(receiver.connections(), before);
    });

    test("an address that is written out is judged again when it is called", async () => {
      const before = receiver.connections();
      for (const url of [`https://127.0.0.1:${port()}/`, `https://2130706433:${port()}/`, receiver.url])
        assert.deepEqual(await open("live").send({ ...POST, url }, NEVER), REFUSED, url);
      assert.equal(receiver.connections(), before);
    });

    test("a name that cannot be found is so told", async () => {
      const nobody = Object.assign(new Error("no"), { code: "ENOTFOUND" });
      const sender = open("live", { resolve: (_name, _options, done) => done(nobody, []) });
      const reply = await sender.send({ ...POST, url: "https://nobody.example.com/" }, NEVER);
      assert.deepEqual(reply, { kind: "unanswered", why: "ENOTFOUND" });
    });

    test("the addresses that were checked are the ones that are connected to", () => {
      const public4 = [v4("93.184.215.14"), v4("8.8.8.8")];
      const find = checkedLookup((_name, _options, done) => done(null, public4));
      find("shop.example.com", { all: true }, (fault, addresses) =>
        assert.deepEqual([fault, addresses], [null, public4]),
      );
      find("shop.example.com", {}, (fault, address, family) =>
        assert.deepEqual([fault, address, family], [null, "93.184.215.14", 4]),
      );
      const empty = checkedLookup((_name, _options, done) => done(null, []));
      empty("shop.example.com", { all: true }, (fault) => assert.ok(fault instanceof Error));
    });
  });
});
