// Adyen's table, as the host has it, against ISO 4217 and against what the gateway sends.

import assert from "node:assert/strict";
import { test } from "node:test";
import { exponentOf, isCurrency } from "../../src/payment/currency.ts";
import { amountOf } from "../../src/payment/money.ts";
import { adyenValue, ofAdyenValue } from "../../src/processors/adyen/minor-units.ts";
import { DECIMALS, inMajorUnits } from "./currency.ts";

test("Adyen's decimals are those of ISO 4217, but for four currencies and two that are not in ISO 4217", () => {
  const differing = [...DECIMALS].filter(([code, decimals]) => decimals !== exponentOf(code));
  assert.deepEqual(Object.fromEntries(differing), { CLP: 2, CVE: 0, IDR: 0, ISK: 2 });
  // The offshore renminbi is Adyen's own code; the bolivar was renamed.
  assert.deepEqual(
    [...DECIMALS.keys()].filter((code) => !isCurrency(code)),
    ["CNH", "VEF"],
  );
});

test("the gateway counts each of Adyen's currencies as Adyen does, there and back", () => {
  for (const [code, decimals] of DECIMALS) {
    const minor = 500 * 10 ** decimals;
    assert.equal(adyenValue(amountOf(50_000n), code), minor, code);
    assert.equal(ofAdyenValue(minor, code), 50_000n, code);
  }
});

for (const [minor, currency, major] of [
  [500, "JPY", "500"],
  [500, "EUR", "5.00"],
  [5, "EUR", "0.05"],
  [500, "KWD", "0.500"],
  [5, "KWD", "0.005"],
  [0, "KWD", "0.000"],
  [0, "JPY", "0"],
  [500, "CLP", "5.00"],
  [500, "CVE", "500"],
  [500, "IDR", "500"],
  [500, "ISK", "5.00"],
] as const)
  test(`a report writes ${minor} minor units of ${currency} as ${major}`, () =>
    assert.equal(inMajorUnits(minor, currency), major));

test("a currency that Adyen does not have is in no report", () => {
  for (const currency of ["MGA", "XXX", "eur", ""]) assert.throws(() => inMajorUnits(1, currency), /no currency of/);
});
