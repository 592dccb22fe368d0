import assert from "node:assert/strict";
import { test } from "node:test";
import { rememberedListeners } from "./known-listeners.ts";

test("a merchant that had an endpoint is taken to have one for a minute, or until it is found once more", () => {
  let now = 0;
  const known = rememberedListeners(() => now);
  assert.equal(known.has("a"), false);
  known.add("a");
  now = 59_999;
  assert.deepEqual([known.has("a"), known.has("b")], [true, false]);
  now = 60_000;
  assert.equal(known.has("a"), false);
  known.add("a");
  assert.equal(known.has("a"), true);
});
