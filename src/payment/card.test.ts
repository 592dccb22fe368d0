import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import { cardNumber, expired, firstSix, maskCard, parseCardNumber, parseCvv, parseExpiry, passesLuhn } from "./card.ts";

test("a card number is 8 to 19 digits and nothing else", () => {
  for (const text of ["12345678", "4111111111111111", "1234567890123456789"])
    assert.equal(parseCardNumber(text)?.reveal(), text);
  const wrong = [
    "",
    "1234567",
    "12345678901234567890",
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "4111111111111111\n",
    "411111x111111111",
  ];
  for (const text of [...wrong, "٤١١١١١١١١١١١١١١١", "-4111111111111111", "4.111111111111111"]) {
    assert.equal(parseCardNumber(text), undefined, text);
  }
});

test("a card number from inside that is none is a fault that does not tell the text", () => {
  assert.throws(
    () => cardNumber("4111-1111-1111-1111"),
    (error: Error) => error instanceof TypeError && !inspect(error).includes("4111"),
  );
});

test("a CVV is three or four digits", () => {
  for (const text of ["000", "123", "1234"]) assert.equal(parseCvv(text)?.reveal(), text);
  for (const text of ["", "12", "12345", "12a", " 123", "123\n", "١٢٣"]) assert.equal(parseCvv(text), undefined, text);
});

test("the Luhn formula holds for cards of every length and fails for one wrong digit", () => {
  const right = [
    "4111111111111111",
    "5555555555554444",
    "378282246310005",
    "6011111111111117",
    "30569309025904",
    "3566002020360505",
    "6200000000000005",
  ];
  for (const digits of [...right, "00000000"]) assert.equal(passesLuhn(cardNumber(digits)), true, digits);
  for (const digits of ["4111111111111112", "5555555555554445", "378282246310006", "00000001"]) {
    assert.equal(passesLuhn(cardNumber(digits)), false, digits);
  }
});

const anyNumberWithoutCheckDigit = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 7, maxLength: 18 });
const withCheckDigit = (body: string): string[] =>
  [..."0123456789"].map((digit) => body + digit).filter((digits) => passesLuhn(cardNumber(digits)));

test("exactly one check digit fits any number", () => {
  fc.assert(fc.property(anyNumberWithoutCheckDigit, (body) => assert.equal(withCheckDigit(body).length, 1)));
});

test("Luhn detects any change of a single digit", () => {
  fc.assert(
    fc.property(anyNumberWithoutCheckDigit, fc.nat(), fc.integer({ min: 1, max: 9 }), (body, at, by) => {
      const [digits = ""] = withCheckDigit(body);
      const place = at % digits.length;
      const changed = digits.slice(0, place) + ((Number(digits[place]) + by) % 10) + digits.slice(place + 1);
      assert.equal(passesLuhn(cardNumber(changed)), false, `${digits} and ${changed}`);
    }),
  );
});

test("Luhn detects that two neighbours changed places, but for 0 and 9", () => {
  fc.assert(
    fc.property(anyNumberWithoutCheckDigit, fc.nat(), (body, at) => {
      const [digits = ""] = withCheckDigit(body);
      const place = at % (digits.length - 1);
      const [one = "", other = ""] = digits.slice(place, place + 2);
      fc.pre(one !== other && one + other !== "09" && one + other !== "90");
      assert.equal(
        passesLuhn(cardNumber(digits.slice(0, place) + other + one + digits.slice(place + 2))),
        false,
        digits,
      );
    }),
  );
});

test("an expiry is a month of two digits and a year of four", () => {
  assert.deepEqual(parseExpiry("01", "2031"), { month: 1, year: 2031 });
  assert.deepEqual(parseExpiry("12", "0099"), { month: 12, year: 99 });
  const wrong = [
    ["00", "2031"],
    ["13", "2031"],
    ["1", "2031"],
    ["001", "2031"],
    ["12", "31"],
    ["12", "20311"],
    ["", ""],
    ["ab", "2031"],
    ["01", "20x1"],
    ["01\n", "2031"],
  ];
  for (const [month = "", year = ""] of wrong) assert.equal(parseExpiry(month, year), undefined, `${month}/${year}`);
});

