import assert from "node:assert/strict";
import { test } from "node:test";
import { isCurrency } from "../../../payment/money.ts";
import { CURRENCY_CODES } from "./currencies.ts";

/** ISO 4217, minor units other than 2 (0, 3, and the fifths of MGA and MRU). */
const NOT_HUNDREDTHS = `BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF BHD IQD JOD KWD LYD OMR TND MGA
MRU`.split(/\s+/);

test("every currency is one that is in use and has three digits of its own", () => {
  for (const [currency, code] of CURRENCY_CODES) {
    assert.ok(isCurrency(currency), currency);
    assert.match(code, /^[0-9]{3}$/);
  }
  assert.equal(new Set(CURRENCY_CODES.values()).size, CURRENCY_CODES.size);
});

test("a currency whose minor unit is not the hundredth is not among them", () => {
  for (const currency of NOT_HUNDREDTHS) assert.equal(CURRENCY_CODES.has(currency), false, currency);
});
