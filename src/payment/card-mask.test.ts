import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { cardNumber, firstSix, maskCard } from "./card.ts";

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
