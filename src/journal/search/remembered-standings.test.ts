import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BlockStandings } from "./block-standings.ts";
import { type KnownStandings, RememberedStandings } from "./remembered-standings.ts";

const AS_OF = new Date("2031-05-03T12:00:00Z");
/** For three small merchants. */
const ROOM = 2_100;

async function learn(memory: RememberedStandings, merchantId: string): Promise<void> {
  await memory.alone({}, merchantId, 1, async (known) => {
    const standings = new BlockStandings(AS_OF);
    standings.learn(1, "sale declined", false);
    known.set(0, standings);
  });
}
const knows = (memory: RememberedStandings, merchantId: string, version = 1) =>
  memory.alone({}, merchantId, version, async (known) => known.has(0));

describe("standings that were learnt", () => {
  test("are remembered, and anew for another version of what is archived", async () => {
    const memory = new RememberedStandings();
    await learn(memory, "one");
    assert.ok(await knows(memory, "one"));
    assert.ok(!(await knows(memory, "one", 2)));
    assert.ok(!(await knows(memory, "one")));
  });

  test("never take more room than they may: who did not ask for longest is forgotten", async () => {
    const memory = new RememberedStandings(ROOM);
    for (const merchant of ["one", "two", "three"]) await learn(memory, merchant);
    assert.ok(await knows(memory, "one"));
    await learn(memory, "four");
    assert.ok(memory.bytes <= ROOM);
    assert.ok(await knows(memory, "one"));
    assert.ok(!(await knows(memory, "two")));
  });

  test("are one's alone while one works on them, and the next one's when that fails", async () => {
    const memory = new RememberedStandings();
    const seen: string[] = [];
    const works = (name: string, merchantId: string, fails = false) =>
      memory.alone({}, merchantId, 1, async (known: KnownStandings) => {
        seen.push(`${name} begins`);
        await new Promise(setImmediate);
        known.set(7, new BlockStandings(AS_OF));
        seen.push(`${name} ends`);
        if (fails) throw new Error("broken");
      });
    const [failed, ...others] = await Promise.allSettled([
      works("first", "one", true),
      works("second", "one"),
      works("another's", "two"),
    ]);
    assert.deepEqual([failed.status, ...others.map(({ status }) => status)], ["rejected", "fulfilled", "fulfilled"]);
    const ofOne = seen.filter((what) => !what.startsWith("another"));
    assert.deepEqual(ofOne, ["first begins", "first ends", "second begins", "second ends"]);
    assert.ok(seen.indexOf("another's begins") < seen.indexOf("second begins"));
  });
});
