// Brazilian tax-payer numbers: CPF of a person, CNPJ of a company. Checks form and check digits only; whether the
// number was ever given to anybody the Receita Federal knows.

/** `digits` is the number without its punctuation; a CNPJ may hold letters among its first twelve. */
export type TaxId = { readonly kind: "cpf" | "cnpj"; readonly digits: string };

type Form = {
  readonly kind: TaxId["kind"];
  /** Bare, and with the official punctuation; nothing in between. */
  readonly written: readonly RegExp[];
  /** The highest weight of its modulus 11; weights run from 2 at the right end up to it and begin again. */
  readonly highestWeight: number;
};

const FORMS: readonly Form[] = [
  { kind: "cpf", written: [/^[0-9]{11}$/, /^[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}$/], highestWeight: 11 },
  {
    // Letters in the first twelve places since July 2026 (Instrução Normativa RFB 2.229/2024); upper case only.
    kind: "cnpj",
    written: [/^[0-9A-Z]{12}[0-9]{2}$/, /^[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}\/[0-9A-Z]{4}-[0-9]{2}$/],
    highestWeight: 9,
  },
];

export function parseTaxId(text: string): TaxId | undefined {
  const form = FORMS.find(({ written }) => written.some((way) => way.test(text)));
  if (!form) return undefined;
  const digits = text.replaceAll(/[./-]/g, "");
  // 111.111.111-11 has right check digits, but such numbers are never given out.
  const repeated = new Set(digits).size === 1;
  return repeated || !hasRightCheckDigits(digits, form) ? undefined : { kind: form.kind, digits };
}

function hasRightCheckDigits(digits: string, { highestWeight }: Form): boolean {
  const base = digits.slice(0, -2);
  const first = checkDigit(base, highestWeight);
  const second = checkDigit(base + first, highestWeight);
  return digits === base + first + second;
}

/** Modulus 11; remainders 0 and 1 give 0. A character counts as its ASCII code less 48: 0 is 0, A is 17, Z is 42. */
function checkDigit(characters: string, highestWeight: number): string {
  const cycle = highestWeight - 1;
  const total = [...characters]
    .reverse()
    .reduce((running, character, place) => running + (character.charCodeAt(0) - 48) * (2 + (place % cycle)), 0);
  const remainder = total % 11;
  return remainder < 2 ? "0" : String(11 - remainder);
}
