// Who is looked at, and who is left out. On a real Citus, whose worker is killed: test/citus/due-while-away.ts.

import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type MerchantsThere, merchantsThere } from "./merchants-there.ts";

const A_MOMENT_MS = 1_000;
const APPLE = ["apple", "almond"];

describe("a look over all merchants", () => {
  let there: MerchantsThere;
  let now: number;
  let asked: number;
  /** Whose workers answer; undefined: all. */
  let answering: readonly string[] | undefined;
  /** What looks over all, or over any but these, ends with. */
  let fault: Error | undefined;
  /** Who was looked at. */
  let looks: string[];

  beforeEach(() => {
    [now, asked, answering, fault, looks] = [0, 0, undefined, undefined, []];
    there = merchantsThere(
      async () => {
        asked++;
        return answering;
      },
      () => now,
    );
  });

  const workerLost = () => Object.assign(new Error("a worker went away"), { code: "08006" });
  const look = () =>
    there.look(async (merchants) => {
      looks.push(merchants?.join(" ") ?? "all");
      if (fault && (answering === undefined || merchants !== answering)) throw fault;
      return merchants;
    });
  const workerGoes = () => {
    fault = workerLost();
    answering = APPLE;
  };

  test("is over all of them, and asks no worker, as long as it succeeds", async () => {
    answering = APPLE;
    assert.equal(await look(), undefined);
    assert.deepEqual([looks, asked, there.someAreLeftOut()], [["all"], 0, false]);
  });

  test("leaves out those whose worker does not answer, once it has failed; the next look leaves them out at once", async () => {
    workerGoes();
    assert.deepEqual(await look(), APPLE);
    assert.deepEqual(await look(), APPLE);
    assert.deepEqual([looks, asked, there.someAreLeftOut()], [["all", "apple almond", "apple almond"], 1, true]);
  });

  test("leaves them out also where a worker said nothing until the statement's time was over", async () => {
    workerGoes();
    fault = Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" });
    assert.deepEqual(await look(), APPLE);
  });

  test("asks again after a moment, for which nobody waits, and is over all again when all have answered", async () => {
    workerGoes();
    await look();
    now += A_MOMENT_MS - 1;
    await look();
    assert.equal(asked, 1);
    now += 1;
    [answering, fault] = [undefined, undefined];
    assert.deepEqual(await look(), APPLE);
    await setImmediate();
    assert.equal(await look(), undefined);
    assert.deepEqual([asked, there.someAreLeftOut()], [2, false]);
  });

  test("is asked for once by all that fail at the same time", async () => {
    workerGoes();
    assert.deepEqual(await Promise.all([look(), look(), look()]), [APPLE, APPLE, APPLE]);
    assert.equal(asked, 1);
  });

  test("fails as it did where all workers answer, where they cannot be asked, and where it was no worker's fault", async () => {
    fault = workerLost();
    await assert.rejects(look(), fault);
    assert.equal(asked, 1);
    const broken = merchantsThere(() => Promise.reject(new Error("the coordinator is away")));
    await assert.rejects(
      broken.look(() => Promise.reject(fault)),
      fault,
    );
    workerGoes();
    fault = Object.assign(new Error("syntax error"), { code: "42601" });
    await assert.rejects(look(), fault);
    assert.equal(asked, 1);
  });
});
