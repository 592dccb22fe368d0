import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import fc from "fast-check";
import { fairTurns, type Release, ShareUsedUp, type TurnBounds, takeWithin } from "./turns.ts";

const WIDE = { atOnce: 1, mostOfOne: 1, mostWaiting: 1_000, mostWaitingOfOne: 1_000 };

/** Asks for a turn of each of these holders in order, works one after the other, and says who worked when. */
async function servedInOrder(bounds: TurnBounds, asked: readonly string[]): Promise<string[]> {
  const turns = fairTurns(bounds);
  const served: string[] = [];
  await Promise.all(
    asked.map(async (holder) => {
      const release = await turns.take(holder);
      served.push(holder);
      await turnOfTheLoop();
      release();
    }),
  );
  assert.deepEqual(turns.counts(), { working: 0, waiting: 0, holders: 0 });
  return served;
}

test("turns go round among the holders, whoever asked for more", async () => {
  assert.deepEqual(await servedInOrder(WIDE, ["a", "a", "a", "a", "b", "c", "b"]), ["a", "b", "c", "a", "b", "a", "a"]);
});

test("a turn that is free is taken at once, and none in front of those who wait", async () => {
  const turns = fairTurns({ ...WIDE, atOnce: 2, mostOfOne: 1 });
  const first = turns.takeFree("a");
  assert.ok(first);
  assert.equal(turns.takeFree("a"), undefined);
  const second = turns.takeFree("b");
  assert.ok(second);
  const waits = turns.take("c");
  assert.equal(turns.takeFree("d"), undefined);
  second();
  assert.equal(turns.takeFree("d"), undefined);
  (await waits)();
  first();
  assert.deepEqual(turns.counts(), { working: 0, waiting: 0, holders: 0 });
});

test("one holder never has more than its share, and others work beside it", async () => {
  const turns = fairTurns({ ...WIDE, atOnce: 3, mostOfOne: 2 });
  const [first] = await Promise.all([turns.take("a"), turns.take("a")]);
  let third = false;
  const waits = turns.take("a").then((release) => {
    third = true;
    release();
  });
  (await turns.take("b"))();
  assert.equal(third, false);
  first();
  await waits;
});

test("who waits beyond the bounds is refused, by its own share before everybody's", async () => {
  const turns = fairTurns({ atOnce: 1, mostOfOne: 1, mostWaiting: 3, mostWaitingOfOne: 2 });
  const release = await turns.take("a");
  const waiting = [turns.take("a"), turns.take("a"), turns.take("b")];
  const whose = (fault: unknown) => (fault instanceof ShareUsedUp ? fault.whose : String(fault));
  assert.equal(await turns.take("a").catch(whose), "own");
  assert.equal(await turns.take("c").catch(whose), "all");
  assert.deepEqual(turns.counts(), { working: 1, waiting: 3, holders: 2 });
  release();
  await Promise.all(waiting.map(async (one) => (await one)()));
});

test("who leaves the queue takes nobody's turn", async () => {
  const turns = fairTurns(WIDE);
  const release = await turns.take("a");
  const leaving = new AbortController();
  const left = turns.take("b", leaving.signal).catch((reason: unknown) => reason);
  const stays = turns.take("c");
  leaving.abort("gone");
  assert.equal(await left, "gone");
  release();
  (await stays)();
  await assert.rejects(turns.take("a", AbortSignal.abort(new Error("gone before"))), /gone before/);
  assert.deepEqual(turns.counts(), { working: 0, waiting: 0, holders: 0 });
});

test("a turn that is given back twice counts once", async () => {
  const turns = fairTurns(WIDE);
  const release = await turns.take("a");
  release();
  release();
  const again = await turns.take("a");
  assert.equal(turns.counts().working, 1);
  again();
});

test("however works come, end and leave: the bounds hold, nobody is forgotten, and no holder is passed over", async () => {
  const bounds = fc.record({ atOnce: fc.integer({ min: 1, max: 5 }), mostOfOne: fc.integer({ min: 1, max: 5 }) });
  const step = fc.record({
    what: fc.constantFrom("ask", "ask", "end", "leave"),
    holder: fc.constantFrom("a", "b", "c", "d"),
    which: fc.nat(20),
  });
  await fc.assert(fc.asyncProperty(bounds, fc.array(step, { maxLength: 80 }), bears), { numRuns: 300 });
});

interface Step {
  readonly what: string;
  readonly holder: string;
  readonly which: number;
}

async function bears({ atOnce, mostOfOne }: Pick<TurnBounds, "atOnce" | "mostOfOne">, steps: readonly Step[]) {
  const turns = fairTurns({ atOnce, mostOfOne, mostWaiting: 1_000, mostWaitingOfOne: 1_000 });
  const working: { holder: string; release: Release }[] = [];
  const waiting = new Map<AbortController, string>();
  /** How often others were served since a holder began to wait, while it had less than its share. */
  const passedOver = new Map<string, number>();
  const ask = (holder: string) => {
    const leaving = new AbortController();
    waiting.set(leaving, holder);
    turns.take(holder, leaving.signal).then(
      (release) => {
        waiting.delete(leaving);
        working.push({ holder, release });
        passedOver.set(holder, 0);
        for (const other of new Set(waiting.values()))
          if (other !== holder && shareOf(other) < mostOfOne) passedOver.set(other, (passedOver.get(other) ?? 0) + 1);
      },
      () => undefined,
    );
  };
  const shareOf = (holder: string) => working.filter((one) => one.holder === holder).length;
  const holds = async () => {
    await turnOfTheLoop();
    assert.ok(working.length <= atOnce);
    for (const holder of "abcd") {
      assert.ok(shareOf(holder) <= mostOfOne);
      // With four holders, at most three others come first.
      assert.ok((passedOver.get(holder) ?? 0) <= 3);
      const waits = [...waiting.values()].includes(holder);
      if (!waits) passedOver.set(holder, 0);
      // Nobody waits while there is room.
      assert.ok(!waits || working.length === atOnce || shareOf(holder) === mostOfOne);
    }
    assert.equal(turns.counts().working, working.length);
    assert.equal(turns.counts().waiting, waiting.size);
  };
  for (const { what, holder, which } of steps) {
    if (what === "ask") ask(holder);
    else if (what === "end") working.splice(which % Math.max(working.length, 1), 1)[0]?.release();
    else {
      const [leaving] = [...waiting.keys()].slice(which % Math.max(waiting.size, 1));
      leaving?.abort();
      if (leaving) waiting.delete(leaving);
    }
    await holds();
  }
  while (working.length > 0) {
    working.pop()?.release();
    await holds();
  }
  assert.deepEqual(turns.counts(), { working: 0, waiting: 0, holders: 0 });
}

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
