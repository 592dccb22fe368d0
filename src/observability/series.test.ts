import assert from "node:assert/strict";
import { test } from "node:test";
import { boundedSeries, codeLabel, type Labels } from "./series.ts";

const keyed = (labels: Labels) => Object.values(labels).join(" ");

test("a series is made once, and found by its key without labels being made", () => {
  const made: Labels[] = [];
  const of = boundedSeries({ most: 2, folded: [] }, (labels) => {
    made.push(labels);
    return keyed(labels);
  });
  assert.equal(
    of("a", () => ({ code: "00" })),
    "00",
  );
  assert.equal(
    of("a", () => assert.fail("labels are made")),
    "00",
  );
  assert.equal(made.length, 1);
});

test("beyond the bound what has many values is other, and what is known stays what it is", () => {
  const of = boundedSeries({ most: 2, folded: ["processor", "code"] }, keyed);
  const one = (processor: string, code: string) =>
    of(`${processor} ${code}`, () => ({ processor, kind: "simulator", code }));
  assert.deepEqual(
    [one("p1", "00"), one("p2", "00"), one("p3", "05"), one("p4", "51"), one("p1", "00")],
    ["p1 simulator 00", "p2 simulator 00", "other simulator other", "other simulator other", "p1 simulator 00"],
  );
});

test("a code is a label by its form; a card number, a sentence or a control character is none", () => {
  for (const code of ["00", "N7", "card_declined", "do_not_honor", "3DS-1.0", "Insufficient funds"])
    assert.equal(codeLabel(code), code);
  for (const code of ["", "x".repeat(41), "4111111111111111", "4111 1111 1111 1111", 'a"b', "a\nb", "é"])
    assert.equal(codeLabel(code), "other");
});
