import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  type Bits,
  BLOCK_SIZE,
  bitsBetween,
  bitsOf,
  blockOf,
  both,
  countOf,
  EMPTY,
  either,
  firstOf,
  greatestOf,
  lastOf,
  offsetsOf,
  pack,
  unpack,
  without,
} from "./block-set.ts";

const offset = fc.integer({ min: 0, max: BLOCK_SIZE - 1 });
const edges = fc.constantFrom(0, 1, 31, 32, 63, 64, BLOCK_SIZE - 33, BLOCK_SIZE - 32, BLOCK_SIZE - 1);
const offsets = fc.uniqueArray(fc.oneof(offset, edges), { maxLength: 200 });
const contents = (bits: Bits) => [...offsetsOf(bits)];
const ascending = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);

describe("a set of numbers in a block", () => {
  test("gives back what was put in, in order, and knows how many there are", () => {
    fc.assert(
      fc.property(offsets, (some) => {
        assert.deepEqual(contents(bitsOf(some)), ascending(some));
        assert.equal(countOf(bitsOf(some)), some.length);
      }),
    );
  });

  test("is cut, joined and lessened as sets are", () => {
    fc.assert(
      fc.property(offsets, offsets, (one, other) => {
        const [a, b] = [new Set(one), new Set(other)];
        assert.deepEqual(contents(both(bitsOf(one), bitsOf(other))), ascending(a.intersection(b)));
        assert.deepEqual(contents(either(bitsOf(one), bitsOf(other))), ascending(a.union(b)));
        assert.deepEqual(contents(without(bitsOf(one), bitsOf(other))), ascending(a.difference(b)));
      }),
    );
  });

  test("tells its greatest, as many as are asked for after as many as are skipped", () => {
    const few = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(offsets, few, few, (some, skip, take) => {
        const descending = ascending(some).reverse();
        assert.deepEqual(greatestOf(bitsOf(some), skip, take), descending.slice(skip, skip + take));
      }),
    );
    assert.deepEqual(greatestOf(bitsBetween(0, 0, BLOCK_SIZE - 1), BLOCK_SIZE - 2, 50), [1, 0]);
  });

  test("holds of a range of numbers what is in its block", () => {
    const number = fc.oneof(
      fc.integer({ min: -10, max: 4 * BLOCK_SIZE }),
      edges.map((n) => n + BLOCK_SIZE),
    );
    fc.assert(
      fc.property(number, number, fc.integer({ min: 0, max: 3 }), (first, last, block) => {
        const [from, to] = [Math.max(first, firstOf(block)), Math.min(last, lastOf(block))];
        const bits = bitsBetween(block, first, last);
        assert.equal(countOf(bits), Math.max(to - from + 1, 0));
        const found = offsetsOf(bits);
        if (from <= to) assert.deepEqual([found[0], found.at(-1)], [from - firstOf(block), to - firstOf(block)]);
      }),
    );
  });

  for (const count of [0, 1, 4_096, 4_097, BLOCK_SIZE]) {
    test(`is the same after it was packed with ${count} numbers`, () => {
      const bits = bitsBetween(0, 0, count - 1);
      const packed = pack(bits);
      assert.equal(packed.count, count);
      assert.deepEqual(unpack(packed), bits);
      assert.ok(packed.content.byteLength <= BLOCK_SIZE / 8);
    });
  }

  test("that is empty takes no room", () => assert.equal(pack(bitsOf([])), EMPTY));

  test("is found for numbers beyond 32 bits", () => {
    const number = 2 ** 45 + 5;
    assert.equal(blockOf(number), 2 ** 29);
    assert.deepEqual(contents(bitsBetween(blockOf(number), number, number)), [5]);
  });
});
