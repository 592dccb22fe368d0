import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { briefCache } from "./brief-cache.ts";

/** A cache over a search that tells what it was asked, on a time that stands still. */
function observed(most = 10, find = async (key: string): Promise<string | undefined> => key.toUpperCase()) {
  const asked: string[] = [];
  const time = { ms: 1000 };
  const cache = briefCache(
    (key) => {
      asked.push(key);
      return find(key);
    },
    most,
    () => time.ms,
  );
  return { cache, asked, time };
}

describe("a brief cache", () => {
  test("it asks once within half a second, and again from then on", async () => {
    const { cache, asked, time } = observed();
    assert.equal(await cache.get("a"), "A");
    time.ms += 499;
    assert.equal(await cache.get("a"), "A");
    assert.deepEqual(asked, ["a"]);
    time.ms += 1;
    assert.equal(await cache.get("a"), "A");
    assert.deepEqual(asked, ["a", "a"]);
  });

  test("those who ask at once share one search", async () => {
    const { cache, asked } = observed();
    assert.deepEqual(await Promise.all([cache.get("a"), cache.get("a"), cache.get("b")]), ["A", "A", "B"]);
    assert.deepEqual(asked, ["a", "b"]);
  });

  test("a search that takes long is not shared beyond half a second from its beginning", async () => {
    const answers: ((value: string) => void)[] = [];
    const { cache, time } = observed(10, () => new Promise((resolve) => answers.push(resolve)));
    const early = cache.get("a");
    time.ms += 500;
    const late = cache.get("a");
    assert.equal(answers.length, 2);
    answers[1]?.("new");
    answers[0]?.("old");
    assert.deepEqual([await early, await late], ["old", "new"]);
    assert.equal(await cache.get("a"), "new");
  });

  test("what was not found is looked for again at once", async () => {
    const { cache, asked } = observed(10, async () => undefined);
    assert.equal(await cache.get("a"), undefined);
    assert.equal(await cache.get("a"), undefined);
    assert.deepEqual(asked, ["a", "a"]);
  });

  test("a search that fails fails for those who share it, and is tried again at once", async () => {
    let failing = true;
    const { cache, asked } = observed(10, async () => {
      if (failing) throw new Error("away");
      return "back";
    });
    const both = await Promise.allSettled([cache.get("a"), cache.get("a")]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    failing = false;
    assert.equal(await cache.get("a"), "back");
    assert.deepEqual(asked, ["a", "a"]);
  });

  test("what is forgotten is looked for again, also while a search for it is in flight", async () => {
    const { cache, asked } = observed();
    const before = cache.get("a");
    cache.forget("a");
    await Promise.all([before, cache.get("a")]);
    assert.deepEqual(asked, ["a", "a"]);
    await cache.get("a");
    assert.equal(asked.length, 2);
  });

  test("beyond the bound the oldest goes", async () => {
    const { cache, asked } = observed(2);
    for (const key of ["a", "b", "c"]) await cache.get(key);
    await cache.get("c");
    await cache.get("b");
    assert.deepEqual(asked, ["a", "b", "c"]);
    await cache.get("a");
    assert.deepEqual(asked, ["a", "b", "c", "a"]);
  });
});
