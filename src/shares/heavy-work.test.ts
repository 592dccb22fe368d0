import assert from "node:assert/strict";
import { test } from "node:test";
import { heavyWork } from "./heavy-work.ts";
import { ShareUsedUp } from "./turns.ts";

const WIDE = { atOnce: 1, mostOfOne: 1, mostWaiting: 100, mostWaitingOfOne: 100 };

function holdTheLoop(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("heavy work is done one piece at a time, by turns of the holders, and the loop is free between", async () => {
  const turn = heavyWork(WIDE);
  const done: string[] = [];
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 1);
  let ticksBefore = -1;
  await Promise.all(
    ["a", "a", "a", "b"].map(async (holder) => {
      await turn(holder);
      assert.ok(ticks > ticksBefore, "nothing else came between two pieces");
      holdTheLoop(5);
      ticksBefore = ticks;
      done.push(holder);
    }),
  );
  clearInterval(ticking);
  assert.deepEqual(done, ["a", "b", "a", "a"]);
});

test("who has too much waiting is refused", async () => {
  const turn = heavyWork({ ...WIDE, mostWaitingOfOne: 1 });
  const all = ["a", "a", "a", "b"].map((holder) => turn(holder).catch((fault: unknown) => fault));
  const [first, second, third, other] = await Promise.all(all);
  assert.deepEqual([first, second, other], [undefined, undefined, undefined]);
  assert.ok(third instanceof ShareUsedUp && third.whose === "own");
});
