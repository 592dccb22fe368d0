// In which order a run begins its files, as far as it knows how long each took.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Duration, inOrder } from "./durations.ts";

const ordered = (durations: Readonly<Record<string, Duration | undefined>>): string[] => {
  const timed = Object.entries(durations).filter((entry): entry is [string, Duration] => entry[1] !== undefined);
  return inOrder(
    Object.keys(durations).map((name) => ({ name })),
    new Map(timed),
  ).map(({ name }) => name);
};

test("the longest begins first, and before it what was never timed", () => {
  const computed = { short: { ms: 10, cpuMs: 10 }, long: { ms: 30, cpuMs: 20 }, "never-timed": undefined };
  assert.deepEqual(ordered(computed), ["never-timed", "long", "short"]);
});

test("what mostly waits is spread over the run, the longest first", () => {
  const waits = (ms: number) => ({ ms, cpuMs: ms / 10 });
  const computes = (ms: number) => ({ ms, cpuMs: ms / 2 });
  assert.deepEqual(
    ordered({
      ...{ w1: waits(10), w2: waits(20), w3: waits(30) },
      ...{ c1: computes(1), c2: computes(2), c3: computes(3), c4: computes(4), c5: computes(5) },
    }),
    ["c5", "w3", "c4", "w2", "c3", "c2", "w1", "c1"],
  );
});

test("a step of which no processor time is known is taken to compute", () => {
  assert.deepEqual(ordered({ waits: { ms: 40, cpuMs: 1 }, types: { ms: 20 }, short: { ms: 10, cpuMs: 9 } }), [
    "types",
    "waits",
    "short",
  ]);
});
