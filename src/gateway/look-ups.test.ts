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
  for (let nth = 0; nth < 4; nth++) assert.equal(begin("silent"), undefined);
  assert.ok(begin("silent"));
  assert.equal(begin("other"), undefined);
  assert.deepEqual(begun, ["silent", "silent", "silent", "silent", "other"]);
  answer();
  await lookUps.ended();
  assert.equal(begin("silent"), undefined);
});

test("those that are turned away come one after the other, from a second on and within a minute", async () => {
  const lookUps = new LookUps();
  const { promise: silence, resolve: answer } = Promise.withResolvers<void>();
  const turns = Array.from({ length: 304 }, () => lookUps.begin("silent", () => silence)).slice(4);
  const whole = turns.map((ms = 0) => Math.round(ms / 100) / 10);
  // Four at once, and each is expected to take a second as long as none has ended.
  assert.deepEqual([whole[0], whole[3], whole[7], whole[39], whole[299]], [1, 1, 2, 10, 60]);
  answer();
  await lookUps.ended();
});

test("one that fails gives its place back", async () => {
  const lookUps = new LookUps();
  for (let nth = 0; nth < 9; nth++) {
    assert.equal(
      lookUps.begin("failing", () => Promise.reject(new Error("away"))),
      undefined,
    );
    await lookUps.ended();
  }
});
