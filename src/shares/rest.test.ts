import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseAfterRest } from "./rest.ts";

const released = (tookMs: number, times: number): Promise<number> => {
  const now = performance.now();
  return new Promise((resolve) => releaseAfterRest(() => resolve(performance.now() - now), now - tookMs, times));
};

test("a turn is given back after so many times as long as its work took", async () => {
  assert.ok((await released(20, 3)) >= 59);
});

test("no rest is longer than half a second", async () => {
  assert.ok((await released(60_000, 3)) < 5_000);
});
