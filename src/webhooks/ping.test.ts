import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseAfter } from "./ping.ts";

test("a ping that waits is looked at often at first, and then once a second", () => {
  const looks: number[] = [];
  for (let waitedMs = 0; waitedMs <= 20_000; waitedMs += pauseAfter(waitedMs)) looks.push(waitedMs);
  assert.deepEqual(looks.slice(0, 5), [0, 50, 100, 150, 200]);
  assert.ok(looks.length < 40, `${looks.length} looks`);
  const pauses = looks.map(pauseAfter);
  assert.deepEqual([Math.max(...pauses), pauses.at(-1)], [1_000, 1_000]);
});
