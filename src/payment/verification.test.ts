import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { CARD_BRANDS } from "./card-brand.ts";
import { type AvsWord, avsWord, type CvvWord, cvvWord, type LetterScheme } from "./verification.ts";

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const SCHEMES: readonly LetterScheme[] = ["simulator", ...CARD_BRANDS];

/** The words of a scheme, each with all its letters; letters that are in no row have no word. */
function lettersByWord<Word extends string>(wordOf: (letter: string) => Word | null): Partial<Record<Word, string>> {
  const found: Partial<Record<Word, string>> = {};
  for (const letter of LETTERS) {
    const word = wordOf(letter);
    if (word !== null) found[word] = (found[word] ?? "") + letter;
  }
  return found;
}

describe("AVS letters mean what the brand says they mean", () => {
  const shared = { postal_match: "Z", no_match: "N", unavailable: "RU", not_supported: "S" };
  const mastercard = {
    match: "XY",
    address_match: "A",
    postal_match: "WZ",
    no_match: "N",
    unavailable: "RU",
    not_supported: "S",
  };
  const discover = {
    match: "AX",
    address_match: "Y",
    postal_match: "TZ",
    no_match: "N",
    unavailable: "GRUW",
    not_supported: "S",
  };
  const expected: Record<LetterScheme, Partial<Record<AvsWord, string>>> = {
    simulator: {
      match: "Y",
      address_match: "A",
      postal_match: "Z",
      no_match: "N",
      unavailable: "U",
      not_supported: "S",
    },
    visa: {
      match: "DFMXY",
      address_match: "AB",
      postal_match: "PWZ",
      no_match: "N",
      unavailable: "CEGIRU",
      not_supported: "S",
    },
    mastercard,
    maestro: mastercard,
    amex: {
      match: "EMY",
      address_match: "AFO",
      postal_match: "DLZ",
      no_match: "KNW",
      unavailable: "RU",
      not_supported: "S",
    },
    discover,
    diners: discover,
    unionpay: discover,
    jcb: shared,
    elo: shared,
    hipercard: shared,
    unknown: shared,
  };
  for (const scheme of SCHEMES) {
    test(scheme, () =>
      assert.deepEqual(
        lettersByWord((letter) => avsWord(scheme, letter)),
        expected[scheme],
      ),
    );
  }
});

test("what Discover calls A, Visa calls Y, and the other way round", () => {
  assert.equal(avsWord("discover", "A"), avsWord("visa", "Y"));
  assert.equal(avsWord("discover", "Y"), avsWord("visa", "A"));
});

test("no brand's letter claims a match where its own table says that something did not match", () => {
  for (const scheme of SCHEMES) assert.equal(avsWord(scheme, "N"), "no_match", scheme);
  assert.equal(avsWord("amex", "W"), "no_match");
  assert.equal(avsWord("discover", "W"), "unavailable");
});

describe("CVV letters mean what the brand says they mean", () => {
  const shared = { match: "M", no_match: "N", not_processed: "P", not_present: "S", unsupported: "U" };
  const mastercard = { match: "M", no_match: "N", not_processed: "P", unsupported: "U" };
  const expected: Record<LetterScheme, Partial<Record<CvvWord, string>>> = {
    simulator: shared,
    visa: shared,
    mastercard,
    maestro: mastercard,
    amex: { match: "MY", no_match: "N", not_processed: "PU", not_present: "S" },
    discover: shared,
    diners: shared,
    unionpay: shared,
    jcb: { match: "MY", no_match: "DN", not_processed: "P", not_present: "S", unsupported: "U" },
    elo: shared,
    hipercard: shared,
    unknown: shared,
  };
  for (const scheme of SCHEMES) {
    test(scheme, () =>
      assert.deepEqual(
        lettersByWord((letter) => cvvWord(scheme, letter)),
        expected[scheme],
      ),
    );
  }
});

test("what is not a letter of the table has no word", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...SCHEMES),
      fc.oneof(fc.string(), fc.constantFrom("", " ", "y", "YY", "constructor", "__proto__")),
      (scheme, text) => {
        fc.pre(!LETTERS.includes(text));
        assert.deepEqual([avsWord(scheme, text), cvvWord(scheme, text)], [null, null]);
      },
    ),
  );
});
