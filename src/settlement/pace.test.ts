import assert from "node:assert/strict";
import { test } from "node:test";
import { pace } from "./pace.ts";

/** How long each of so many waits, all of them asked for at once; then again after so many milliseconds. */
function waits(perSecond: number, ...rounds: readonly { readonly count: number; readonly thenMs: number }[]) {
  let nowMs = 1_000;
  const waited: number[] = [];
  const mayBegin = pace(
    perSecond,
    () => nowMs,
    async (ms) => waited.push(ms),
  );
  for (const { count, thenMs } of rounds) {
    for (let nth = 0; nth < count; nth++) void mayBegin();
    nowMs += thenMs;
  }
  return waited;
}

test("the first begins at once, each further one when its turn has come", () => {
  assert.deepEqual(waits(10, { count: 4, thenMs: 0 }), [100, 200, 300]);
});

test("a few of many need not wait", () => {
  assert.deepEqual(waits(1_000, { count: 8, thenMs: 0 }), [5, 6, 7]);
});

test("what was not begun in a pause is not made up for", () => {
  assert.deepEqual(waits(10, { count: 2, thenMs: 5_000 }, { count: 3, thenMs: 0 }), [100, 100, 200]);
});
