// A machine whose clock differs from the database's is told of, once, and again when it is right.

import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDatabase } from "../../test/database.ts";
import { aheadOf, clockWatch } from "./clock-watch.ts";

test("a clock that differs from the database's by more than five seconds is told of once, and so is its return", async (t) => {
  const { pool, drop } = await freshDatabase();
  t.after(drop);
  const logged: string[] = [];
  const note = (level: string) => (_: object, message: string) => void logged.push(`${level} ${message}`);
  let byMs = 0;
  const clock = { now: () => new Date(Date.now() + byMs) };
  const watch = clockWatch(pool, { info: note("info"), warn: note("warn"), error: note("error") }, clock);
  assert.equal(watch.aheadMs(), undefined, "nobody has looked");
  const differ = "error this machine's clock and the database's differ";
  const agree = "info this machine's clock and the database's agree again";
  const minute = 60_000;
  for (const [aheadMs, told] of [
    [0, []],
    [4_000, []],
    [-4_000, []],
    [minute, [differ]],
    [-minute, []],
    [-minute, []],
    [1_000, [agree]],
    [-minute, [differ]],
    [0, [agree]],
  ] as const) {
    byMs = aheadMs;
    logged.length = 0;
    await watch.look();
    assert.deepEqual(logged, told, `${aheadMs}`);
    // What the question took is taken off.
    assert.ok(Math.abs(watch.aheadMs() ?? Number.NaN) <= Math.abs(aheadMs), `${watch.aheadMs()} of ${aheadMs}`);
    assert.equal(Math.sign(watch.aheadMs() ?? 0), Math.sign(aheadMs));
  }
});

test("what a slow answer could explain is no difference, whichever way the clock went meanwhile", () => {
  for (const [database, asked, answered, ahead] of [
    [1_000, 1_000, 1_000, 0],
    [1_000, 0, 2_000, 0],
    [1_000, 1_001, 31_000, 1],
    [1_000, 0, 999, -1],
    [1_000, -30_000, 31_000, 0],
    [1_000, 61_000, 1_000, 0],
    [1_000, 61_000, 2_000, 1_000],
    [1_000, -60_000, -61_000, -61_000],
  ] as const)
    assert.equal(aheadOf(database, asked, answered), ahead, `${database} between ${asked} and ${answered}`);
});
