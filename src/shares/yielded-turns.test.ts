import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Release, ShareUsedUp } from "./turns.ts";
import { type YieldTerms, yieldedTurns } from "./yielded-turns.ts";

const TERMS: YieldTerms = {
  ...{ atOnce: 8, mostOfOne: 2, mostWaiting: 100, mostWaitingOfOne: 20, waitMs: 20_000 },
  ...{ keptMs: 0, lookEveryMs: 5 },
};

/** Holders whose turns end only if they give them up, or are left; who gave which up, in order. */
function ground(terms: Partial<YieldTerms> = {}) {
  const turns = yieldedTurns({ ...TERMS, ...terms });
  const [gaveUp, releases]: [string[], Release[]] = [[], []];
  const ends = new AbortController();
  const take = async (holder: string, which = holder, may = () => true): Promise<void> => {
    const taken: { release?: Release } = {};
    const giveUp = () => {
      if (!may()) return false;
      gaveUp.push(which);
      // As a connection does, a moment later.
      setImmediate(() => taken.release?.());
      return true;
    };
    taken.release = await turns.take(holder, giveUp, ends.signal);
    releases.push(taken.release);
  };
  const end = () => {
    ends.abort();
    for (const release of releases) release();
    assert.deepEqual(turns.counts(), { working: 0, waiting: 0, holders: 0 });
  };
  return { turns, take, gaveUp, end };
}

test("where four hold all turns for good, a fifth gets the one that was held for longest, and no more than its part", async () => {
  const { turns, take, gaveUp, end } = ground();
  for (const holder of ["a", "b", "c", "d"]) {
    await take(holder, `${holder}1`);
    await take(holder, `${holder}2`);
  }
  await take("e");
  assert.deepEqual(gaveUp, ["a1"]);
  // With 2, 2, 2, 1, 1 nobody has two more than another.
  const more = [take("e"), take("a"), take("b")].map((one) => one.catch(() => undefined));
  await sleep(100);
  assert.deepEqual(gaveUp, ["a1"]);
  assert.equal(turns.counts().waiting, 3);
  end();
  await Promise.all(more);
});

test("whoever asks for many gets as many as the others have, and the rest waits", async () => {
  const { turns, take, gaveUp, end } = ground({ mostOfOne: 8 });
  for (let count = 0; count < 8; count++) await take("a", `a${count}`);
  const asked = Array.from({ length: 20 }, () => take("b").catch(() => undefined));
  await Promise.race(asked);
  for (let looks = 0; gaveUp.length < 4 && looks < 1_000; looks++) await sleep(5);
  await sleep(100);
  assert.deepEqual(gaveUp, ["a0", "a1", "a2", "a3"]);
  assert.equal(turns.counts().waiting, 16);
  end();
  await Promise.all(asked);
});

test("where each holds one, whoever has none gets the oldest that can be given up", async () => {
  const { take, gaveUp, end } = ground({ atOnce: 3 });
  await take("a", "a", () => false);
  await take("b");
  await take("c");
  await take("d");
  assert.deepEqual(gaveUp, ["b"]);
  end();
});

test("nothing is given up before its time, nor while a turn is left, nor to whoever has its own share", async () => {
  const early = ground({ atOnce: 1, mostOfOne: 1, keptMs: 60_000, waitMs: 100 });
  await early.take("a");
  await assert.rejects(early.take("b"), (fault: unknown) => fault instanceof ShareUsedUp && fault.whose === "all");
  assert.deepEqual(early.gaveUp, []);
  early.end();
  const own = ground({ waitMs: 100 });
  for (const holder of ["a", "a", "b"]) await own.take(holder);
  await assert.rejects(own.take("a"), (fault: unknown) => fault instanceof ShareUsedUp && fault.whose === "own");
  assert.deepEqual(own.gaveUp, []);
  own.end();
});
