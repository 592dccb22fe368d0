import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ANY_CHARACTER } from "../../../test/fixtures/any-character.ts";
import { endOfPrefix } from "./conditions.ts";

const bytes = (text: string) => Buffer.from(text, "utf8");
const before = (one: string, other: string) => Buffer.compare(bytes(one), bytes(other)) < 0;

describe("the end of a prefix", () => {
  const ends: [string, string | null, string][] = [
    ["a", "b", "the next letter"],
    ["order-1", "order-2", "only the last character moves"],
    ["order-", "order.", "whatever stands there"],
    ["%", "&", "a wildcard of LIKE is a character like others"],
    ["x\u007f", "x\u0080", "from one byte to two"],
    ["x\u07ff", "x\u0800", "from two bytes to three"],
    ["\ud7ff", "\ue000", "surrogates are skipped"],
    ["\uffff", "\u{10000}", "from three bytes to four"],
    ["😀", "😁", "one character of two halves"],
    ["a\u{10ffff}", "b", "the last code point of all has none after it"],
    ["a\u{10ffff}\u{10ffff}", "b", "nor do several"],
    ["\u{10ffff}", null, "and alone it has no end"],
    ["", null, "every text has the empty prefix"],
  ];
  for (const [prefix, end, why] of ends) {
    test(`of ${JSON.stringify(prefix)} is ${JSON.stringify(end)}: ${why}`, () =>
      assert.equal(endOfPrefix(prefix), end));
  }

  test("parts the texts with the prefix from those without", () => {
    const text = fc.string({ unit: ANY_CHARACTER, maxLength: 4 });
    fc.assert(
      fc.property(text, text, text, (prefix, rest, other) => {
        const end = endOfPrefix(prefix);
        const within = (value: string) => !before(value, prefix) && (end === null || before(value, end));
        assert.ok(within(prefix + rest));
        assert.equal(within(other), bytes(other).subarray(0, bytes(prefix).length).equals(bytes(prefix)));
      }),
    );
  });
});
