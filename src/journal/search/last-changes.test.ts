import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { BLOCK_SIZE, bitsOf, firstOf, offsetsOf } from "./block-set.ts";
import { LastChanges } from "./last-changes.ts";
import type { NumberSet } from "./number-set.ts";

const number = fc.oneof(
  fc.constantFrom(1, 255, 256, BLOCK_SIZE - 1, BLOCK_SIZE, 2 * BLOCK_SIZE - 1),
  fc.integer({ min: 1, max: 2 * BLOCK_SIZE - 1 }),
);
const second = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(0xffff_ffff));
const limit = fc.integer({ min: 0, max: 10 });
const numbersOf = (set: NumberSet) =>
  [0, 1].flatMap((block) => [...offsetsOf(set.bits(block))].map((offset) => firstOf(block) + offset));

describe("the last changes of a merchant's transactions", () => {
  test("tell what a plain search would find in any period and after it, in whatever order they were learnt", () => {
    const changes = fc.array(fc.tuple(number, second), { maxLength: 60 });
    fc.assert(
      fc.property(changes, limit, limit, (learnt, from, before) => {
        const known = new LastChanges();
        const last = new Map<number, number>();
        for (const [one, at] of learnt) {
          known.put(one, at);
          last.set(one, Math.max(at, last.get(one) ?? 0));
        }
        const changed = (holds: (at: number) => boolean) =>
          [...last].flatMap(([one, at]) => (holds(at) ? [one] : [])).sort((a, b) => a - b);
        const end = Math.max(from, before);
        const { inside, after } = known.in(from, end);
        assert.deepEqual(
          numbersOf(inside),
          changed((at) => from <= at && at < end),
        );
        assert.deepEqual(
          numbersOf(after),
          changed((at) => at >= end),
        );
        const since = [0, 1].flatMap((nth) =>
          [...offsetsOf(known.since(nth, from) ?? bitsOf([]))].map((offset) => firstOf(nth) + offset),
        );
        assert.deepEqual(
          since,
          changed((at) => at >= from),
        );
      }),
    );
  });

  test("tell which transactions have a follow-up of a type, among others", () => {
    const followUps = fc.array(fc.tuple(number, fc.integer({ min: 0, max: 7 })), { maxLength: 60 });
    fc.assert(
      fc.property(followUps, fc.constantFrom(1, 2, 4), (learnt, bit) => {
        const known = new LastChanges();
        for (const [one, types] of learnt) known.put(one, 7, types);
        const having = learnt.flatMap(([one, types]) => ((types & bit) > 0 ? [one] : []));
        assert.deepEqual(
          numbersOf(known.having(bit)),
          [...new Set(having)].sort((a, b) => a - b),
        );
      }),
    );
  });

  test("stay as they were told while others are learnt", () => {
    const known = new LastChanges();
    known.put(1, 5);
    const { inside } = known.in(1, 9);
    known.put(2, 5);
    assert.deepEqual(numbersOf(inside), [1]);
    assert.deepEqual([...offsetsOf(known.since(0, 5) ?? bitsOf([]))], [1, 2]);
    assert.equal(known.since(0, 6), undefined);
  });

  test("take five bytes for each transaction, and little more than a kilobyte of a small merchant's", () => {
    const known = new LastChanges();
    known.put(1, 1);
    assert.equal(known.bytes, 1_280);
    for (let one = 1; one < 2 * BLOCK_SIZE; one++) known.put(one, 1);
    assert.equal(known.bytes, 10 * BLOCK_SIZE);
  });
});
