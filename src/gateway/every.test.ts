import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { every } from "./every.ts";

function kept() {
  const logged: (readonly [facts: object, message: string])[] = [];
  const log = {
    info: () => undefined,
    warn: (facts: object, message: string) => void logged.push([facts, message]),
    error: () => undefined,
  };
  return { logged, log };
}
const { log } = kept();
const FAILED = "background work failed and is tried again";

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
  const { logged, log } = kept();
  const work = every(1, log, async () => {
    if (++rounds === 1) throw new Error("fault");
    return "pause";
  });
  await sleep(30);
  await work.stop();
  assert.ok(rounds > 1);
  assert.deepEqual(logged, [[{ fault: "Error: fault" }, FAILED]]);
});

test("of rounds that go on failing the first is told, and then once a minute, and at the end, how many more there were", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { logged, log } = kept();
  let rounds = 0;
  const work = every(1_000, log, async () => {
    throw new Error(`fault ${++rounds}`);
  });
  const seconds = async (count: number) => {
    for (let second = 0; second < count; second++) {
      // The round that has begun ends.
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      mock.timers.tick(1_000);
    }
  };
  await seconds(130);
  await work.stop();
  mock.timers.reset();
  const told = (fault: number, more: number) => [
    { fault: `Error: fault ${fault}`, more },
    `more of the same: ${FAILED}`,
  ];
  assert.deepEqual(logged[0], [{ fault: "Error: fault 1" }, FAILED]);
  assert.deepEqual(logged.slice(1), [told(60, 59), told(120, 60), told(rounds, rounds - 120)]);
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
