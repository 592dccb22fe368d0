// The lanes of endpoints being served, and what is known of how endpoints did last.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../../test/receiver.ts";
import { endpointHealth } from "./health.ts";
import { openLanes } from "./lanes.ts";

const NEVER = new AbortController().signal;
const names = (count: number) => Array.from({ length: count }, (_, n) => `merchant ${n}`);

describe("the lanes of webhooks", () => {
  const begun = async (promise: Promise<unknown>): Promise<boolean> => {
    const yet = Symbol("not yet");
    return (await Promise.race([promise, new Promise((resolve) => setImmediate(() => resolve(yet)))])) !== yet;
  };

  test("a merchant has eight places, however many endpoints, and the next merchant has the next", async () => {
    const lanes = openLanes();
    for (let n = 0; n < 8; n++) await lanes.take("quick", "one", NEVER);
    const ninth = lanes.take("quick", "one", NEVER);
    assert.equal(await begun(ninth), false);
    const other = await lanes.take("quick", "other", NEVER);
    other.end();
    assert.equal(await begun(ninth), false);
  });

  test("who does not answer in half a second is moved to the slow lane, and its place is free", async () => {
    const lanes = openLanes();
    const turns = await Promise.all(names(8).flatMap((name) => names(8).map(() => lanes.take("quick", name, NEVER))));
    const next = lanes.take("quick", "honest", NEVER);
    assert.equal(await begun(next), false, "64 places are taken");
    for (const turn of turns) turn.sending();
    (await next).end();
    await until("all are moved", () => turns.every((turn) => turn.over()));
    assert.ok(
      turns.every((turn) => !turn.cut.aborted),
      "and may go on there",
    );
    for (const turn of turns) turn.end();
  });

  test("where the slow lane is full too, what is not answered is cut", async () => {
    const lanes = openLanes();
    for (const name of names(16)) for (let n = 0; n < 16; n++) await lanes.take("slow", name, NEVER);
    const turn = await lanes.take("quick", "one", NEVER);
    turn.sending();
    await until("it is cut", () => turn.cut.aborted);
    turn.end();
  });

  test("time before something is sent is not the endpoint's, and a turn that has ended is not cut", async () => {
    const lanes = openLanes();
    for (const name of names(16)) for (let n = 0; n < 16; n++) await lanes.take("slow", name, NEVER);
    const [waiting, ended] = [await lanes.take("quick", "one", NEVER), await lanes.take("quick", "two", NEVER)];
    ended.sending();
    ended.end();
    const late = await lanes.take("quick", "three", NEVER);
    late.sending();
    await until("another one is cut", () => late.cut.aborted);
    assert.deepEqual([waiting.over(), waiting.cut.aborted, ended.cut.aborted], [false, false, false]);
  });
});

describe("what is known of endpoints", () => {
  const noon = new Date("2026-02-16T12:00:00Z");
  const later = (ms: number) => new Date(noon.getTime() + ms);

  test("whoever takes half a second is slow until it does not", () => {
    const health = endpointHealth();
    assert.deepEqual(health.of("shop"), { slow: false, failing: false });
    health.found("shop", { slowestMs: 500, failed: false }, noon);
    assert.deepEqual([health.of("shop"), health.slow()], [{ slow: true, failing: false }, ["shop"]]);
    health.found("shop", { slowestMs: 499, failed: false }, noon);
    assert.deepEqual([health.of("shop"), health.slow()], [{ slow: false, failing: false }, []]);
  });

  test("whoever fails rests, twice as long each time, for half a minute at most", () => {
    const health = endpointHealth();
    for (const restMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      health.found("shop", { slowestMs: 1, failed: true }, noon);
      assert.deepEqual(health.resting(later(restMs - 1)), ["shop"]);
      assert.deepEqual(health.resting(later(restMs)), []);
      assert.deepEqual(health.of("shop"), { slow: false, failing: true });
    }
    health.found("shop", { slowestMs: 1, failed: false }, noon);
    assert.deepEqual(health.of("shop"), { slow: false, failing: false });
  });

  test("only so many are known, the ones that were found last", () => {
    const health = endpointHealth();
    for (let n = 0; n < 5_000; n++) health.found(`shop ${n}`, { slowestMs: 15_000, failed: true }, noon);
    assert.equal(health.slow().length, 4_096);
    assert.deepEqual([health.of("shop 0").slow, health.of("shop 4999").slow], [false, true]);
  });
});
