import assert from "node:assert/strict";
import { test } from "node:test";
import { retryQueue } from "./retry-queue.ts";

const logged: string[] = [];
const tell = (_: object, message: string) => void logged.push(message);
const log = { info: tell, warn: tell, error: tell };

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
  const writes = retryQueue(log);
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
  const writes = retryQueue(log);
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
  const writes = retryQueue(log);
  for (let index = 0; index < 40; index++) writes.add(write(done, `${index}`, index % 2));
  await writes.retry();
  assert.deepEqual([done.length, writes.size], [20, 20]);
  await writes.retry();
  assert.deepEqual([done.length, writes.size], [40, 0]);
});

test("writes that never succeed do not stand in the way of others", async () => {
  const done: string[] = [];
  const writes = retryQueue(log);
  for (let index = 0; index < 16; index++) writes.add(write(done, `never ${index}`, Number.POSITIVE_INFINITY));
  writes.add(write(done, "late", 0));
  await writes.retry();
  await writes.retry();
  assert.deepEqual([done, writes.size], [["late"], 16]);
});

test("why a write fails is logged at once, and then summed up", async () => {
  logged.length = 0;
  const writes = retryQueue(log);
  writes.add(write([], "a", Number.POSITIVE_INFINITY));
  for (let round = 0; round < 100; round++) await writes.retry();
  assert.deepEqual(logged, ["an outcome could not be written and is tried again"]);
});

/** SQLSTATE 22003: a number that is out of range. */
const refusedRow = () => Promise.reject(Object.assign(new Error("out of range"), { code: "22003" }));

test("a row that the database refuses for a minute is given up, and the operation is unresolved", async () => {
  logged.length = 0;
  let givenUp = 0;
  const writes = retryQueue(log);
  writes.add(refusedRow, async () => void givenUp++);
  for (let round = 0; round < 60; round++) await writes.retry();
  assert.deepEqual([givenUp, writes.size], [0, 1]);
  await writes.retry();
  assert.deepEqual([givenUp, writes.size], [1, 0]);
  assert.match(logged.at(-1) ?? "", /the operation is unresolved/);
});

test("a row is not given up while the database is away, however long that takes", async () => {
  let givenUp = 0;
  const writes = retryQueue(log);
  const away = () => Promise.reject(Object.assign(new Error("gone"), { code: "ECONNREFUSED" }));
  writes.add(away, async () => void givenUp++);
  for (let round = 0; round < 200; round++) await writes.retry();
  assert.deepEqual([givenUp, writes.size], [0, 1]);
});
