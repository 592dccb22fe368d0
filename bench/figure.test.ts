import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Figure, met, shownRatio, tableOf, worse } from "./figure.ts";
import { replaceMarked } from "./marked.ts";

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

  test("a figure is told as times the bare server's of its run, a share or a ratio is not", () => {
    assert.equal(shownRatio({ ...time(5), bare: 2 }), "2.5×");
    assert.equal(shownRatio({ ...rate(100), bare: 800 }), "0.13×");
    assert.equal(shownRatio({ ...rate(100), bare: 0.5 }), "200×");
    assert.equal(shownRatio(rate(100)), "");
  });

  test("on a host of another speed only the ratio to the bare server tells what got worse", () => {
    const of = (figure: Figure, bare: number): Figure => ({ ...figure, bare });
    const twiceAsSlow = [of(rate(100), 500), of(time(8), 2)];
    assert.deepEqual(worse([of(rate(200), 1_000), of(time(4), 1)], twiceAsSlow), []);
    assert.deepEqual(
      worse([of(rate(200), 1_000), of(time(4), 1)], [of(rate(200), 2_000), of(time(4), 0.5)]).map(
        ({ worseBy }) => worseBy,
      ),
      [1, 1],
    );
    // An earlier result may have none.
    assert.equal(worse([rate(200)], [of(rate(100), 500)])[0]?.worseBy, 1);
  });

  test("the table of a page has ratio and target, and what was met in bold", () => {
    assert.deepEqual(
      tableOf([
        { ...rate(1_234), bare: 10_000 },
        { ...time(6), what: "  p99" },
      ]).slice(2),
      ["| rate | **1,234/s** | 0.12× | at least 100 |", "| – p99 | 6.0 ms |  | at most 5 |"],
    );
  });
});

test("a command replaces its own part of a page, and nothing else", () => {
  const page = "before\n<!-- table -->\nold\n<!-- /table -->\nafter\n";
  assert.equal(replaceMarked(page, "table", "new"), page.replace("old", "new"));
  assert.equal(replaceMarked(replaceMarked(page, "table", "$& new\nlines"), "table", "old"), page);
  for (const wrong of ["", "<!-- table -->\n", "\n<!-- /table -->\n<!-- table -->\n", page.replace("/table", "/other")])
    assert.throws(() => replaceMarked(wrong, "table", "new"), /no place/);
});
