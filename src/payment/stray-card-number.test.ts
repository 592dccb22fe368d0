import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hasLuhnDigit } from "./card.ts";
import { Secret } from "./secret.ts";
import { holdsCardNumber, type Purpose } from "./stray-card-number.ts";
import { parseTaxId } from "./tax-id.ts";

const check = (expected: boolean, texts: readonly string[], purpose?: Purpose) => {
  for (const text of texts) assert.equal(holdsCardNumber(text, { purpose }), expected, text);
};

test("a card number is found alone, amid other text, and however it is parted", () => {
  check(true, [
    ...["4111111111111111", "5555555555554444", "378282246310005", "30569309025904", "4222222222222"],
    ...["6200000000000005", "3566002020360505", "6011111111111117", "5066991111111118"],
    ...["order-4111111111111111", "card:4111111111111111;", "x4111111111111111x", "4111111111111111=29121010000"],
    ...[
      "4111 1111 1111 1111",
      "4111-1111-1111-1111",
      "3782 822463 10005",
      "3056 930902 5904",
      "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
    ],
    ...[
      "4111 1111 1111 1111 12 29 123",
      "12 4111 1111 1111 1111",
      "4111111111111111 12 29",
      "2029-12 4111111111111111",
    ],
    ...[
      "４１１１１１１１１１１１１１１１",
      "4111–1111–1111–1111",
      "4111\u200b111111111111",
      "4111\u00a01111\u00a01111\u00a01111",
    ],
    "1".repeat(40_000).concat(" 4111111111111111"),
  ]);
});

test("a wrong check digit, a number of no brand or of another length, and a longer run of digits are no card number", () => {
  check(false, [
    ...["4111111111111112", "9999999999999995", "1111111111111117", "41111111111111111111", "411111111113"],
    ...["94111111111111111", "41111111111111110", "411111******1111", "", "0"],
  ]);
});

test("other numbers with an order of their own are let through", () => {
  check(false, [
    ...["2026-11-21 12:06:07", "20261121120607", "1795262767123", "1795262767123456", "1800000000000000018"],
    ...["4006381333931", "5012345678900", "4915112345678".replace(/^/, "+"), "352099001761481"],
    ...["01970000-4111-4111-8111-111111111111", "4111111111111111aaaaaaaaaaaaaaaa"],
  ]);
  check(true, ["aaaaaaaaaaaaaaa4111111111111111"]);
});

/** The first number with this beginning that looks like a card's. */
function likeACard(beginning: string, length: number, also: (text: string) => boolean = () => true): string {
  for (let end = 0; end < 100_000; end++) {
    const text = beginning + String(end).padStart(length - beginning.length, "0");
    if (holdsCardNumber(text) && also(text)) return text;
  }
  throw new Error(`none begins with ${beginning}`);
}

test("a ticket number, a phone number and a tax id may look like a card's where they belong, and only there", () => {
  const numbers: readonly (readonly [Purpose, string])[] = [
    ["ticket number", likeACard("412", 13)],
    ["phone number", likeACard("49151", 13)],
    ["tax id", likeACard("36", 14, (text) => parseTaxId(text) !== undefined)],
  ];
  for (const [purpose, text] of numbers) {
    check(true, [text]);
    check(false, [text], purpose);
    check(true, [`${text} 4111111111111111`, "378282246310005"], purpose);
  }
});

test("the card of the same request is found whatever its form, and a short one only where it stands alone", () => {
  const own = (digits: string) => ({ own: new Secret("card number", digits) });
  for (const text of ["4111111111111112", "x4111-1111-1111-1112", "9941111111111111129", "4111111111111112 12"])
    assert.ok(holdsCardNumber(text, own("4111111111111112")), text);
  assert.ok(holdsCardNumber("4222222222222", { ...own("4222222222222"), purpose: "ticket number" }));
  assert.ok(holdsCardNumber("order 12345678", own("12345678")));
  assert.ok(holdsCardNumber("1234 5678", own("12345678")));
  assert.ok(!holdsCardNumber("order 123456789", own("12345678")));
  assert.ok(!holdsCardNumber("4111111111111113", own("4111111111111112")));
});

test("any Visa, Mastercard or American Express number is found, parted or not, in any text without digits", () => {
  const tail = (length: number) => fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length });
  const number = fc
    .constantFrom<[string, number]>(["4", 16], ["51", 16], ["2221", 16], ["34", 15], ["37", 15])
    .chain(([prefix, length]) => tail(length - prefix.length - 1).map((digits) => prefix + digits.join("")))
    .map((body) => [..."0123456789"].map((last) => body + last).find(hasLuhnDigit) ?? "");
  const around = fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[\d\s+-]|\p{Cf}/gu, ""));
  fc.assert(
    fc.property(number, around, around, fc.constantFrom("", " ", "-"), (digits, before, after, separator) => {
      const parted = digits.match(/.{1,4}/g)?.join(separator) ?? "";
      assert.ok(holdsCardNumber(`${before}|${parted}|${after}`), parted);
    }),
    { numRuns: 2_000 },
  );
});

test("long texts take no long time: each character is looked at a few times", () => {
  // Quadratic work would take minutes here.
  for (const text of [
    "1 ".repeat(500_000),
    "4111 ".repeat(200_000),
    "1".repeat(1_000_000),
    `1${" ".repeat(1_000_000)}1`,
  ])
    assert.equal(holdsCardNumber(text), false);
});
