import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Figure, met, worse } from "./figure.ts";

const rate = (value: number): Figure => ({ what: "rate", value, unit: "/s", better: "more", target: { least: 100 } });
const time = (value: number): Figure => ({ what: "time", value, unit: "ms", better: "less", target: { most: 5 } });

describe("figures of a measurement", () => {
  test("a rate is to be at least its target, a time at most", () => {
    assert.equal(met(rate(100)), true);
    assert.equal(met(rate(99)), false);
    assert.equal(met(time(5)), true);
    assert.equal(met(time(5.1)), false);
  });

  test("what got a tenth worse is told, the worst first", () => {
    const changes = worse([rate(200), time(4)], [rate(160), time(6)]);
    assert.deepEqual(
      changes.map(({ what, worseBy }) => [what, Number(worseBy.toFixed(2))]),
      [
        ["time", 0.5],
        ["rate", 0.25],
      ],
    );
  });

  test("what is better, or differs by less, is not told; nor what was not measured before", () => {
    assert.deepEqual(worse([rate(200), time(4)], [rate(190), time(2)]), []);
    assert.deepEqual(worse([], [rate(1)]), []);
  });
});
