import assert from "node:assert/strict";
import { test } from "node:test";
import { Hearing } from "./hearing.ts";

/** `.` is a capture with an answer, `s` one without. */
function told(captures: string, hearing = new Hearing()): Hearing {
  for (const one of captures) hearing.note(one === ".");
  return hearing;
}

test("a processor is silent after five captures in a row without an answer", () => {
  for (const [captures, silent] of [
    ["ssss", false],
    ["sssss", true],
    ["ssss.s", false],
    ["ssss.sssss", true],
    ["sssssss.", false],
  ] as const)
    assert.equal(told(captures).silent, silent, captures);
});

test("after a pause the next silence is enough, until an answer comes", () => {
  const hearing = told("sssss");
  hearing.pause();
  assert.deepEqual([hearing.silent, hearing.doubtful], [false, true]);
  assert.ok(told("s", hearing).silent);
  hearing.pause();
  assert.deepEqual([told(".ssss", hearing).silent, told("s", hearing).silent], [false, true]);
});

test("the pauses double up to a minute, and begin anew after an answer", () => {
  const hearing = told("sssss");
  const pauses = () => Array.from({ length: 8 }, () => hearing.pause() / 1_000);
  assert.deepEqual(pauses(), [1, 2, 4, 8, 16, 32, 60, 60]);
  told(".", hearing);
  assert.equal(hearing.pause(), 1_000);
});

test("one that is tried anew although it is silent is left for longer and longer all the same", () => {
  const hearing = told("sssss");
  const pauses = Array.from({ length: 4 }, () => {
    const pause = hearing.pause();
    told("s", hearing).beginAnew();
    assert.equal(told("ssss", hearing).silent, false);
    return pause / 1_000;
  });
  assert.deepEqual(pauses, [1, 2, 4, 8]);
});

test("that it says that it cannot be reached is enough, unless it has answered since the last pause", () => {
  const isSilent = (hearing: Hearing) => {
    hearing.giveUp();
    return hearing.silent;
  };
  const paused = told("..");
  paused.pause();
  assert.deepEqual([new Hearing(), paused, told("..")].map(isSilent), [true, true, false]);
  assert.ok(isSilent(told(".ssss")), "and others were not answered since");
});

test("where a clock is moved, nothing is left for later", () => {
  assert.equal(told("s".repeat(100), new Hearing(Number.POSITIVE_INFINITY)).silent, false);
});
