// What the process for heavy requests answers to several at once, told with a server in its place.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, describe, test } from "node:test";
import { type SharedAnswers, sharedAnswers, type WorkersAnswer } from "./shared-answers.ts";

/** The path says who asks, and how it is answered. */
type Reply = "whole" | "error" | "with a cookie" | "without length" | "broken off";

describe("of equal requests", () => {
  let worker: Server;
  let shared: SharedAnswers;
  /** Who was passed on. */
  let passedOn: string[];
  let seen: (who: string) => void = () => undefined;
  let open = 0;

  before(async () => {
    worker = createServer((request, response) => {
      const [, who = "", reply = ""] = (request.url ?? "").split("/");
      passedOn.push(who);
      seen(who);
      open++;
      response.once("close", () => open--);
      const text = `of ${who}`;
      const answers: Record<Reply, () => unknown> = {
        whole: () => response.writeHead(200, { "content-length": text.length, "x-kind": "page" }).end(text),
        error: () => response.writeHead(401, { "content-length": text.length }).end(text),
        "with a cookie": () =>
          response.writeHead(200, { "content-length": text.length, "set-cookie": `session=${who}` }).end(text),
        "without length": () => response.writeHead(200).write(text),
        "broken off": () => {
          response.writeHead(200, { "content-length": text.length + 1 }).write(text);
          setTimeout(() => response.destroy(), 20);
        },
      };
      setTimeout(() => answers[decodeURIComponent(reply) as Reply](), 20);
    }).listen(0, "127.0.0.1");
    await once(worker, "listening");
  });
  after(() => {
    worker.closeAllConnections();
    worker.close();
  });
  beforeEach(() => {
    [shared, passedOn] = [sharedAnswers(), []];
  });

  const passOn = async (who: string, reply: Reply, signal: AbortSignal): Promise<WorkersAnswer> => {
    const { port } = worker.address() as AddressInfo;
    const sent = get({ port, host: "127.0.0.1", path: `/${who}/${encodeURIComponent(reply)}`, signal, agent: false });
    const [body] = (await once(sent, "response")) as [IncomingMessage];
    return { status: body.statusCode ?? 0, headers: body.headers, body };
  };
  const ask = (who: string, reply: Reply, gone = new AbortController().signal) =>
    shared.ask(["a page"], gone, (signal) => passOn(who, reply, signal));
  /** One, and behind it others, who are the first that share. */
  const behindOne = async (...others: readonly (readonly [who: string, reply: Reply, gone?: AbortSignal])[]) => {
    const first = ask("first", "whole");
    const all = Promise.allSettled(others.map((other) => ask(...other)));
    await first;
    return (await all).map((end) => (end.status === "fulfilled" ? end.value : undefined));
  };
  /** So much of it as is there. */
  const textOf = async (answer: WorkersAnswer | undefined): Promise<string> => {
    if (answer === undefined || Buffer.isBuffer(answer.body)) return String(answer?.body);
    const [portion] = await once(answer.body, "data");
    answer.body.destroy();
    return `${answer.status} ${portion}`;
  };

  test("one is passed on for all who wait, and its answer is theirs with its headers", async () => {
    const answers = await behindOne(["one", "whole"], ["two", "whole"], ["three", "whole"]);
    assert.deepEqual(passedOn, ["first", "one"]);
    assert.deepEqual(await Promise.all(answers.map(textOf)), ["of one", "of one", "of one"]);
    assert.ok(answers.every((answer) => answer?.headers["x-kind"] === "page"));
  });

  for (const reply of ["error", "with a cookie", "without length"] as const)
    test(`what is no whole page is the answer to its own request alone: ${reply}`, async () => {
      const answers = await behindOne(["one", reply], ["two", "whole"], ["three", reply]);
      assert.deepEqual(passedOn.slice(0, 2), ["first", "one"]);
      assert.deepEqual(passedOn.slice(2).sort(), ["three", "two"]);
      const status = reply === "error" ? 401 : 200;
      assert.deepEqual(await Promise.all(answers.map(textOf)), [
        `${status} of one`,
        "200 of two",
        `${status} of three`,
      ]);
    });

  test("an answer that breaks off is nobody's: the gateway makes it", async () => {
    assert.deepEqual(await behindOne(["one", "broken off"], ["two", "whole"]), [undefined, undefined]);
    assert.deepEqual(passedOn, ["first", "one"]);
  });

  test("one who leaves ends nobody else's, and leaves no answer behind that nobody reads", async () => {
    for (const [reply, expected] of [
      ["whole", "of one"],
      ["without length", "200 of two"],
    ] as const) {
      const gone = new AbortController();
      seen = (who) => who === "one" && gone.abort();
      const [left, stays] = await behindOne(["one", reply, gone.signal], ["two", "whole"]);
      assert.equal(left, undefined);
      assert.equal(await textOf(stays), expected);
    }
    for (let tries = 0; open > 0 && tries < 3_000; tries++) await new Promise((next) => setTimeout(next, 20));
    assert.equal(open, 0);
  });
});
