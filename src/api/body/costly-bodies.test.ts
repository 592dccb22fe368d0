// Whose bodies have taken more processor time than its share has the next ones read by turns, and a wrong one counts as several
// requests. How long a body takes, it says itself, on a clock that the test moves: no real time is measured.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import { processorTime } from "../../shares/processor-time.ts";
import { respondToErrors } from "../errors.ts";
import { RequestFault } from "../request-fault.ts";
import { arrivingBodies } from "./arriving.ts";
import { readBodies } from "./read-bodies.ts";

const LARGE = "n".repeat(3_000);

describe("bodies that take long", () => {
  let app: FastifyInstance;
  let turnOfLoop = 0;
  let turning = true;
  /** By token, the turn of the event loop in which each body was checked. */
  const checkedIn = new Map<string, number[]>();
  const counted: string[] = [];

  beforeEach(async () => {
    [turning, turnOfLoop] = [true, 0];
    checkedIn.clear();
    counted.length = 0;
    const count = () => {
      turnOfLoop++;
      if (turning) setImmediate(count);
    };
    setImmediate(count);
    let nowMs = 0;
    app = Fastify();
    respondToErrors(app);
    app.decorateRequest("caller", null);
    app.decorateRequest("operator", null);
    readBodies(
      app,
      undefined,
      undefined,
      arrivingBodies(),
      processorTime(() => nowMs),
    );
    app.addHook("onRequest", async (request) => {
      const tokenId = String(request.headers.token);
      request.caller = { tokenId, merchantId: `of ${tokenId}` } as typeof request.caller;
      request.countsMore = (times) => void counted.push(`${tokenId} ${times}`);
    });
    app.post<{ Body: { ms: string; wrong?: string } }>("/", async (request) => {
      const { ms, wrong } = request.body;
      const tokenId = String(request.headers.token);
      request.measured(() => {
        nowMs += Number(ms);
        checkedIn.set(tokenId, [...(checkedIn.get(tokenId) ?? []), turnOfLoop]);
        if (wrong !== undefined) throw new RequestFault(422, { note: ["is wrong"] });
      });
      return "done";
    });
    await app.ready();
  });
  afterEach(async () => {
    turning = false;
    await app.close();
  });

  const send = async (token: string, ms: number, more: object = { note: LARGE }): Promise<number> => {
    const payload = { ms: String(ms), ...more };
    const { statusCode } = await app.inject({ method: "POST", url: "/", headers: { token }, payload });
    return statusCode;
  };
  const sendMany = (token: string, most: number, ms: number, more?: object) =>
    Promise.all(Array.from({ length: most }, () => send(token, ms, more)));
  const turnsOf = (token: string): number => new Set(checkedIn.get(token)).size;

  test("within its share, bodies of a token are read as they come", async () => {
    await sendMany("a", 10, 0.5);
    assert.ok(turnsOf("a") < 10);
  });

  test("beyond it, one in a turn of the loop, and another token's are read as they come", async () => {
    await send("a", 30);
    checkedIn.clear();
    const [, others] = await Promise.all([sendMany("a", 12, 30), sendMany("b", 12, 0.1)]);
    assert.deepEqual(others, Array(12).fill(200));
    assert.equal(turnsOf("a"), 12);
    assert.ok(turnsOf("b") < 12);
    assert.ok(Math.max(...(checkedIn.get("b") ?? [])) < Math.max(...(checkedIn.get("a") ?? [])));
  });

  test("what is right takes as much of the share as what is wrong", async () => {
    for (const more of [{ note: LARGE }, { note: LARGE, wrong: "1" }]) {
      const token = "wrong" in more ? "w" : "r";
      await send(token, 30, more);
      checkedIn.clear();
      await sendMany(token, 8, 1, more);
      assert.equal(turnsOf(token), 8);
    }
  });

  test("with too many waiting, more are refused before they are read", async () => {
    await send("a", 30);
    const statuses = await sendMany("a", 20, 30);
    assert.equal(statuses.filter((status) => status === 429).length, 7);
    assert.equal(statuses.filter((status) => status === 200).length, 13);
  });

  test("a small body is read at once, whatever its token has used", async () => {
    await send("a", 30);
    checkedIn.clear();
    assert.deepEqual(await sendMany("a", 12, 30, {}), Array(12).fill(200));
    assert.ok(turnsOf("a") < 12);
  });

  test("a wrong body counts as one more request for each millisecond; a right one, a small one and a quick one do not", async () => {
    assert.equal(await send("wrong", 7.5, { note: LARGE, wrong: "1" }), 422);
    assert.equal(await send("quick", 0.9, { note: LARGE, wrong: "1" }), 422);
    assert.equal(await send("small", 9, { wrong: "1" }), 422);
    assert.equal(await send("right", 9), 200);
    assert.deepEqual(counted, ["wrong 7"]);
  });
});
