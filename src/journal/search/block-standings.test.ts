import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { BLOCK_SIZE, bitsOf, offsetsOf } from "./block-set.ts";
import { BlockStandings } from "./block-standings.ts";

const AS_OF = new Date("2031-05-03T12:00:00Z");
const LATER = new Date("2031-05-03T12:00:01Z");
const SETTLES = `sale ${Date.parse("2031-05-01T22:00:00Z")} ${Date.parse("2031-05-02T02:20:00Z")}`;
const STANDINGS = ["sale pending", "sale declined", "auth authorized,capture settled", SETTLES] as const;

const offset = fc.oneof(fc.nat(300), fc.constantFrom(255, 256, 511, 512, BLOCK_SIZE - 1), fc.nat(BLOCK_SIZE - 1));
const step = fc.oneof(
  fc.record({ learns: offset, standing: fc.constantFrom(...STANDINGS), passing: fc.boolean() }),
  fc.record({ changed: fc.array(offset, { maxLength: 5 }) }),
  fc.constant("is stored and loaded" as const),
);

/** What is not known of some of the offsets, as it says itself, so many at a time. */
function unknownOf(standings: BlockStandings, first: number, last: number): number[] {
  const found: number[] = [];
  for (let end = last; end >= first; ) {
    const some = standings.unknown(first, end, 100);
    found.push(...some);
    if (some.length < 100) break;
    end = (some.at(-1) ?? 0) - 1;
  }
  return found;
}

describe("standings of a block", () => {
  test("are what was learnt last and is neither changed since nor passing", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let standings = new BlockStandings(AS_OF);
        const known = new Map<number, { standing: string; passing: boolean }>();
        const forgetPassing = () => {
          for (const [offset, { passing }] of known) if (passing) known.delete(offset);
        };
        for (const step of steps) {
          if (step === "is stored and loaded") {
            forgetPassing();
            standings = new BlockStandings(AS_OF, standings.stored());
          } else if ("changed" in step) {
            forgetPassing();
            standings.outdate(bitsOf(step.changed), AS_OF);
            for (const offset of step.changed) known.delete(offset);
          } else if (!known.get(step.learns)?.passing) {
            standings.learn(step.learns, step.standing, step.passing);
            known.set(step.learns, step);
          }
          assert.equal(standings.unknown(BLOCK_SIZE - 1, BLOCK_SIZE - 1, 1).length, known.has(BLOCK_SIZE - 1) ? 0 : 1);
        }
        const having = (...wanted: readonly string[]) =>
          [...known]
            .flatMap(([offset, { standing }]) => (wanted.includes(standing) ? [offset] : []))
            .sort((a, b) => a - b);
        const found = (filter: Parameters<BlockStandings["fulfilling"]>[0]) => [
          ...offsetsOf(standings.fulfilling(filter)),
        ];
        assert.deepEqual(found({ type: "auth" }), having(STANDINGS[2]));
        assert.deepEqual(found({ status: { is: "settled", at: AS_OF } }), having(STANDINGS[2], SETTLES));
        assert.deepEqual(found({ type: "sale" }), having(STANDINGS[0], STANDINGS[1], SETTLES));
        const notKnown = Array.from({ length: 601 }, (_, nth) => 600 - nth).filter((offset) => !known.has(offset));
        assert.deepEqual(unknownOf(standings, 0, 600), notKnown);
      }),
    );
  });

  test("are stored with what somebody has, and no more than settled a day after", () => {
    const standings = new BlockStandings(AS_OF);
    standings.learn(7, "sale pending", false);
    standings.learn(7, SETTLES, false);
    standings.learn(9, SETTLES.replace("sale", "refund"), false);
    assert.deepEqual(standings.stored().standings, ["sale settled", "refund settled"]);
    const early = new BlockStandings(new Date("2031-05-03T02:19:59Z"));
    early.learn(7, SETTLES, false);
    assert.deepEqual(early.stored().standings, [SETTLES]);
  });

  test("of all to a block's end are known until one of them changes or passes, and of no more than were asked for", () => {
    const [from, end] = [BLOCK_SIZE - 300, BLOCK_SIZE - 1];
    const standings = new BlockStandings(AS_OF);
    for (let offset = from; offset <= end; offset++) standings.learn(offset, "sale declined", offset === end);
    const unknown = (first: number, last = end) => standings.unknown(first, last, 10);
    assert.deepEqual([unknown(from), unknown(from - 2), unknown(from)], [[], [from - 1, from - 2], []]);
    standings.outdate(undefined, LATER);
    assert.deepEqual(unknown(from), [end]);
    standings.learn(end, "sale declined", false);
    assert.deepEqual(unknown(from), []);
    standings.outdate(bitsOf([from + 7]), LATER);
    assert.deepEqual(unknown(from), [from + 7]);
    const small = new BlockStandings(AS_OF);
    small.learn(1, "sale declined", false);
    assert.deepEqual([small.unknown(1, 1, 10), small.unknown(1, 2, 10)], [[], [2]]);
  });

  test("are as of the latest instant before which all can be read", () => {
    const standings = new BlockStandings(AS_OF);
    standings.outdate(undefined, LATER);
    assert.deepEqual(standings.asOf, LATER);
    standings.outdate(undefined, AS_OF);
    assert.deepEqual(standings.stored().asOf, LATER);
    assert.deepEqual(new BlockStandings(AS_OF, standings.stored()).asOf, LATER);
  });

  test("may be others again and again, and take no more room for it", () => {
    const standings = new BlockStandings(AS_OF);
    const most = () => {
      for (let nth = 0; nth < 5_000; nth++) standings.learn(nth % 10, `sale ${nth} ${nth}`, false);
      standings.outdate(undefined, AS_OF);
      return standings.bytes;
    };
    const once = most();
    for (let time = 0; time < 20; time++) assert.equal(most(), once);
    assert.deepEqual([...offsetsOf(standings.fulfilling({ type: "sale" }))], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
