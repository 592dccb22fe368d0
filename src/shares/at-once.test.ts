import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import fc from "fast-check";
import { atOnce } from "./at-once.ts";

const turnsOfTheLoop = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await turnOfTheLoop();
};

test("never more than so many are worked on at once, each is once, and results keep the order of the items", async () => {
  const items = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), items, async (most, turns) => {
      let [working, highest] = [0, 0];
      const results = await atOnce(most, turns.entries(), async ([index, count]) => {
        highest = Math.max(highest, ++working);
        await turnsOfTheLoop(count);
        working--;
        return index;
      });
      assert.deepEqual(results, [...turns.keys()]);
      assert.equal(highest, Math.min(most, turns.length));
    }),
    { numRuns: 100 },
  );
});

test("a fault is thrown when all that was begun has ended, and the others go on through the list", async () => {
  const done: string[] = [];
  const working = atOnce(2, ["fails", "slow", "next", "last"], async (item) => {
    if (item === "fails") throw new Error("one failed");
    await turnsOfTheLoop(item === "slow" ? 5 : 1);
    done.push(item);
  });
  await assert.rejects(working, /one failed/);
  assert.deepEqual(done, ["slow", "next", "last"]);
});

test("an item is asked for when there is room for it, so what is done may say whether there is more", async () => {
  let left = 5;
  const more = function* () {
    while (left > 0) yield left--;
  };
  const taken = await atOnce(2, more(), async (item) => {
    if (item === 3) left = 0;
    await turnOfTheLoop();
    return item;
  });
  assert.deepEqual(taken, [5, 4, 3]);
});
