// What is asked, and who is refused. On a real Citus, whose worker is killed: test/citus/away.ts.

import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type AwayWorkers, awayWorkers } from "./away-workers.ts";
import type { Sql } from "./database.ts";
import { JournalUnavailable } from "./journal.ts";

const WORKERS: ReadonlyMap<string, number> = new Map([
  ["apple", 1],
  ["almond", 1],
  ["banana", 2],
]);
const A_MOMENT_MS = 1_000;
/** In the test's own time. */
const ANSWER_WITHIN_MS = 20;
const SQL = undefined as unknown as Sql;

describe("a worker that is away", () => {
  let workers: AwayWorkers;
  let now: number;
  /** By the numbers of the workers that were asked. */
  let asked: number[];
  let silent: Set<number>;
  let broken: Error | undefined;
  /** Every answer waits for it. */
  let held: Promise<void> | undefined;

  beforeEach(() => {
    now = 0;
    asked = [];
    silent = new Set();
    broken = undefined;
    held = undefined;
    const workersOf = async (_: Sql, merchants: readonly string[]) =>
      new Map(merchants.map((merchant) => [merchant, WORKERS.get(merchant) ?? 0]));
    const answers = async (_: Sql, merchant: string) => {
      const worker = WORKERS.get(merchant) ?? 0;
      asked.push(worker);
      if (broken) throw broken;
      await held;
      return !silent.has(worker);
    };
    workers = awayWorkers({ workersOf, answers }, () => now, ANSWER_WITHIN_MS);
  });

  const may = (merchant: string) => workers.mustAnswer(SQL, merchant);
  const refused = (merchant: string) => assert.rejects(may(merchant), JournalUnavailable);

  test("is none before anything has failed: nobody is asked", async () => {
    silent.add(1);
    await may("apple");
    assert.deepEqual(asked, []);
  });

  test("is asked after a failure, once for all of its merchants who wait; where it answers they go on", async () => {
    workers.suspect("apple");
    await Promise.all(["almond", "apple", "almond", "banana"].map(may));
    assert.deepEqual(asked, [1]);
    await may("apple");
    assert.deepEqual(asked, [1]);
  });

  test("has its merchants refused, and no others", async () => {
    silent.add(1);
    workers.suspect("apple");
    await Promise.all([refused("apple"), refused("almond"), may("banana")]);
    await refused("almond");
    assert.deepEqual(asked, [1]);
  });

  test("is asked again after a moment, by one of those who wait, until it answers", async () => {
    silent.add(1);
    workers.suspect("apple");
    await refused("apple");
    now += A_MOMENT_MS;
    await Promise.all([refused("apple"), refused("almond")]);
    assert.deepEqual(asked, [1, 1]);
    silent.delete(1);
    await refused("almond");
    now += A_MOMENT_MS;
    await may("almond");
    await may("apple");
    assert.deepEqual(asked, [1, 1, 1]);
  });

  test("has its merchants refused in time, where its answer does not come; it is asked once, and they go on when it comes", async () => {
    const answer = Promise.withResolvers<void>();
    held = answer.promise;
    workers.suspect("apple");
    await Promise.all([refused("apple"), refused("almond"), may("banana")]);
    now += A_MOMENT_MS;
    await refused("almond");
    assert.deepEqual(asked, [1]);
    answer.resolve();
    await setImmediate();
    await may("apple");
    assert.deepEqual(asked, [1]);
  });

  test("is not known where the coordinator itself could not be asked", async () => {
    workers.suspect("apple");
    broken = new Error("the coordinator went away");
    await assert.rejects(may("apple"), broken);
    broken = undefined;
    await may("apple");
    assert.deepEqual(asked, [1, 1]);
  });
});
