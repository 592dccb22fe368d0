import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { every } from "./every.ts";

const logged: string[] = [];
const log = {
  info: () => undefined,
  warn: (_: object, message: string) => void logged.push(message),
  error: () => undefined,
};

test("a round follows the other at once while there is more to do, and else after the pause", async () => {
  const ends = ["at once", "at once", "pause"] as const;
  let rounds = 0;
  const work = every(60_000, log, async () => ends[rounds++] ?? "pause");
  await sleep(20);
  await work.stop();
  assert.equal(rounds, 3);
});

test("a round that fails is logged, and the next one comes", async () => {
  let rounds = 0;
  const work = every(1, log, async () => {
    if (++rounds === 1) throw new Error("fault");
    return "pause";
  });
  await sleep(30);
  await work.stop();
  assert.ok(rounds > 1);
  assert.deepEqual(logged, ["background work failed and is tried again"]);
});

test("stopping waits for the round that runs, and no other begins", async () => {
  let [begun, ended] = [0, 0];
  const work = every(1, log, async () => {
    begun++;
    await sleep(20);
    ended++;
    return "at once";
  });
  await sleep(5);
  await work.stop();
  assert.equal(begun, ended);
  const before = begun;
  await sleep(30);
  assert.equal(begun, before);
});
