import assert from "node:assert/strict";
import { test } from "node:test";
import { FEWEST_CONNECTIONS, FULL_SIZES, MOST_CONNECTIONS, type PoolSizes, sizesWithin } from "../pool-sizes.ts";
import { connectionsFor, planWorkers, wantedWorkers } from "./plan.ts";

/** The writers of the journal and of trace numbers among them. */
const opened = (sizes: PoolSizes) => Object.values(sizes).reduce((sum, size) => sum + size, 4);

test("there is a worker for each core but one, and one at least, unless somebody says how many", () => {
  assert.deepEqual(
    [1, 2, 3, 8].map((cores) => wantedWorkers({ workers: undefined }, cores)),
    [1, 1, 2, 7],
  );
  assert.deepEqual(
    [1, 2, 8].map((cores) => wantedWorkers({ workers: 4 }, cores)),
    [4, 4, 4],
  );
});

test("a process opens at most as many connections as it may, each purpose gets some, and a few more go where most are missing", () => {
  assert.deepEqual([FEWEST_CONNECTIONS, MOST_CONNECTIONS], [15, 28]);
  assert.equal(sizesWithin(14), undefined);
  for (let may = 15; may <= 40; may++) {
    const sizes = sizesWithin(may);
    assert.ok(sizes);
    assert.equal(opened(sizes), Math.min(may, 28));
  }
  assert.deepEqual(sizesWithin(28), FULL_SIZES);
  assert.deepEqual(sizesWithin(19), {
    ...{ payments: 5, lookUps: 1, heartbeats: 1, slowReads: 2, office: 2, background: 2, webhooks: 2 },
  });
});

test("all processes together stay within what the database allows, and six are left to others", () => {
  for (const heavyWorker of [true, false])
    for (let workers = 1; workers <= 20; workers++)
      for (let allowed = 20; allowed <= 700; allowed += 7) {
        const processes = workers + (heavyWorker ? 1 : 0);
        const fits = processes * 15 + 6 <= allowed;
        const plan = () => planWorkers({ workers, heavyWorker }, allowed, workers);
        if (!fits) assert.throws(plan, { name: "StartFault", message: /allows this user \d+ connections, too few/ });
        else {
          assert.equal(plan().workers, workers);
          assert.ok(processes * opened(plan().sizes) + 6 <= allowed);
        }
      }
});

test("on Citus each process has nine more that write", () => {
  const plan = (allowed: number) => planWorkers({ workers: 2, heavyWorker: true }, allowed, 2, true);
  assert.deepEqual(plan(3 * 37 + 6).sizes, FULL_SIZES);
  assert.equal(opened(plan(3 * 24 + 6).sizes), 15);
  assert.throws(() => plan(3 * 24 + 5), /each needs 24, .* Set WORKERS=1, or raise/);
});

test("where nobody asked for so many workers there are as many as the database allows; where somebody did, the start says how many there can be", () => {
  assert.equal(planWorkers({ workers: undefined, heavyWorker: true }, 97, 31).workers, 5);
  assert.equal(planWorkers({ workers: undefined, heavyWorker: true }, 97, 3).workers, 3);
  assert.throws(
    () => planWorkers({ workers: 31, heavyWorker: true }, 97, 31),
    /Set WORKERS=5, or raise its max_connections, or what it allows the user\.$/,
  );
  assert.throws(
    () => planWorkers({ workers: undefined, heavyWorker: true }, 20, 2),
    /Raise its max_connections, or what it allows the user\.$/,
  );
});

test("the embedded database has room for all of them", () => {
  for (const workers of [1, 2, 7, 31]) {
    const allowed = connectionsFor(workers) - 3;
    assert.deepEqual(planWorkers({ workers, heavyWorker: true }, allowed, workers).sizes, FULL_SIZES);
  }
});
