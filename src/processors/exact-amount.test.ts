import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { amountOf } from "../payment/money.ts";
import { exactOf, parseExact, parseRate, renderExact } from "./exact-amount.ts";

test("what is written is read as it was, to the millionth", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n }), (exact) => {
      assert.equal(parseExact(renderExact(exact)), exact);
    }),
  );
});

for (const [text, exact] of [
  ["12.5", 12_500_000n],
  ["-0.01", -10_000n],
  ["1000", 1_000_000_000n],
  ["0.000001", 1n],
] as const)
  test(`${text} is ${exact} millionths`, () => assert.equal(parseExact(text), exact));

for (const wrong of [
  "",
  ".5",
  "5.",
  "1,000.00",
  "1e3",
  "+1",
  " 1",
  "1 ",
  "0.0000001",
  "١",
  "--1",
  "NaN",
  "1234567890123",
])
  test(`"${wrong}" is no amount`, () => assert.equal(parseExact(wrong), undefined));

test("the API's hundredths are the same money", () => {
  assert.equal(renderExact(exactOf(amountOf(1234n))), "12.34");
  assert.equal(renderExact(-1_255_000n), "-1.255");
});

test("a rate is digits with a point, above zero", () => {
  assert.deepEqual(parseRate("1.0842"), { digits: 10_842n, decimals: 4 });
  assert.deepEqual(parseRate("150"), { digits: 150n, decimals: 0 });
  for (const text of ["", "0", "0.00", "-1.2", "1,2", "1e-7", "one", "1.", ".5"])
    assert.equal(parseRate(text), undefined, text);
});
