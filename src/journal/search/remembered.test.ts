import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bitsBetween, pack } from "./block-set.ts";
import { Remembered } from "./remembered.ts";

/** Takes 200 bytes, and some for its place. */
const found = { upTo: 100, set: pack(bitsBetween(0, 1, 100)) };
const ROOM_FOR_TWO = 2_100;
const ROOM_FOR_EIGHT = 6_500;
const MINE = "mine";

function remembering(...filters: readonly string[]): Remembered {
  const remembered = new Remembered(ROOM_FOR_TWO);
  for (const filter of filters) remembered.learn(MINE, filter, remembered.recall(MINE, filter), 0, found);
  return remembered;
}
const knows = (remembered: Remembered, filter: string) => remembered.recall(MINE, filter).blocks.has(0);

describe("what was found", () => {
  test("is remembered", () => {
    const remembered = remembering("one");
    assert.equal(remembered.recall(MINE, "one").blocks.get(0), found);
    assert.equal(remembered.recall(MINE, "another").blocks.size, 0);
  });

  test("is forgotten when there is no room, what was not asked for longest first", () => {
    const remembered = remembering("one", "two");
    assert.ok(knows(remembered, "one"));
    remembered.learn(MINE, "three", remembered.recall(MINE, "three"), 0, found);
    assert.deepEqual(
      ["one", "two", "three"].map((filter) => knows(remembered, filter)),
      [true, false, true],
    );
  });

  test("of one merchant is not forgotten for a thousand filters of another", () => {
    const remembered = new Remembered(ROOM_FOR_EIGHT);
    const others = ["first", "second"];
    for (const merchant of others) remembered.learn(merchant, "a", remembered.recall(merchant, "a"), 0, found);
    for (let index = 0; index < 1_000; index++) {
      remembered.learn(MINE, `${index}`, remembered.recall(MINE, `${index}`), 0, found);
      assert.ok(remembered.bytes <= ROOM_FOR_EIGHT);
    }
    assert.deepEqual(
      others.map((merchant) => remembered.recall(merchant, "a").blocks.has(0)),
      [true, true],
    );
    assert.ok(knows(remembered, "999"), "the room that is left is the other's");
  });

  test("never takes more room than it may", () => {
    const remembered = new Remembered(ROOM_FOR_TWO);
    for (let index = 0; index < 1_000; index++) {
      remembered.learn(MINE, `${index % 7}`, remembered.recall(MINE, `${index % 7}`), index % 13, found);
      assert.ok(remembered.bytes <= ROOM_FOR_TWO);
    }
    for (let index = 0; index < 1_000; index++) {
      remembered.learnCount(MINE, `${index % 7}`, remembered.recall(MINE, `${index % 7}`), index % 101, index);
      assert.ok(remembered.bytes <= ROOM_FOR_TWO);
    }
  });

  test("takes no more room when it is learnt again", () => {
    const remembered = remembering("one");
    const known = remembered.recall(MINE, "one");
    remembered.learnCount(MINE, "one", known, 1, 7);
    const { bytes } = remembered;
    remembered.learn(MINE, "one", known, 0, found);
    remembered.learnCount(MINE, "one", known, 1, 7);
    assert.equal(remembered.bytes, bytes);
  });

  test("is still there for who is at work with it when it is forgotten", () => {
    const remembered = new Remembered(0);
    const known = remembered.recall(MINE, "one");
    remembered.learn(MINE, "one", known, 0, found);
    remembered.learnCount(MINE, "one", known, 1, 7);
    assert.equal(known.blocks.get(0), found);
    assert.equal(known.counts.get(1), 7);
    assert.equal(remembered.bytes, 0);
  });
});
