// Rules for the processor time that each holder uses, by a clock that the test moves.

import assert from "node:assert/strict";
import { test } from "node:test";
import { processorTime } from "./processor-time.ts";

function onHandClock(mostHolders?: number) {
  let nowMs = 1_000;
  const time = processorTime(() => nowMs, mostHolders);
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return {
    isUsedUp: time.isUsedUp,
    measure: time.measure,
    work: (holder: string, ms: number) => time.measure(holder, () => pass(ms)),
    pass,
  };
}

test("20 ms may be used at once, and nobody else's are used by them", () => {
  const { work, isUsedUp } = onHandClock();
  work("a", 20);
  assert.equal(isUsedUp("a"), false);
  work("a", 1);
  assert.deepEqual(["a", "b"].map(isUsedUp), [true, false]);
});

test("a twentieth of the time that passes is given back", () => {
  const { work, pass, isUsedUp } = onHandClock();
  work("a", 30);
  pass(199);
  assert.equal(isUsedUp("a"), true);
  pass(1);
  assert.equal(isUsedUp("a"), false);
});

test("what was not used before does not add up", () => {
  const { work, pass, isUsedUp } = onHandClock();
  work("a", 1);
  pass(1_000_000);
  work("a", 21);
  assert.equal(isUsedUp("a"), true);
});

test("work that throws is counted, and the fault goes on", () => {
  const { work, measure, isUsedUp } = onHandClock();
  const fails = () => {
    work("inside", 30);
    throw new Error("wrong");
  };
  let told = 0;
  const hear = (ms: number) => {
    told = ms;
  };
  assert.throws(() => measure("a", fails, hear), /wrong/);
  assert.deepEqual([told, isUsedUp("a")], [30, true]);
});

test("beyond the most holders, the one that worked longest ago is forgotten", () => {
  const { work, isUsedUp } = onHandClock(2);
  for (const holder of ["a", "b", "a", "c"]) work(holder, 25);
  assert.deepEqual(["a", "b", "c"].map(isUsedUp), [true, false, true]);
});
