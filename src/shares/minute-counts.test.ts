import assert from "node:assert/strict";
import { test } from "node:test";
import { minuteCounts } from "./minute-counts.ts";

test("a holder's minute begins with the first that is counted and ends a minute later", () => {
  let nowMs = 5_000;
  const count = minuteCounts(10, () => nowMs);
  const counted = [5_000, 5_000, 64_999, 65_000, 65_001].map((atMs) => {
    nowMs = atMs;
    return count("a");
  });
  assert.deepEqual(counted, [
    { nth: 1, leftMs: 60_000 },
    { nth: 2, leftMs: 60_000 },
    { nth: 3, leftMs: 1 },
    { nth: 1, leftMs: 60_000 },
    { nth: 2, leftMs: 59_999 },
  ]);
});

test("each holder is counted by itself, and beyond the most the one whose minute began first is forgotten", () => {
  let nowMs = 0;
  const count = minuteCounts(2, () => nowMs++);
  assert.deepEqual(
    ["a", "b", "a", "c", "b", "c", "a"].map((holder) => count(holder).nth),
    [1, 1, 2, 1, 2, 2, 1],
  );
});
