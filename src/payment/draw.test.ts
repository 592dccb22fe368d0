import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chiSquare, MOST_BY_CHANCE } from "../../test/chi-square.ts";
import { chancesOf, drawInOrder, shareOf, type Weighted } from "./draw.ts";

const idOf = (nth: number) => `01970000-0000-7000-8000-${nth.toString(16).padStart(12, "0")}`;
const ids = (count: number) => Array.from({ length: count }, (_, nth) => idOf(nth));
const weigh = (weights: Readonly<Record<string, number>>): Weighted<string>[] =>
  Object.entries(weights).map(([item, weight]) => ({ item, weight }));
const orderOf = (weighted: readonly Weighted<string>[], id: string) => drawInOrder(weighted, chancesOf(id)).join("");

describe("the draw follows from the transaction's id", () => {
  const weighted = weigh({ a: 2, b: 3, c: 5 });

  test("and is the same each time", () => {
    for (const id of ids(20)) assert.equal(orderOf(weighted, id), orderOf(weighted, id));
  });

  test("so it stays what it was: the chances of an id that is written down here", () => {
    const chance = chancesOf("01a1fc7d-b47f-70b6-a2c5-212bb93b73b7");
    assert.deepEqual([chance(), chance(), chance()], [0.028757967054843903, 0.381766990525648, 0.8683657876681536]);
  });

  test("and not the same for all", () => {
    assert.equal(new Set(ids(200).map((id) => orderOf(weighted, id))).size, 6);
  });

  test("its chances are from 0 up to 1, and evenly spread", () => {
    const chances = ids(1_000).flatMap((id) => {
      const chance = chancesOf(id);
      return [chance(), chance(), chance()];
    });
    assert.ok(chances.every((chance) => chance >= 0 && chance < 1));
    const tenths = Array.from({ length: 10 }, (_, tenth) => chances.filter((one) => Math.floor(one * 10) === tenth));
    const seen = tenths.map(({ length }) => length);
    assert.ok(
      chiSquare(
        seen,
        tenths.map(() => 300),
      ) < MOST_BY_CHANCE[9],
      String(seen),
    );
  });
});

describe("weights", () => {
  const DRAWS = 6_000;

  test("who comes first, and who comes second after whom, is as often as the weights say", () => {
    const weights = { a: 1, b: 2, c: 3 };
    const orders = ids(DRAWS).map((id) => orderOf(weigh(weights), id));
    const expected = { abc: 2 / 30, acb: 3 / 30, bac: 2 / 24, bca: 6 / 24, cab: 3 / 18, cba: 6 / 18 };
    const seen = Object.keys(expected).map((order) => orders.filter((one) => one === order).length);
    const most = Object.values(expected).map((share) => share * DRAWS);
    assert.ok(chiSquare(seen, most) < MOST_BY_CHANCE[5], String(seen));
  });

  test("the test itself would notice other weights", () => {
    const orders = ids(DRAWS).map((id) => orderOf(weigh({ a: 1, b: 2, c: 4 }), id));
    const first = ["a", "b", "c"].map((one) => orders.filter((order) => order.startsWith(one)).length);
    assert.ok(chiSquare(first, [DRAWS / 6, DRAWS / 3, DRAWS / 2]) > MOST_BY_CHANCE[2], String(first));
  });

  test("what has none comes after all that have one, in the order in which it was given", () => {
    for (const id of ids(50)) assert.match(orderOf(weigh({ x: 0, a: 1, y: 0, b: 1 }), id), /^(ab|ba)xy$/);
    assert.equal(orderOf(weigh({ x: 0, y: 0, z: 0 }), "any"), "xyz");
  });

  test("a chance just below one draws the last that has a weight", () => {
    const order = drawInOrder(weigh({ a: 1, b: 999, x: 0 }), () => 1 - Number.EPSILON / 2);
    assert.deepEqual(order, ["b", "a", "x"]);
  });

  test("a share is a weight's part of all", () => {
    const all = weigh({ a: 1, b: 3, x: 0 });
    assert.deepEqual(
      all.map((one) => shareOf(one, all)),
      [0.25, 0.75, 0],
    );
    const none = weigh({ x: 0, y: 0 });
    assert.deepEqual(
      none.map((one) => shareOf(one, none)),
      [1, 0],
    );
  });
});
