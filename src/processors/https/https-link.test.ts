import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createNetServer, type Server } from "node:net";
import { test } from "node:test";
import { selfSigned } from "../../../test/self-signed.ts";
import { HttpsLink, LONGEST_PAGE } from "./https-link.ts";

const CALL = { method: "POST", path: "/", headers: {}, body: "x" } as const;
const soon = (ms = 2_000) => AbortSignal.timeout(ms);

async function listening<T extends Server>(server: T, scheme: string) {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return new URL(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

test("connections are kept, and no answer is taken for another question's", async () => {
  let connections = 0;
  const server = createServer((request, response) => void request.resume().on("end", () => response.end(request.url)));
  server.on("connection", () => connections++);
  const link = new HttpsLink(await listening(server, "http"), 2);
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const answer = await link.ask({ ...CALL, path: `/${index}` }, soon());
      return answer.kind === "answered" ? answer.body.toString() : answer.why;
    }),
  );
  assert.deepEqual(
    answers,
    Array.from({ length: 20 }, (_, index) => `/${index}`),
  );
  assert.equal(connections, 2);
  await link.close();
  server.closeAllConnections();
  server.close();
});

test("a redirect is an answer, and is not followed", async () => {
  let asked = 0;
  const server = createServer((request, response) => {
    asked++;
    request.resume();
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  const link = new HttpsLink(await listening(server, "http"), 1);
  const answer = await link.ask(CALL, soon());
  assert.deepEqual([answer.kind === "answered" && answer.status, asked], [307, 1]);
  await link.close();
  server.close();
});

test("an answer longer than any of a payment is not taken apart: it is as good as none; a page of a report is", async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.end("[".repeat(Number(request.url?.slice(1))));
  });
  const base = await listening(server, "http");
  const [payments, reports] = [new HttpsLink(base, 1), new HttpsLink(base, 1, LONGEST_PAGE)];
  const ask = async (link: HttpsLink, bytes: number) => {
    const answer = await link.ask({ ...CALL, path: `/${bytes}` }, soon());
    return answer.kind === "answered" ? answer.body.length : [answer.kind, answer.why];
  };
  const tooLong = (most: number) => ["unanswered", `half an answer: more than ${most} bytes`];
  assert.deepEqual(
    [
      await ask(payments, 524_288),
      await ask(payments, 524_289),
      await ask(reports, 4_194_304),
      await ask(reports, 4_194_305),
    ],
    [524_288, tooLong(524_288), 4_194_304, tooLong(4_194_304)],
  );
  await Promise.all([payments.close(), reports.close()]);
  server.closeAllConnections();
  server.close();
});

/** A host that writes this to whatever it is asked. */
async function answering(text: string) {
  const server = createNetServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.write(text));
  });
  const link = new HttpsLink(await listening(server, "http"), 1);
  const answer = await link.ask(CALL, soon(20_000));
  await link.close();
  server.close();
  return answer.kind === "answered" ? answer.body.length : answer;
}

test("an answer in very many small pieces is as good as none: each takes as long to read as a thousand bytes", async () => {
  const inPieces = (count: number, bytes: number) =>
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${`${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`.repeat(count)}0\r\n\r\n`;
  const noAnswer = { kind: "unanswered", why: "half an answer: it comes in very many small pieces" };
  assert.equal(await answering(inPieces(1_000, 1)), 1_000);
  assert.deepEqual(await answering(inPieces(1_001, 1)), noAnswer);
  assert.equal(await answering(inPieces(2_000, 160)), 320_000);
  assert.deepEqual(await answering(inPieces(2_000, 100)), noAnswer);
});

test("interim answers are not read without end", async () => {
  const interim = "HTTP/1.1 103 Early Hints\r\n\r\n";
  const answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
  assert.equal(await answering(interim.repeat(1_000) + answer), 2);
  assert.deepEqual(await answering(interim.repeat(50_000) + answer), {
    kind: "unanswered",
    why: "more than 655360 bytes came",
  });
});

const pair = selfSigned();
const skip = pair === undefined && "no openssl here to make a certificate with";

test("a certificate that nobody vouches for ends it before a byte of the question left", { skip }, async () => {
  let asked = 0;
  const server = createTlsServer(pair ?? {}, (request, response) => {
    asked++;
    request.resume();
    response.end();
  });
  const link = new HttpsLink(await listening(server, "https"), 1);
  const answer = await link.ask(CALL, soon());
  assert.equal(answer.kind, "not-sent");
  assert.match("why" in answer ? answer.why : "", /self.signed/i);
  assert.equal(asked, 0);
  await link.close();
  server.close();
});

test("a question that waits for a connection until its deadline was not sent", async () => {
  const server = createServer(() => undefined);
  const link = new HttpsLink(await listening(server, "http"), 1);
  const [first, second] = await Promise.all([link.ask(CALL, soon(150)), link.ask(CALL, soon(100))]);
  assert.deepEqual([first.kind, second.kind], ["unanswered", "not-sent"]);
  await link.close();
  server.closeAllConnections();
  server.close();
});
