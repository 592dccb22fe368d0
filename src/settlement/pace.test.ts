import assert from "node:assert/strict";
import { test } from "node:test";
import { pace } from "./pace.ts";

test("a few begin at once, many at their pace", async () => {
  const mayBegin = pace(1_000);
  const since = performance.now();
  for (let count = 0; count < 20; count++) await mayBegin();
  assert.ok(performance.now() - since < 15, "the first twenty wait for nothing");
  for (let count = 0; count < 100; count++) await mayBegin();
  const tookMs = performance.now() - since;
  assert.ok(tookMs >= 95 && tookMs < 1_000, `${tookMs} ms for 120 at 1,000 a second`);
});

test("a pause gives no head start for what was not begun in it", async () => {
  const mayBegin = pace(1_000);
  await mayBegin();
  await new Promise((resolve) => setTimeout(resolve, 100));
  const since = performance.now();
  await Promise.all(Array.from({ length: 100 }, mayBegin));
  assert.ok(performance.now() - since >= 75);
});