describe("a card is good through the last instant of its expiry month, in UTC", () => {
  const rows: readonly (readonly [number, number, string, boolean])[] = [
    [2, 2031, "2031-01-31T23:59:59.999Z", false],
    [2, 2031, "2031-02-01T00:00:00.000Z", false],
    [2, 2031, "2031-02-28T23:59:59.999Z", false],
    [2, 2031, "2031-03-01T00:00:00.000Z", true],
    [2, 2032, "2032-02-29T23:59:59.999Z", false],
    [12, 2031, "2031-12-31T23:59:59.999Z", false],
    [12, 2031, "2032-01-01T00:00:00.000Z", true],
    [1, 2031, "2030-12-31T23:59:59.999Z", false],
    [12, 2030, "2031-01-01T00:00:00.000Z", true],
    [1, 2020, "2031-03-03T15:00:00.000Z", true],
    [12, 99, "2031-03-03T15:00:00.000Z", true],
    [12, 9999, "2031-03-03T15:00:00.000Z", false],
    // In Auckland it is March already, in Honolulu still February.
    [2, 2031, "2031-03-01T00:30:00+13:00", false],
    [2, 2031, "2031-02-28T15:00:00-10:00", true],
  ];
  for (const [month, year, now, isExpired] of rows) {
    test(`${month}/${year} at ${now}: ${isExpired ? "expired" : "good"}`, () =>
      assert.equal(expired({ month, year }, new Date(now)), isExpired));
  }
});

test("the time zone of the machine does not move the end of the month", () => {
  const before = process.env.TZ;
  try {
    for (const zone of ["Pacific/Auckland", "Pacific/Honolulu"]) {
      process.env.TZ = zone;
      assert.equal(expired({ month: 6, year: 2030 }, new Date("2030-06-30T23:59:59.999Z")), false, zone);
      assert.equal(expired({ month: 6, year: 2030 }, new Date("2030-07-01T00:00:00.000Z")), true, zone);
      assert.equal(expired({ month: 12, year: 2030 }, new Date("2030-12-31T23:59:59.999Z")), false, zone);
      assert.equal(expired({ month: 12, year: 2030 }, new Date("2031-01-01T00:00:00.000Z")), true, zone);
    }
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});

describe("a mask shows six and four, and of a short number less", () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ["42222222", "4222****", "4222"],
    ["422222222", "42222****", "42222"],
    ["4222222222", "422222****", "422222"],
    ["42222222221", "422222****1", "422222"],
    ["675964982643", "675964****43", "675964"],
    ["4222222222222", "422222****222", "422222"],
    ["30569309025904", "305693****5904", "305693"],
    ["378282246310005", "378282*****0005", "378282"],
    ["4111111111111111", "411111******1111", "411111"],
    ["6759649826438453001", "675964*********3001", "675964"],
  ];
  for (const [digits, mask, searched] of rows) {
    test(`${digits.length} digits: ${mask}`, () => {
      assert.equal(maskCard(cardNumber(digits)), mask);
      assert.equal(firstSix(cardNumber(digits)), searched);
    });
  }
});

test("no mask shows more than ten digits or hides less than four, and each keeps the length", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 8, maxLength: 19 }), (digits) => {
      const mask = maskCard(cardNumber(digits));
      const [, first = "", hidden = "", last = ""] = /^([0-9]*)(\*+)([0-9]*)$/.exec(mask) ?? [];
      assert.equal(mask.length, digits.length);
      assert.ok(first.length + last.length <= 10 && hidden.length >= 4, mask);
      assert.ok(first.length <= 6 && last.length <= 4, mask);
      assert.ok(digits.startsWith(first) && digits.endsWith(last));
      assert.equal(firstSix(cardNumber(digits)), first);
    }),
  );
});
