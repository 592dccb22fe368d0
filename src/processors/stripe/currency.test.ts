// How Stripe counts each currency, by its list and not by ISO 4217. https://docs.stripe.com/currencies

import assert from "node:assert/strict";
import { test } from "node:test";
import { CURRENCY_CODES } from "../../payment/currency.ts";
import { amountOf } from "../../payment/money.ts";
import { countsCurrency, exactOfStripeUnits, inStripeUnits, ofStripeUnits } from "./currency.ts";

/** Stripe's list: "Zero-decimal currencies", and "Three-decimal currencies" without those that are not in it. */
const WHOLE = ["BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF"];
const THOUSANDTHS = ["BHD", "JOD", "KWD", "OMR", "TND"];
const NOBODY_KNOWS = ["IQD", "LYD"];

test("1000 of each currency are as many units as Stripe says, there and back", () => {
  for (const currency of CURRENCY_CODES) {
    assert.equal(countsCurrency(currency), !NOBODY_KNOWS.includes(currency), currency);
    if (NOBODY_KNOWS.includes(currency)) continue;
    const units = WHOLE.includes(currency) ? 1_000 : THOUSANDTHS.includes(currency) ? 1_000_000 : 100_000;
    assert.deepEqual(
      [inStripeUnits(amountOf(100_000n), currency), ofStripeUnits(units, currency)],
      [units, amountOf(100_000n)],
      currency,
    );
    assert.equal(exactOfStripeUnits(-units, currency), -1_000_000_000n, currency);
  }
});

test("what two decimals cannot say, less than nothing, and what is no whole number is no amount", () => {
  for (const [units, currency] of [
    [-1, "USD"],
    [-1, "JPY"],
    [-10, "KWD"],
    [1_255, "KWD"],
    [1.5, "USD"],
    [2 ** 53, "USD"],
  ] as const)
    assert.equal(ofStripeUnits(units, currency), undefined, `${units} ${currency}`);
});
