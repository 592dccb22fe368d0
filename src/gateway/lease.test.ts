import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { leaseOf, underLease } from "./lease.ts";

const SHORT = { ms: 1_000, renewEveryMs: 1 };

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(1);
}

test("a lease is renewed while the work lasts, one renewal at a time, whatever becomes of them", async () => {
  let [begun, inFlight, most] = [0, 0, 0];
  const renew = async () => {
    begun++;
    most = Math.max(most, ++inFlight);
    await sleep(3);
    inFlight--;
    if (begun === 2) throw new Error("the database is away");
  };
  const result = await underLease(SHORT, renew, async () => {
    await until(() => begun >= 4);
    return "done";
  });
  assert.deepEqual([result, most, inFlight], ["done", 1, 0]);
  const before = begun;
  await sleep(20);
  assert.equal(begun, before, "not renewed any more");
});

test("a fault of the work is thrown when no renewal is on its way", async () => {
  let [begun, ended] = [0, 0];
  const renew = async () => {
    begun++;
    await sleep(20);
    ended++;
  };
  const work = async () => {
    await until(() => begun === 1);
    throw new Error("broken");
  };
  await assert.rejects(underLease(SHORT, renew, work), /broken/);
  assert.deepEqual([begun, ended], [1, 1]);
});

test("a lease outlives three renewals that fail", () => {
  assert.deepEqual(leaseOf(8_000), { ms: 8_000, renewEveryMs: 2_000 });
});
