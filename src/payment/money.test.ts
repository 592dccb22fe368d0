import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  type Amount,
  amountOf,
  LEAST,
  lesser,
  MOST,
  minus,
  parseAmount,
  plus,
  renderAmount,
  sum,
  ZERO,
} from "./money.ts";

const anyAmountInRange = fc.bigInt({ min: LEAST, max: MOST }).map(amountOf);

function parsed(text: string): Amount {
  const result = parseAmount(text);
  assert.ok(result.ok, text);
  return result.amount;
}

describe("an amount is read exactly as it was written", () => {
  const rows: readonly (readonly [string, bigint])[] = [
    ["3.56", 356n],
    ["3.5", 350n],
    ["3", 300n],
    ["1.10", 110n],
    ["0.01", 1n],
    ["0.1", 10n],
    ["007.50", 750n],
    ["0000000000000000000000000000000.01", 1n],
    [`${"0".repeat(63)}1`, 100n],
    ["9999999", 999999900n],
    ["9999999.0", 999999900n],
    ["9999999.00", 999999900n],
    ["9007199.91", 900719991n],
    ["12.3400", 1234n],
    ["1.000", 100n],
    [`0.01${"0".repeat(60)}`, 1n],
  ];
  for (const [text, minor] of rows) {
    test(`${text} is ${minor} hundredths`, () => assert.deepEqual(parseAmount(text), { ok: true, amount: minor }));
  }
});

describe("what is not an amount is refused, and why is told", () => {
  const rows: readonly (readonly ["malformed" | "too-precise" | "out-of-range", readonly string[]])[] = [
    [
      "malformed",
      ["", " ", ".", "x", "3.", ".5", "3..5", "3.5.6", "1,00", "1 000", "1_000", " 3.56", "3.56 ", "3.56\n"],
    ],
    [
      "malformed",
      ["-1", "+1", "-0.01", "1e-7", "1E2", "1e2", "0x10", "0b1", "1n", "NaN", "Infinity", "null", "٣", "３", "1.٥"],
    ],
    ["malformed", ["$1", "1%", "1\u0000", `${"0".repeat(64)}1`, `0.01${"0".repeat(61)}`, "9".repeat(100_000)]],
    ["too-precise", ["0.001", "3.561", "1.0001", "1.00000000000000000001", "0.30000000000000004", "10000000.001"]],
    [
      "out-of-range",
      [
        "0",
        "0.0",
        "0.00",
        "000",
        "9999999.01",
        "9999999.1",
        "10000000",
        "10000000.000",
        "0.000",
        "99999999999999999999999999999999",
      ],
    ],
  ];
  for (const [why, texts] of rows) {
    for (const text of texts) {
      test(`${why}: ${JSON.stringify(text.slice(0, 40))}`, () =>
        assert.deepEqual(parseAmount(text), { ok: false, why }));
    }
  }
});

test("rendering has two decimals, whatever the size", () => {
  const rows: readonly (readonly [bigint, string])[] = [
    [0n, "0.00"],
    [1n, "0.01"],
    [10n, "0.10"],
    [99n, "0.99"],
    [100n, "1.00"],
    [356n, "3.56"],
    [999999900n, "9999999.00"],
    [123456789012345678901n, "1234567890123456789.01"],
  ];
  for (const [minor, text] of rows) assert.equal(renderAmount(amountOf(minor)), text);
});

test("what is rendered and read again is the same amount, for all amounts in range", () => {
  fc.assert(fc.property(anyAmountInRange, (amount) => assert.equal(parsed(renderAmount(amount)), amount)));
});

test("leading zeros and left-out decimal zeros do not change an amount", () => {
  fc.assert(
    fc.property(anyAmountInRange, fc.integer({ min: 0, max: 50 }), (amount, zeros) => {
      const shortest = renderAmount(amount).replace(/\.?0{1,2}$/, "");
      assert.equal(parsed("0".repeat(zeros) + shortest), amount);
    }),
  );
});

test("no text makes parsing throw, and every amount that it gives is in range", () => {
  const almostAmounts = fc.string({ unit: fc.constantFrom(..."0123456789.,-+e \n٣"), maxLength: 80 });
  fc.assert(
    fc.property(fc.oneof(fc.string(), almostAmounts), (text) => {
      const result = parseAmount(text);
      if (result.ok) assert.ok(result.amount >= LEAST && result.amount <= MOST, text);
    }),
    { numRuns: 2000 },
  );
});

test("sums are exact in any order, where binary floats are not", () => {
  assert.equal(renderAmount(sum([parsed("0.1"), parsed("0.2")])), "0.30");
  assert.equal(sum([]), ZERO);
  fc.assert(
    fc.property(fc.array(anyAmountInRange), (amounts) => {
      assert.equal(sum(amounts), sum(amounts.toReversed()));
      assert.equal(sum(amounts), amounts.reduce(plus, ZERO));
    }),
  );
});

test("taking all leaves nothing, and a cent more is a fault", () => {
  assert.equal(minus(amountOf(356n), amountOf(356n)), ZERO);
  assert.throws(() => minus(amountOf(356n), amountOf(357n)), RangeError);
  assert.throws(() => amountOf(-1n), RangeError);
});

test("the lesser of two amounts is one of them and no greater than the other", () => {
  assert.equal(lesser(amountOf(1n), amountOf(2n)), 1n);
  assert.equal(lesser(amountOf(2n), amountOf(1n)), 1n);
  assert.equal(lesser(amountOf(2n), amountOf(2n)), 2n);
});
