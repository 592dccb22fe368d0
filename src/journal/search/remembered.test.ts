import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bitsBetween, pack } from "./block-set.ts";
import { Remembered } from "./remembered.ts";

/** Takes 200 bytes, and some for its place. */
const found = { upTo: 100, set: pack(bitsBetween(0, 1, 100)) };
const ROOM_FOR_TWO = 1_800;

function remembering(...filters: readonly string[]): Remembered {
  const remembered = new Remembered(ROOM_FOR_TWO);
  for (const filter of filters) remembered.learn(filter, remembered.recall(filter), 0, found);
  return remembered;
}
const knows = (remembered: Remembered, filter: string) => remembered.recall(filter).has(0);

describe("what was found", () => {
  test("is remembered", () => {
    const remembered = remembering("one");
    assert.equal(remembered.recall("one").get(0), found);
    assert.equal(remembered.recall("another").size, 0);
  });

  test("is forgotten when there is no room, what was not asked for longest first", () => {
    const remembered = remembering("one", "two");
    assert.ok(knows(remembered, "one"));
    remembered.learn("three", remembered.recall("three"), 0, found);
    assert.deepEqual(
      ["one", "two", "three"].map((filter) => knows(remembered, filter)),
      [true, false, true],
    );
  });

  test("never takes more room than it may", () => {
    const remembered = new Remembered(ROOM_FOR_TWO);
    for (let index = 0; index < 1_000; index++) {
      remembered.learn(`${index % 7}`, remembered.recall(`${index % 7}`), index % 13, found);
      assert.ok(remembered.bytes <= ROOM_FOR_TWO);
    }
  });

  test("takes no more room when it is learnt again", () => {
    const remembered = remembering("one");
    const { bytes } = remembered;
    remembered.learn("one", remembered.recall("one"), 0, found);
    assert.equal(remembered.bytes, bytes);
  });

  test("is still there for who is at work with it when it is forgotten", () => {
    const remembered = new Remembered(0);
    const known = remembered.recall("one");
    remembered.learn("one", known, 0, found);
    assert.equal(known.get(0), found);
    assert.equal(remembered.bytes, 0);
  });
});
