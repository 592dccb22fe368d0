import assert from "node:assert/strict";
import { test } from "node:test";
import { takeWithin } from "./take-within.ts";
import { fairTurns, ShareUsedUp } from "./turns.ts";

const whose = (fault: unknown) => (fault instanceof ShareUsedUp ? fault.whose : String(fault));

test("who waits too long is refused: for its own share if it has that, else for everybody's", async () => {
  const turns = fairTurns({ atOnce: 2, mostOfOne: 1, mostWaiting: 10, mostWaitingOfOne: 10 });
  const releases = [await takeWithin(turns, "a", 1), await takeWithin(turns, "b", 1)];
  assert.deepEqual(await Promise.all(["a", "c"].map((one) => takeWithin(turns, one, 1).catch(whose))), ["own", "all"]);
  assert.equal(turns.counts().waiting, 0);
  for (const release of releases) release();
  (await takeWithin(turns, "a", 1))();
});

test("who leaves while it waits is not refused, it is gone", async () => {
  const turns = fairTurns({ atOnce: 1, mostOfOne: 1, mostWaiting: 10, mostWaitingOfOne: 10 });
  await turns.take("a");
  const leaving = new AbortController();
  const left = takeWithin(turns, "b", 60_000, leaving.signal).catch((reason: unknown) => reason);
  leaving.abort("gone");
  assert.equal(await left, "gone");
  await assert.rejects(takeWithin(turns, "b", 60_000, AbortSignal.abort(new Error("gone before"))), /gone before/);
  assert.deepEqual(turns.counts(), { working: 1, waiting: 0, holders: 1 });
});
