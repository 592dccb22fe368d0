import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  CURRENCY_CODES,
  currencyOfNumber,
  exponentOf,
  fitsCurrency,
  inMinorUnits,
  isCurrency,
  numericCode,
  ofMinorUnits,
  renderMinorUnits,
} from "./currency.ts";
import { type Amount, amountOf, LEAST, MOST, parseAmount, renderAmount, sum } from "./money.ts";

const anyAmount = fc.bigInt({ min: LEAST, max: MOST }).map(amountOf);
const anyCurrency = fc.constantFrom(...CURRENCY_CODES);

test("a currency is the three upper-case letters of one that is in use", () => {
  for (const code of ["USD", "CAD", "BRL", "EUR", "JPY", "GBP", "XOF"]) assert.equal(isCurrency(code), true, code);
  for (const code of [
    "",
    "US",
    "usd",
    "Usd",
    "dollars",
    "USDX",
    " USD",
    "ZZZ",
    "XXX",
    "XTS",
    "XAU",
    "XDR",
    "DEM",
    "840",
    "U\u0405D",
  ]) {
    assert.equal(isCurrency(code), false, code);
  }
});

test("every currency that the runtime knows is in the table, so that a new one does not go unseen", () => {
  const accountingUnits = new Set(["XDR", "XSU"]);
  const missing = Intl.supportedValuesOf("currency").filter((code) => !isCurrency(code) && !accountingUnits.has(code));
  assert.deepEqual(missing, []);
});

test("every currency has three digits of its own, but for one that took its predecessor's over", () => {
  for (const currency of CURRENCY_CODES) {
    const numeric = numericCode(currency) ?? "";
    assert.match(numeric, /^[0-9]{3}$/);
    assert.equal(currencyOfNumber(numeric), currency === "ANG" ? "XCG" : currency);
  }
  assert.deepEqual([numericCode("CAD"), numericCode("JPY"), numericCode("XXX")], ["124", "392", undefined]);
});

test("minor units are those of ISO 4217", () => {
  const none = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF".split(" ");
  const thousandths = "BHD IQD JOD KWD LYD OMR TND".split(" ");
  for (const currency of CURRENCY_CODES) {
    const expected = none.includes(currency) ? 0 : thousandths.includes(currency) ? 3 : 2;
    assert.equal(exponentOf(currency), expected, currency);
  }
  // CLDR, and so the runtime, shows these without decimals; ISO 4217 gives them hundredths.
  for (const currency of ["HUF", "IDR", "ALL", "LAK", "PKR"]) assert.equal(exponentOf(currency), 2, currency);
});

test("an amount is brought to the minor unit and back without loss, or there is no such money", () => {
  for (const [text, currency, minor] of [
    ["1000.00", "JPY", 1000n],
    ["1000.50", "JPY", undefined],
    ["0.01", "JPY", undefined],
    ["9999999", "JPY", 9999999n],
    ["1.25", "KWD", 1250n],
    ["0.01", "KWD", 10n],
    ["9999999", "KWD", 9999999000n],
    ["3.56", "CAD", 356n],
  ] as const) {
    const parsed = parseAmount(text);
    assert.ok(parsed.ok);
    assert.equal(inMinorUnits(parsed.amount, currency), minor, `${text} ${currency}`);
    assert.equal(fitsCurrency(parsed.amount, currency), minor !== undefined);
    if (minor !== undefined) assert.equal(ofMinorUnits(minor, currency), parsed.amount);
  }
  assert.equal(ofMinorUnits(1255n, "KWD"), undefined, "two decimals cannot say 1.255");
});

test("for every currency: what fits goes there and back, and what does not fit is refused rather than rounded", () => {
  fc.assert(
    fc.property(anyAmount, anyCurrency, (amount, currency) => {
      const minor = inMinorUnits(amount, currency);
      if (minor === undefined) assert.notEqual(amount % 100n, 0n);
      else assert.equal(ofMinorUnits(minor, currency), amount);
    }),
  );
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), anyCurrency, (minor, currency) => {
      const amount = ofMinorUnits(minor, currency);
      if (amount === undefined) assert.notEqual(minor % 10n, 0n);
      else assert.equal(inMinorUnits(amount, currency), minor);
    }),
  );
});

test("the parts of a split add up to the whole in the currency's own unit", () => {
  const parts = fc.array(anyAmount, { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(parts, anyCurrency, (given, currency) => {
      const fitting = given.filter((part) => fitsCurrency(part, currency));
      const inUnits = (amount: Amount) => inMinorUnits(amount, currency) ?? assert.fail("it does not fit");
      const whole = sum(fitting);
      assert.equal(
        inUnits(whole),
        fitting.map(inUnits).reduce((one, other) => one + other, 0n),
      );
    }),
  );
});

test("minor units are written with as many decimals as the currency has, and as many digits as are needed", () => {
  for (const [minor, currency, text] of [
    [1000n, "JPY", "1000"],
    [0n, "JPY", "0"],
    [1n, "USD", "0.01"],
    [356n, "CAD", "3.56"],
    [5n, "KWD", "0.005"],
    [1250n, "KWD", "1.250"],
  ] as const)
    assert.equal(renderMinorUnits(minor, currency), text);
  fc.assert(fc.property(anyAmount, (amount) => assert.equal(renderMinorUnits(amount, "CAD"), renderAmount(amount))));
});
