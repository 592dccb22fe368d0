import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { type HolderCount, type SharedCounts, sharedCounts, type Tell } from "./shared-counts.ts";

const MINUTE_MS = 60_000;

/** What the database does: adds up, and begins a new minute when the old one is over. */
function table(nowMs: () => number, turns: () => number = () => 1) {
  const rows = new Map<string, { sinceMs: number; count: number }>();
  let writes = 0;
  const tell: Tell = async (counts) => {
    for (let left = turns(); left > 0; left--) await turn();
    const known = counts.map(({ holder, count, ageMs }) => {
      const before = rows.get(holder);
      const goesOn = before !== undefined && nowMs() - before.sinceMs < MINUTE_MS;
      const row = goesOn
        ? { sinceMs: before.sinceMs, count: before.count + count }
        : { sinceMs: nowMs() - ageMs, count };
      rows.set(holder, row);
      writes += 1;
      return { holder, count: row.count, ageMs: nowMs() - row.sinceMs };
    });
    for (let left = turns(); left > 0; left--) await turn();
    return known;
  };
  return { tell, writes: () => writes };
}

/** Nodes that know of each other. */
async function nodesOn(tell: Tell, count: number, nowMs: () => number): Promise<SharedCounts[]> {
  const nodes = Array.from({ length: count }, () => sharedCounts(tell, nowMs));
  for (const node of nodes) await node.tell(count - 1);
  return nodes;
}

const nthOf = async (counts: SharedCounts, most: number, holder = "a"): Promise<number> =>
  (await counts.count(holder, most)).nth;

test("a node that is alone tells nobody, and its minute begins with the first that is counted", async () => {
  let nowMs = 5_000;
  const told: HolderCount[] = [];
  const counts = sharedCounts(
    async (some) => {
      told.push(...some);
      return some;
    },
    () => nowMs,
  );
  const counted = [];
  for (const atMs of [5_000, 5_000, 64_999, 65_000]) {
    nowMs = atMs;
    counted.push(counts.count("a", 2));
    await counts.tell(0);
  }
  assert.deepEqual(counted, [
    { nth: 1, leftMs: 60_000 },
    { nth: 2, leftMs: 60_000 },
    { nth: 3, leftMs: 1 },
    { nth: 1, leftMs: 60_000 },
  ]);
  assert.deepEqual(told, []);
});

test("what one node has counted, another knows when both have told, with the time that is left", async () => {
  let nowMs = 0;
  const [one, two] = (await nodesOn(table(() => nowMs).tell, 2, () => nowMs)) as [SharedCounts, SharedCounts];
  for (let nth = 1; nth <= 40; nth++) assert.equal(await nthOf(one, 1_000), nth);
  nowMs = 10_000;
  await one.tell(1);
  assert.deepEqual(await two.count("a", 1_000), { nth: 1, leftMs: 60_000 });
  await two.tell(1);
  assert.deepEqual(await two.count("a", 1_000), { nth: 42, leftMs: 50_000 });
  nowMs = 60_000;
  assert.deepEqual(await two.count("a", 1_000), { nth: 1, leftMs: 60_000 });
});

test("when a second node comes, the first tells all that it has counted of the minute", async () => {
  const nowMs = () => 0;
  const { tell } = table(nowMs);
  const [one, two] = [sharedCounts(tell, nowMs), sharedCounts(tell, nowMs)];
  for (let nth = 1; nth <= 90; nth++) await one.count("a", 100);
  await one.tell(1);
  await two.tell(1);
  const passed = await Promise.all(Array.from({ length: 50 }, () => nthOf(two, 100)));
  assert.equal(passed.filter((nth) => nth <= 100).length, 10);
});

test("of a small limit not one more passes, however many ask on both nodes at once", async () => {
  for (const most of [1, 3, 19]) {
    const nodes = await nodesOn(table(() => 0).tell, 2, () => 0);
    const answers = Array.from({ length: 60 }, (_, nth) => nthOf(nodes[nth % 2] as SharedCounts, most));
    const passed = (await Promise.all(answers)).filter((nth) => nth <= most);
    assert.deepEqual(
      passed.toSorted((a, b) => a - b),
      Array.from({ length: most }, (_, nth) => nth + 1),
    );
  }
});

