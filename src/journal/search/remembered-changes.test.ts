import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RememberedChanges } from "./remembered-changes.ts";

const SETTLED = new Date("2031-05-01T12:00:00Z");
/** For three small merchants. */
const ROOM = 6_000;

function learn(memory: RememberedChanges, merchantId: string, most: number): boolean {
  const known = memory.recall(merchantId, 1, SETTLED);
  known.changes.put(most, 7);
  return memory.makeRoom(merchantId, known, 0);
}
const knows = (memory: RememberedChanges, merchantId: string) =>
  memory.recall(merchantId, 1, SETTLED).changes.bytes > 0;

describe("changes that were read", () => {
  test("are remembered, and anew for another version of what is archived", () => {
    const memory = new RememberedChanges();
    assert.ok(learn(memory, "one", 1));
    assert.equal(memory.recall("one", 1, SETTLED), memory.recall("one", 1, new Date()));
    assert.equal(memory.recall("one", 2, SETTLED).changes.bytes, 0);
  });

  test("never take more room than they may: who did not ask for longest is forgotten", () => {
    const memory = new RememberedChanges(ROOM);
    for (const merchant of ["one", "two", "three"]) assert.ok(learn(memory, merchant, 1));
    assert.ok(knows(memory, "one"));
    assert.ok(learn(memory, "four", 1));
    assert.ok(memory.bytes <= ROOM);
    assert.deepEqual(
      ["one", "three", "four"].map((merchant) => knows(memory, merchant)),
      [true, true, true],
    );
    assert.ok(!knows(memory, "two"));
  });

  test("that are too many for one merchant are not tried again", () => {
    const memory = new RememberedChanges(ROOM);
    assert.ok(!memory.hasRoomFor(2_000));
    assert.ok(!learn(memory, "one", 2_000));
    assert.ok(memory.bytes <= ROOM);
    assert.equal(memory.recall("one", 1, SETTLED).tooMuchSinceMs, 0);
  });
});
