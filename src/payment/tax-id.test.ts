import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { parseTaxId } from "./tax-id.ts";

describe("a CPF or CNPJ with right check digits is read, bare or punctuated", () => {
  const rows: readonly (readonly [string, "cpf" | "cnpj", string])[] = [
    ["111.444.777-35", "cpf", "11144477735"],
    ["11144477735", "cpf", "11144477735"],
    ["529.982.247-25", "cpf", "52998224725"],
    ["000.000.001-91", "cpf", "00000000191"],
    ["11.222.333/0001-81", "cnpj", "11222333000181"],
    ["11222333000181", "cnpj", "11222333000181"],
    ["00.000.000/0001-91", "cnpj", "00000000000191"],
    ["12.ABC.345/01DE-35", "cnpj", "12ABC34501DE35"],
    ["12ABC34501DE35", "cnpj", "12ABC34501DE35"],
  ];
  for (const [text, kind, digits] of rows) test(text, () => assert.deepEqual(parseTaxId(text), { kind, digits }));
});

describe("anything else is not a tax-payer number", () => {
  const rows: Record<string, readonly string[]> = {
    "wrong check digits": [
      "111.444.777-36",
      "111.444.777-45",
      "11144477753",
      "11.222.333/0001-82",
      "11.222.333/0001-91",
      "12.ABC.345/01DE-36",
      "12ABC34501DE53",
    ],
    "one repeated character": [
      "111.111.111-11",
      "00000000000",
      "99999999999",
      "00.000.000/0000-00",
      "00000000000000",
      "11111111111111",
    ],
    "other punctuation": [
      "111444777-35",
      "111.444.77735",
      "111-444-777.35",
      "111 444 777 35",
      "11222333/0001-81",
      "11.222.333.0001-81",
      "11.222.333/000181",
      " 11144477735",
      "11144477735\n",
    ],
    "wrong length": ["", "1114447773", "111444777350", "1122233300018", "112223330001810"],
    "letters where none belong": [
      "12.abc.345/01de-35",
      "12ABC34501De35",
      "12ABC34501DEAB",
      "1114447773A",
      "A1144477735",
      "12ABÇ34501DE35",
      "１1144477735",
    ],
  };
  for (const [why, texts] of Object.entries(rows)) {
    for (const text of texts) test(`${why}: ${JSON.stringify(text)}`, () => assert.equal(parseTaxId(text), undefined));
  }
});

const DIGITS = "0123456789";
const anyCpfBase = fc.string({ unit: fc.constantFrom(...DIGITS), minLength: 9, maxLength: 9 });
const anyCnpjBase = fc.string({
  unit: fc.constantFrom(...DIGITS, ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
  minLength: 12,
  maxLength: 12,
});
const anyBase = fc.oneof(anyCpfBase, anyCnpjBase).filter((base) => new Set(base).size > 1);

const allCheckDigits = Array.from({ length: 100 }, (_, pair) => String(pair).padStart(2, "0"));
const rightCheckDigits = (base: string): string[] =>
  allCheckDigits.filter((pair) => parseTaxId(base + pair) !== undefined);

test("of the hundred pairs of check digits exactly one fits, so any change in them is refused", () => {
  fc.assert(fc.property(anyBase, (base) => assert.equal(rightCheckDigits(base).length, 1)));
});

test("a number means the same with and without its punctuation", () => {
  fc.assert(
    fc.property(anyBase, (base) => {
      const bare = base + rightCheckDigits(base)[0];
      const punctuated =
        bare.length === 11
          ? bare.replace(/^(...)(...)(...)(..)$/, "$1.$2.$3-$4")
          : bare.replace(/^(..)(...)(...)(....)(..)$/, "$1.$2.$3/$4-$5");
      assert.deepEqual(parseTaxId(punctuated), parseTaxId(bare));
      assert.equal(parseTaxId(bare)?.digits, bare);
    }),
  );
});