test("on any number of nodes, of a burst as many pass as may, and a tenth more at most", async () => {
  const scene = fc.record({
    nodes: fc.integer({ min: 2, max: 6 }),
    most: fc.integer({ min: 1, max: 400 }),
    // Which node is asked next, or tells of itself, and how slow the database is.
    steps: fc.infiniteStream(fc.nat(1_000)),
  });
  await fc.assert(
    fc.asyncProperty(scene, async ({ nodes: count, most, steps }) => {
      const next = () => steps.next().value ?? 0;
      const nodes = await nodesOn(
        table(
          () => 0,
          () => next() % 4,
        ).tell,
        count,
        () => 0,
      );
      const answers: Promise<number>[] = [];
      for (let nth = 0; nth < 2 * most + 50; nth++) {
        const step = next();
        const node = nodes[step % count] as SharedCounts;
        answers.push(nthOf(node, most));
        if (step % 10 === 0) void node.tell(count - 1);
        if (step % 7 === 0) await turn();
      }
      const passed = (await Promise.all(answers)).filter((nth) => nth <= most).length;
      assert.ok(passed >= most && passed <= most * 1.1, `${passed} of ${most}`);
    }),
    { numRuns: 60 },
  );
});

test("a burst up to the limit is told in some twenty steps, and what is refused after it is not told at all", async () => {
  const { tell, writes } = table(() => 0);
  const [one] = (await nodesOn(tell, 2, () => 0)) as [SharedCounts];
  for (let nth = 0; nth < 1_000; nth++) await one.count("a", 1_000);
  assert.ok(writes() <= 21, `${writes()}`);
  await one.tell(1);
  const before = writes();
  for (let nth = 0; nth < 1_000; nth++) assert.equal(await nthOf(one, 1_000), 1_001);
  await one.tell(1);
  assert.equal(writes(), before);
});

test("while the others cannot be asked, a node goes by what it counts itself, and tells it later", async () => {
  let broken = false;
  const { tell } = table(() => 0);
  const [one, two] = (await nodesOn(
    async (some) => {
      if (broken) throw new Error("the database is away");
      return tell(some);
    },
    2,
    () => 0,
  )) as [SharedCounts, SharedCounts];
  broken = true;
  const passed = [];
  for (let nth = 0; nth < 30; nth++) passed.push((await nthOf(one, 19)) <= 19);
  assert.equal(passed.filter(Boolean).length, 19);
  await assert.rejects(one.tell(1));
  broken = false;
  await one.tell(1);
  assert.ok((await nthOf(two, 19)) > 19);
});

test("nobody waits longer than a second for the others", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const silent = Promise.withResolvers<readonly HolderCount[]>();
  const one = sharedCounts(
    () => silent.promise,
    () => 0,
  );
  await one.tell(1);
  const first = nthOf(one, 3);
  await turn();
  t.mock.timers.tick(1_000);
  assert.equal(await first, 1);
  assert.deepEqual([await nthOf(one, 3), await nthOf(one, 3), await nthOf(one, 3)], [2, 3, 4]);
  silent.resolve([{ holder: "a", count: 1, ageMs: 0 }]);
  await turn();
  assert.equal(await nthOf(one, 3), 4);
});

test("nor does who comes while the others are asked and do not answer", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const one = sharedCounts(
    () => new Promise(() => undefined),
    () => 0,
  );
  await one.tell(1);
  const first = nthOf(one, 3);
  await turn();
  const [second, other] = [nthOf(one, 3), nthOf(one, 3, "b")];
  await turn();
  t.mock.timers.tick(1_000);
  assert.deepEqual(await Promise.all([first, second, other]), [1, 2, 1]);
});

test("nor does anybody of more holders than are told at once", async () => {
  const nodes = await nodesOn(
    async () => {
      throw new Error("the database is away");
    },
    1,
    () => 0,
  );
  const [one] = nodes as [SharedCounts];
  await one.tell(1);
  const counted = await Promise.all(Array.from({ length: 1_500 }, (_, nth) => nthOf(one, 3, `holder ${nth}`)));
  assert.ok(counted.every((nth) => nth === 1));
});

test("of too many holders the one that was first is forgotten, and who waits for its count goes on", async () => {
  const silent: Tell = () => new Promise(() => undefined);
  const counts = sharedCounts(silent, () => 0, 1);
  await counts.tell(1);
  const waits = nthOf(counts, 1);
  const later = nthOf(counts, 1);
  void counts.count("b", 100);
  assert.deepEqual([await waits, await later], [1, 2]);
});
