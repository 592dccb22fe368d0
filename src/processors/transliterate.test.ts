import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SEED, sized } from "../../test/random.ts";
import { cut, transliterate } from "./transliterate.ts";

for (const [given, expected] of [
  ["Bäckerei Müller", "Backerei Muller"],
  ["ÉÉÉ", "EEE"],
  ["SØRENSEN", "SORENSEN"],
  ["Søren Łukasz Đoković", "Soren Lukasz Dokovic"],
  ["Straße, GROẞE STRAẞE", "Strasse, GROSSE STRASSE"],
  ["Ærø Œuvre æ œ", "AEro OEuvre ae oe"],
  ["Þórður Guðrún ÐÞ", "Thordur Gudrun DTh"],
  ["Işık İstanbul Diyarbakır", "Isik Istanbul Diyarbakir"],
  ["Għaxaq Ħamrun", "Ghaxaq Hamrun"],
  ["Nguyễn Văn Ơn", "Nguyen Van On"],
  ["Çağlar Șerban Țîru Ňuľko Žižek", "Caglar Serban Tiru Nulko Zizek"],
  ["O’Brien ‘n’ Sons", "O'Brien 'n' Sons"],
  ["Rue de l’Église", "Rue de l'Eglise"],
  ["“Quoted” „so“ «là»", '"Quoted" "so" "la"'],
  ["2–3 — 4 − 5", "2-3 - 4 - 5"],
  ["½ lb № 5 ﬁne …", "1/2 lb No 5 fine ..."],
  ["ＡＢＣ　１２３", "ABC 123"],
  ["a\u00a0b\tc\nd", "a b c d"],
  ["Zero\u200bwidth \u{1f600} left", "Zerowidth  left"],
  ["Ψ Москва 東京", ""],
  ["  spaces  ", "spaces"],
] as const)
  test(`${JSON.stringify(given)} becomes ${JSON.stringify(expected)}`, () => {
    assert.equal(transliterate(given, 100), expected);
  });

test("a result is cut at its limit, also where a letter becomes two, and has no space at its end", () => {
  assert.equal(transliterate("Straße", 5), "Stras");
  assert.equal(transliterate("Straße", 6), "Strass");
  assert.equal(transliterate("ab cd", 3), "ab");
});

test("what a protocol does not take is dropped before the result is cut", () => {
  assert.equal(transliterate("l’Église *1*", 8, /[0-9A-Za-z ]/), "lEglise");
});

const words = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string());

test("a result has only what is allowed, is never longer than its limit, and is its own transliteration", () => {
  fc.assert(
    fc.property(
      words,
      fc.integer({ min: 0, max: 40 }),
      fc.constantFrom(/[ -~]/, /[A-Za-z ]/, /[0-9]/),
      (text, most, allowed) => {
        const result = transliterate(text, most, allowed);
        assert.ok(result.length <= most);
        assert.ok([...result].every((character) => /[ -~]/.test(character) && allowed.test(character)));
        assert.equal(transliterate(result, most, allowed), result);
        assert.equal(result, result.trim());
      },
    ),
    { seed: SEED, numRuns: sized(500, 50_000) },
  );
});

test("a text that is cut is never longer than its limit, and has no half of a pair", () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 0, max: 20 }), (text, most) => {
      const result = cut(text.toWellFormed(), most);
      assert.ok(result.length <= most && result.isWellFormed() && text.toWellFormed().startsWith(result));
    }),
    { seed: SEED, numRuns: sized(500, 50_000) },
  );
});
