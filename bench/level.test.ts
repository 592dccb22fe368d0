import assert from "node:assert/strict";
import { test } from "node:test";
import { levelOf, type Reading } from "./level.ts";

const readings = (...residentMiB: readonly number[]): Reading[] =>
  residentMiB.map((value) => ({ residentMiB: value, heapMiB: value / 2 }));

test("memory is level if the last quarter holds what the second did, whatever the first did", () => {
  const { growth, heapGrowth, quarters } = levelOf(readings(10, 90, 100, 100, 120, 90, 100, 100));
  assert.deepEqual([growth, heapGrowth], [0, 0]);
  assert.deepEqual(quarters[2], { least: 90, median: 90, most: 120, leastHeap: 45 });
});

test("memory that grows all the time is not level", () => {
  const { growth, heapGrowth } = levelOf(readings(...Array.from({ length: 60 }, (_, minute) => 100 + minute)));
  assert.ok(growth > 0.2 && heapGrowth > 0.2);
});

test("a heap that grows is told where the collector keeps the process small", () => {
  const { growth, heapGrowth } = levelOf([1, 2, 3, 4].map((heapMiB) => ({ residentMiB: 100, heapMiB })));
  assert.deepEqual([growth, heapGrowth], [0, 1]);
});
