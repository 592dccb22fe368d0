import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetOldest, oldestBeyond } from "./forget-oldest.ts";

test("beyond the most the one that was added first is forgotten, and one that was added anew is the newest", () => {
  const known = new Set<string>();
  const after = ["a", "b", "b", "c", "a", "d"].map((name) => {
    known.add(name);
    forgetOldest(known, 2);
    return [...known].join("");
  });
  assert.deepEqual(after, ["a", "ab", "ab", "bc", "ca", "ad"]);
});

test("one is told to go when there is one too many", () => {
  const kept = new Map([
    ["a", 1],
    ["b", 2],
  ]);
  assert.deepEqual(
    [0, 1, 2, 3].map((most) => oldestBeyond(kept, most)),
    ["a", "a", undefined, undefined],
  );
  assert.equal(oldestBeyond(new Map<string, number>(), 0), undefined);
});
