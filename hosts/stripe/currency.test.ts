// Stripe's lists, as the host has them, against ISO 4217 and against what the gateway sends.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CURRENCY_CODES, exponentOf, fitsCurrency } from "../../src/payment/currency.ts";
import { amountOf } from "../../src/payment/money.ts";
import { countsCurrency, inStripeUnits, ofStripeUnits } from "../../src/processors/stripe/currency.ts";
import { THREE_DECIMAL, takesAmount, WHOLE_CHARGES, WHOLE_PAYOUTS, ZERO_DECIMAL } from "./currency.ts";

const decimalsOf = (currency: string): number =>
  ZERO_DECIMAL.includes(currency) ? 0 : THREE_DECIMAL.includes(currency) ? 3 : 2;

test("Stripe's decimals are those of ISO 4217, but for MGA, ISK and UGX, and for two dinars that it does not name", () => {
  const differing = CURRENCY_CODES.filter((code) => decimalsOf(code.toLowerCase()) !== exponentOf(code));
  assert.deepEqual(differing, ["IQD", "ISK", "LYD", "MGA", "UGX"]);
  assert.deepEqual(WHOLE_CHARGES, ["isk", "ugx"]);
  for (const code of WHOLE_PAYOUTS) assert.equal(exponentOf(code.toUpperCase()), 2, code);
});

test("the gateway counts each currency as Stripe does, there and back, and sends no amount that Stripe does not take", () => {
  for (const code of CURRENCY_CODES.filter(countsCurrency)) {
    const currency = code.toLowerCase();
    const units = 500 * 10 ** decimalsOf(currency);
    assert.equal(inStripeUnits(amountOf(50_000n), code), units, code);
    assert.equal(ofStripeUnits(units, code), 50_000n, code);
    for (const amount of [50_000n, 50_001n, 50_010n].map(amountOf)) {
      const sent = fitsCurrency(amount, code) ? inStripeUnits(amount, code) : undefined;
      if (sent !== undefined) assert.ok(takesAmount(sent, currency), `${sent} ${code}`);
    }
  }
});

for (const [units, currency, taken] of [
  [500, "jpy", true],
  [501, "usd", true],
  [5_120, "kwd", true],
  [5_124, "kwd", false],
  [500, "isk", true],
  [550, "isk", false],
  [500, "ugx", true],
  [501, "ugx", false],
  [1_045, "huf", true],
  [1_045, "twd", true],
] as const)
  test(`Stripe ${taken ? "takes" : "does not take"} ${units} of the smallest unit of ${currency}`, () =>
    assert.equal(takesAmount(units, currency), taken));
