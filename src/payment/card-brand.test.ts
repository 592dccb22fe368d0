import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { cardNumber } from "./card.ts";
import { BRAND_RANGES, CARD_BRANDS, type CardBrand, cardBrand } from "./card-brand.ts";

const brandOf = (prefix: string, length = 16): CardBrand => cardBrand(cardNumber(prefix.padEnd(length, "0")));

describe("well-known test cards have their brand", () => {
  const rows: readonly (readonly [string, CardBrand])[] = [
    ["4111111111111111", "visa"],
    ["4222222222222", "visa"],
    ["5555555555554444", "mastercard"],
    ["2223003122003222", "mastercard"],
    ["378282246310005", "amex"],
    ["341111111111111", "amex"],
    ["6011111111111117", "discover"],
    ["30569309025904", "diners"],
    ["36227206271667", "diners"],
    ["3566002020360505", "jcb"],
    ["6200000000000005", "unionpay"],
    ["8171999927660000", "unionpay"],
    ["675964982643", "maestro"],
    ["6759649826438453001", "maestro"],
    ["5066991111111118", "elo"],
    ["6362970000457013", "elo"],
    ["6062826786276634", "hipercard"],
    ["3841001111222233334", "hipercard"],
    ["9999999999999995", "unknown"],
  ];
  for (const [digits, brand] of rows)
    test(`${digits} is ${brand}`, () => assert.equal(cardBrand(cardNumber(digits)), brand));
});

describe("a range ends where it ends", () => {
  const rows: readonly (readonly [string, CardBrand, string, CardBrand])[] = [
    ["222099", "unknown", "222100", "mastercard"],
    ["272099", "mastercard", "272100", "unknown"],
    ["509999", "elo", "510000", "mastercard"],
    ["559999", "mastercard", "560000", "maestro"],
    ["599999", "maestro", "600000", "unknown"],
    ["339999", "unknown", "340000", "amex"],
    ["349999", "amex", "350000", "unknown"],
    ["352799", "unknown", "352800", "jcb"],
    ["358999", "jcb", "359000", "unknown"],
    ["305999", "diners", "306000", "unknown"],
    ["309499", "jcb", "309500", "diners"],
    ["309599", "diners", "309600", "jcb"],
    ["359999", "unknown", "360000", "diners"],
    ["379999", "amex", "380000", "diners"],
    ["399999", "diners", "400000", "visa"],
    ["499999", "visa", "500000", "maestro"],
    ["601099", "unknown", "601100", "discover"],
    ["601199", "discover", "601200", "unknown"],
    ["619999", "unknown", "620000", "unionpay"],
    ["629999", "unionpay", "630000", "unknown"],
    ["643999", "unknown", "644000", "discover"],
    ["659999", "discover", "660000", "unknown"],
    ["669999", "unknown", "670000", "maestro"],
    ["679999", "maestro", "680000", "unknown"],
    ["809999", "unknown", "810000", "unionpay"],
    ["817199", "unionpay", "817200", "unknown"],
  ];
  for (const [last, brand, next, other] of rows) {
    test(`${last} is ${brand}, ${next} is ${other}`, () =>
      assert.deepEqual([brandOf(last), brandOf(next)], [brand, other]));
  }
});

describe("a longer prefix wins over the range that surrounds it", () => {
  const rows: readonly (readonly [string, CardBrand, CardBrand])[] = [
    ["401178", "elo", "visa"],
    ["451416", "elo", "visa"],
    ["457631", "elo", "visa"],
    ["493698", "maestro", "visa"],
    ["504175", "elo", "maestro"],
    ["506699", "elo", "maestro"],
    ["627780", "elo", "unionpay"],
    ["650031", "elo", "discover"],
    ["655000", "elo", "discover"],
    ["384100", "hipercard", "diners"],
    ["637095", "hipercard", "unknown"],
    ["606282", "hipercard", "unknown"],
    ["501900", "unknown", "maestro"],
    ["506099", "unknown", "maestro"],
    ["508000", "unknown", "maestro"],
  ];
  for (const [prefix, brand, around] of rows) {
    test(`${prefix} is ${brand} amid ${around}`, () => {
      assert.equal(brandOf(prefix), brand);
      assert.equal(brandOf(String(Number(prefix) - 1)), around);
    });
  }
});

test("UnionPay cards that Discover also accepts are UnionPay's", () => {
  for (const prefix of ["622125", "622126", "622500", "622925", "622926"])
    assert.equal(brandOf(prefix), "unionpay", prefix);
});

test("Maestro has 12 to 19 digits, other brands are told by the range alone", () => {
  assert.deepEqual(
    [11, 12, 19].map((length) => brandOf("6759", length)),
    ["unknown", "maestro", "maestro"],
  );
  assert.deepEqual(
    [8, 13, 19].map((length) => brandOf("4", length)),
    ["visa", "visa", "visa"],
  );
});

const ranges = BRAND_RANGES.flatMap(([brand, text]) =>
  text.split(" ").map((range) => {
    const [from = "", to = from] = range.split("-");
    return { brand, from, to };
  }),
);

test("every range in the table is digits, from the lower to the higher, of one length and first digit, that a card can have", () => {
  for (const { from, to } of ranges) {
    assert.match(from + to, /^[0-9]{2,16}$/);
    assert.ok(from.length === to.length && from.length <= 8 && from <= to, `${from}-${to}`);
    // They are looked up by it.
    assert.equal(from.slice(0, 1), to.slice(0, 1));
  }
});

test("no prefix of one length is in the table twice", () => {
  for (const [index, one] of ranges.entries()) {
    for (const other of ranges.slice(index + 1)) {
      const overlap = one.from.length === other.from.length && one.from <= other.to && other.from <= one.to;
      assert.ok(!overlap, `${one.from}-${one.to} (${one.brand}) and ${other.from}-${other.to} (${other.brand})`);
    }
  }
});

test("every brand has a range, and every number a brand", () => {
  assert.deepEqual([...new Set(BRAND_RANGES.map(([brand]) => brand))].sort(), [...CARD_BRANDS].sort());
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 8, maxLength: 19 }), (digits) => {
      assert.ok(CARD_BRANDS.includes(cardBrand(cardNumber(digits))));
    }),
  );
});
