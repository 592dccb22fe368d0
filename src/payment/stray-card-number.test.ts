import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { newId } from "../uuid.ts";
import { hasLuhnDigit } from "./card.ts";
import { Secret } from "./secret.ts";
import { digitsOfNumber, holdsCardNumber, type Purpose } from "./stray-card-number.ts";
import { parseTaxId } from "./tax-id.ts";

const check = (expected: boolean, texts: readonly string[], purpose?: Purpose) => {
  for (const text of texts) assert.equal(holdsCardNumber(text, { purpose }), expected, text);
};

test("a card number is found alone, amid other text, and however it is parted", () => {
  check(true, [
    ...["4111111111111111", "5555555555554444", "378282246310005", "30569309025904", "135412345678911"],
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

test("one separator of any kind may part it, up to four characters of it, as it is printed or people write it", () => {
  for (const separator of [" ", "    ", "-", " - ", ".", "_", "/", ",", ", ", "|", "*", "\u2212", "—", "\n", "·"])
    check(true, [
      ["4111", "1111", "1111", "1111"].join(separator),
      ["3782", "822463", "10005"].join(separator),
      ["3056", "930902", "5904"].join(separator),
      ["1354", "12345", "678911"].join(separator),
      ["6200", "0000", "0000", "0000", "000"].join(separator),
    ]);
  check(true, [
    "41111 11111 11111 1",
    "41111111 11111111",
    "411111 1111111111",
    "41 11 11 11 11 11 11 11",
    "1229 4111 1111 1111 1111",
  ]);
  check(false, [
    ...[
      "4111     1111     1111     1111",
      "4111.1111-1111/1111",
      "4111:1111:1111:1111",
      "4111a1111a1111a1111",
      "411.111.111.111.111.1",
    ],
    ...["9400 4111 1111 1111 1111 23", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2", "4.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1"],
  ]);
});

test("a number run together with its expiry, a plus before it, and one that is an article's too are found", () => {
  check(true, ["41111111111111111229", "41111111111111112912", "4111111111111111122029123", "3782822463100051229"]);
  check(true, ["+4111111111111111", "+378282246310005", "36000000000008", "4111 1111 1111 11111229"]);
  check(false, ["41111111111111111329", "411111111111111199", "4111111111111111129"]);
});

test("what a number is a part of speaks against it", () => {
  check(false, [
    ...[
      "0.4111111111111111",
      "12.4111111111111111",
      "-0,4111111111111111",
      "GB82 WEST 1234 5698 7654 32",
      "1Z4111111111111111",
    ],
    ...[
      "tracking number 4111111111111111",
      "E-ticket 30569309025904",
      "Order no. 4111111111111111",
      "IMEI: 4111111111111111",
    ],
  ]);
  check(true, [
    ...["order-4111111111111111", "order 4111111111111111", "1,4111111111111111,12,29", "no.4111111111111111"],
    ...[
      "ticket paid with 4111111111111111",
      "GB83 4111 1111 1111 1111",
      "tracking by card 4111111111111111",
      "card no. 4222222222222",
    ],
  ]);
});

test("an IBAN with right check digits holds none, printed or plain", () => {
  const iban = (country: string, body: string) => {
    const digits = [...`${body}${country}00`].map((char) => Number.parseInt(char, 36)).join("");
    return `${country}${String(98n - (BigInt(digits) % 97n)).padStart(2, "0")}${body}`;
  };
  for (const plain of [
    iban("ES", "41111111111111110000"),
    iban("DE", "004111111111111111"),
    iban("FR", "41111111111111110000000"),
  ]) {
    const inFours = plain.match(/.{1,4}/g)?.join(" ") ?? "";
    check(false, [plain, inFours, `Refund to ${inFours} and thanks`, plain.toLowerCase()]);
  }
  check(true, ["ES00 4111 1111 1111 1111 0000"]);
});

test("a field's name speaks against digits in one piece, not against a card as it is printed", () => {
  const named = (name: string, text: string) => holdsCardNumber(text, { name });
  for (const name of [
    "order_id",
    "orderNumber",
    "customer_number",
    "userId",
    "imei",
    "tracking",
    "booking_ref",
    "invoice no",
  ]) {
    assert.ok(!named(name, "4111111111111111"), name);
    assert.ok(named(name, "4111 1111 1111 1111"), name);
  }
  for (const name of ["order", "note", "reference", "number", "customer", "card_id", "cardNumber", "cc_number", "id"])
    assert.ok(named(name, "4111111111111111"), name);
  assert.ok(named("card_number", "4222222222222") && !named("note", "4222222222222"), "a length that nobody gives out");
});

test("in an identifier only the card of the same request is found", () => {
  const own = new Secret("card number", "4929939187355598");
  const inIdentifier = (text: string) => holdsCardNumber(text, { own, purpose: "identifier" });
  for (const text of ["4111111111111111", "4111 1111 1111 1111", "30569309025904"])
    assert.ok(!inIdentifier(text), text);
  for (const text of [
    "4929939187355598",
    "4929.9391.8735.5598",
    "x4929939187355598x",
    "4929-939187-355598",
    "1114929939187355598",
  ])
    assert.ok(inIdentifier(text), text);
});

test("a tax id may look like a card's where it belongs, and only there", () => {
  const id = Array.from({ length: 100_000 }, (_, end) => `36${String(end).padStart(12, "0")}`).find(
    (text) => parseTaxId(text) !== undefined && holdsCardNumber(text),
  );
  assert.ok(id);
  check(false, [id], "tax id");
  check(true, [`${id} 4111111111111111`, "378282246310005"], "tax id");
});

test("a number in JSON counts as a whole number, however a program wrote it", () => {
  const table: Readonly<Record<string, string>> = {
    "4111111111111111": "4111111111111111",
    "4111111111111111.0": "4111111111111111",
    "4.111111111111111e+15": "4111111111111111",
    "4.111111111111111E15": "4111111111111111",
    "41111111111111110e-1": "",
    "0.4111111111111111": "",
    "4111111111111.111": "",
    "-4111111111111111": "",
    "1e999999999999": "",
  };
  for (const [literal, digits] of Object.entries(table)) assert.equal(digitsOfNumber(literal), digits, literal);
});

test("the card of the same request is found whatever its form, and a short one only where it stands alone", () => {
  const own = (digits: string) => ({ own: new Secret("card number", digits) });
  for (const text of ["4111111111111112", "x4111-1111-1111-1112", "9941111111111111129", "4111111111111112 12"])
    assert.ok(holdsCardNumber(text, own("4111111111111112")), text);
  assert.ok(holdsCardNumber("4222222222222", { ...own("4222222222222"), purpose: "identifier" }));
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

test("an id of ours is none, whatever its digits: one whose digits looked like a card's could not be captured or found", () => {
  assert.equal(holdsCardNumber("01a20218-bb59-738b-8121-566735720242"), false);
  assert.equal(holdsCardNumber("/api/transactions/01A20218-BB59-738B-8121-566735720242/capture"), false);
  for (let nth = 0; nth < 20_000; nth++) {
    const id = newId(new Date());
    assert.equal(holdsCardNumber(id), false, id);
  }
  // What only looks like one hides nothing.
  assert.equal(holdsCardNumber("01a20218-bb59-738b-8121-566735720242 4111 1111 1111 1111"), true);
  assert.equal(holdsCardNumber("01a20218-4111-1111-1111-1111a5720242"), true);
});
