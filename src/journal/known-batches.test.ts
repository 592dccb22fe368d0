import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { rememberedBatches } from "./known-batches.ts";

describe("batches that are surely in their table", () => {
  test("one that was seen is known for a second, and then inserted again", () => {
    let now = 0;
    const known = rememberedBatches(() => now);
    assert.equal(known.has("a"), false);
    known.add("a");
    assert.equal(known.has("a"), true);
    assert.equal(known.has("b"), false);
    now = 500;
    known.add("a"); // without being inserted again it is not known for longer
    now = 1_000;
    assert.equal(known.has("a"), false);
  });

  test("after a statement that failed none is known", () => {
    const known = rememberedBatches(() => 0);
    known.add("a");
    known.forget();
    assert.equal(known.has("a"), false);
  });

  test("what has no batch is not remembered", () => {
    const known = rememberedBatches(() => 0);
    known.add(null);
    assert.equal(known.has("null"), false);
  });
});
