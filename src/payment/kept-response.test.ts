// No card number that a processor says is kept, wherever it says it; and its ids stay what they are.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PROCESSOR_RESPONSE } from "../../test/transactions.ts";
import { maskCard, parseCardNumber } from "./card.ts";
import { holdsMasked, keptReference, keptResponse, keptWords } from "./kept-response.ts";
import type { ProcessorResponse } from "./outcome.ts";

const maskOf = (digits: string): string => {
  const number = parseCardNumber(digits);
  assert.ok(number);
  return maskCard(number);
};

const TEXTS = [
  "code",
  "message",
  "transactionId",
  "authCode",
  "rawAvs",
  "rawCvv",
  "rawThreeDSecure",
  "detail",
] as const;
const card = fc.stringMatching(/^[2-6][0-9]{12,18}$/);
const apart = fc.constantFrom("", " ", "-", ".", "/", "\u00a0", ", ");
const around = fc.constantFrom("", "ref ", "x", "PAN=", "=", "tok_", "card:", ";");

/** As a processor may write it: whole, in groups, among other characters, in wide digits. */
const written = fc
  .record({ digits: card, between: apart, group: fc.integer({ min: 2, max: 6 }), around, wide: fc.boolean() })
  .map(({ digits, between, group, around, wide }) => {
    const groups = digits.match(new RegExp(`.{1,${group}}`, "g"))?.join(between) ?? "";
    const text = wide ? groups.replace(/\d/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)) : groups;
    return { digits, text: `${around}${text}${around}` };
  });

const digitsIn = (text: string): string => text.normalize("NFKC").replace(/\D/g, "");

test("the number of the charge's own card is in no text that is kept, whatever the card and however it is written", () => {
  fc.assert(
    fc.property(written, fc.constantFrom(...TEXTS), ({ digits, text }, field) => {
      const kept = keptResponse({ ...PROCESSOR_RESPONSE, [field]: text }, maskOf(digits));
      assert.ok(!digitsIn(kept[field] ?? "").includes(digits), `${field}: ${kept[field]}`);
      assert.ok(!digitsIn(JSON.stringify(kept)).includes(digits));
      const others = ({ [field]: _, ...rest }: ProcessorResponse) => rest;
      assert.deepEqual(others(kept), others(PROCESSOR_RESPONSE));
    }),
    { numRuns: 1_000 },
  );
});

test("an id of digits stays as it is, even if it passes for a card number, unless it is the card's own", () => {
  const own = maskOf("4111111111111111");
  for (const id of ["4012888888881881", "5555555555554444", "8825408195409505", "881154083617", "pi_3Nabc4111", "0001"])
    assert.equal(keptReference(id, own), id);
  for (const id of ["4111111111111111", "tok_4111-1111-1111-1111", "x4111111111111111y", "00411111111111111100"])
    assert.doesNotMatch(keptReference(id, own), /\d/, id);
  assert.equal(keptReference("4111111111111111", undefined), "4111111111111111", "nobody knows the card");
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9]{6,24}$/), (id) => {
      fc.pre(!/411111\d{6}1111/.test(id));
      assert.equal(keptReference(id, own), id);
    }),
  );
});

/** As a regular expression, which is easier to read and takes some hundred times as long. */
function holdsMaskedByPattern(text: string, mask: string): boolean {
  const digits = [...mask].map((one) => (one === "*" ? "\\d" : one)).join("[^\\p{L}\\p{N}]{0,2}");
  const pattern = mask.length < 13 ? `(?<!\\d)${digits}(?!\\d)` : digits;
  return new RegExp(pattern, "u").test(text.normalize("NFKC"));
}

test("a number is found as a regular expression of its mask would find it", () => {
  const piece = fc.constantFrom(
    "4",
    "2",
    "22",
    "0001",
    "4222",
    "42220001",
    "42",
    " ",
    "-",
    "--",
    "---",
    "x",
    "é",
    "\uff14",
    "٤",
    "1",
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 14 }),
      fc.constantFrom("42220001", "4222000142220001"),
      (pieces, digits) => {
        const [text, mask] = [pieces.join(""), maskOf(digits)];
        assert.equal(holdsMasked(text, mask), holdsMaskedByPattern(text, mask), text);
      },
    ),
    { numRuns: 1_000 },
  );
});

test("a short card's number is found where it stands alone, and not within a longer id", () => {
  const mask = maskOf("42220001");
  assert.equal(keptReference("ref 42220001", mask), "ref ********");
  assert.equal(keptReference("9942220001", mask), "9942220001");
});

test("free texts lose any card number, the card's own also where no other would be taken for one", () => {
  assert.equal(keptWords("card 5555 5555 5555 4444 is lost"), "card **** **** **** **** is lost");
  const unknown = maskOf("9999999999999995");
  assert.equal(keptWords("card 9999999999999995", unknown), "card ****************");
  assert.equal(keptWords("batch 881154083617 of 2031-05-01", unknown), "batch 881154083617 of 2031-05-01");
});
