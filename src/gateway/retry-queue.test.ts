import assert from "node:assert/strict";
import { test } from "node:test";
import { retryQueue } from "./retry-queue.ts";

/** A write that fails so many times. */
function write(done: string[], name: string, failures: number) {
  let left = failures;
  return async () => {
    if (left-- > 0) throw new Error(`${name} fails`);
    done.push(name);
  };
}

test("a write is tried each round until it succeeds, and then no more", async () => {
  const done: string[] = [];
  const writes = retryQueue();
  writes.add(write(done, "a", 2));
  writes.add(write(done, "b", 0));
  const sizes: number[] = [];
  for (let round = 0; round < 4; round++) {
    await writes.retry();
    sizes.push(writes.size);
  }
  assert.deepEqual(
    [done, sizes],
    [
      ["b", "a"],
      [1, 1, 0, 0],
    ],
  );
});

test("while all that is tried fails the database is away: the rest is not tried in vain", async () => {
  const writes = retryQueue();
  let tried = 0;
  for (let index = 0; index < 100; index++)
    writes.add(async () => {
      tried++;
      throw new Error("away");
    });
  await writes.retry();
  assert.equal(tried, 16);
  assert.equal(writes.size, 100);
});

test("while some succeed the database is there: all are tried, however many fail", async () => {
  const done: string[] = [];
  const writes = retryQueue();
  for (let index = 0; index < 40; index++) writes.add(write(done, `${index}`, index % 2));
  await writes.retry();
  assert.deepEqual([done.length, writes.size], [20, 20]);
  await writes.retry();
  assert.deepEqual([done.length, writes.size], [40, 0]);
});

test("writes that never succeed do not stand in the way of others", async () => {
  const done: string[] = [];
  const writes = retryQueue();
  for (let index = 0; index < 16; index++) writes.add(write(done, `never ${index}`, Number.POSITIVE_INFINITY));
  writes.add(write(done, "late", 0));
  await writes.retry();
  await writes.retry();
  assert.deepEqual([done, writes.size], [["late"], 16]);
});
