import assert from "node:assert/strict";
import { test } from "node:test";
import { LookUps } from "./look-ups.ts";

test("a processor that does not answer keeps its own look-ups waiting, and nobody else's", async () => {
  const lookUps = new LookUps();
  const { promise: silence, resolve: answer } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const begin = (processor: string) =>
    lookUps.begin(processor, async () => {
      begun.push(processor);
      await silence;
    });
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => begin("silent")),
    [true, true, true, true, false],
  );
  assert.ok(begin("other"));
  assert.deepEqual(begun, ["silent", "silent", "silent", "silent", "other"]);
  answer();
  await lookUps.ended();
  assert.ok(begin("silent"));
});

test("one that fails gives its place back", async () => {
  const lookUps = new LookUps();
  for (let nth = 0; nth < 9; nth++) {
    assert.ok(lookUps.begin("failing", () => Promise.reject(new Error("away"))));
    await lookUps.ended();
  }
});
