import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseMs } from "./line.ts";
import { calmed } from "./link.ts";

test("pauses double from a tenth of a second to fifteen seconds, and are never the same by half", () => {
  const longest = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1_000].map((failures) => pauseMs(failures, 0.999_999));
  assert.deepEqual(longest, [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000, 15_000]);
  assert.deepEqual([pauseMs(0, 0), pauseMs(1, 0), pauseMs(99, 0)], [50, 100, 7_500]);
});

test("the same line is told once a second, with how often it was left out", () => {
  let now = 0;
  const told: string[] = [];
  const tell = (facts: object, text: string) => void told.push(`${text} ${JSON.stringify(facts)}`);
  const log = calmed({ info: tell, warn: tell }, () => now);
  for (; now < 2_000; now += 250) log.warn({ stan: "000001" }, "odd");
  log.warn({}, "other");
  assert.deepEqual(told, ['odd {"stan":"000001"}', 'odd {"stan":"000001","leftOut":3}', "other {}"]);
});
