// Whether a text that is for something else holds a card number: typed into the wrong field, pasted into a note. What is
// refused and what is let through on purpose, and how often it errs: docs/decisions/stray-card-numbers.md.

import { hasLuhnDigit } from "./card.ts";
import { isBrandNumber } from "./card-brand.ts";
import type { CardNumber } from "./secret.ts";
import { parseTaxId } from "./tax-id.ts";

/** What the field is for, where such numbers may look like a card's. */
export type Purpose = "ticket number" | "phone number" | "tax id";

/** The card of the same request: its number is found even where it is no card's by its form. */
export interface Sought {
  readonly own?: CardNumber | undefined;
  readonly purpose?: Purpose | undefined;
}

export function holdsCardNumber(text: string, { own, purpose }: Sought = {}): boolean {
  const fewest = Math.min(own?.reveal().length ?? SHORTEST_OF_BRANDS, SHORTEST_OF_BRANDS);
  // Nearly all texts of all requests end here: with plain characters, and fewer digits than any number looked for.
  if (text.length < SHORTEST || (digitsIn(text) ?? fewest) < fewest) return false;
  const plain = plainDigits(text);
  if (own !== undefined && holdsOwn(plain, own.reveal())) return true;
  if (purpose !== undefined && SUITS[purpose](text)) return false;
  return sequencesOf(plain.length < 32 ? plain : plain.replaceAll(HEXADECIMAL, "x")).some(
    ({ groups, international }) => !international && numbersIn(groups).some(isCardNumber),
  );
}

const SHORTEST = 8;
const SHORTEST_OF_BRANDS = 13;

/** Undefined for a text with other characters than ASCII's: there are more digits than ten. */
function digitsIn(text: string): number | undefined {
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return undefined;
    if (code >= 48 && code <= 57) digits++;
  }
  return digits;
}

/** Ids and hashes, in which such a row of digits comes about by chance. */
const HEXADECIMAL = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,}/gi;

/** Full-width digits, long dashes, characters without width: the number is there all the same. */
const plainDigits = (text: string): string =>
  /[^\0-\x7f]/.test(text)
    ? text
        .normalize("NFKC")
        .replaceAll(/\p{Cf}/gu, "")
        .replaceAll(/\p{Pd}/gu, "-")
    : text;

/** Anywhere; a short one only where it stands alone, since eight digits in a row are soon found in longer ones. */
function holdsOwn(plain: string, digits: string): boolean {
  if (digits.length >= 13) return plain.replaceAll(/[\s-]/g, "").includes(digits);
  return sequencesOf(plain).some(({ groups }) => groups.includes(digits) || groups.join("") === digits);
}

interface Sequence {
  /** Digits, as spaces and dashes part them. */
  readonly groups: readonly string[];
  /** With a plus before it: a phone number (ITU-T E.164 allows 15 digits). */
  readonly international: boolean;
}

function sequencesOf(plain: string): Sequence[] {
  return (plain.match(/\+?[0-9]+(?:[\s-]{1,3}[0-9]+)*/g) ?? []).map((digits) => {
    const plus = digits.startsWith("+");
    const groups = (plus ? digits.slice(1) : digits).split(/[\s-]+/);
    return { groups, international: plus && groups.join("").length <= 15 };
  });
}

/** As cards are printed; the whole of a sequence counts however it is parted. */
const PRINTED: readonly (readonly number[])[] = [
  [4, 4, 4, 4],
  [4, 4, 4, 4, 3],
  [4, 4, 4, 1],
  [4, 6, 5],
  [4, 6, 4],
];

function numbersIn(groups: readonly string[]): readonly string[] {
  if (groups.length === 1) return groups;
  const printed = groups.flatMap((_, start) =>
    PRINTED.filter((lengths) => lengths.every((length, index) => groups[start + index]?.length === length)).map(
      (lengths) => groups.slice(start, start + lengths.length).join(""),
    ),
  );
  const whole = groups.join("");
  return [...groups, ...printed, ...(whole.length <= 19 ? [whole] : [])];
}

const isCardNumber = (digits: string): boolean =>
  digits.length >= 13 && digits.length <= 19 && hasLuhnDigit(digits) && isBrandNumber(digits) && !isArticle(digits);

/**
 * Numbers of articles (GTIN-13, GTIN-14) and parcels (SSCC), with a check digit of their own: the GS1 General
 * Specifications, section 7.9. German, British and Danish ones begin as cards do.
 */
function isArticle(digits: string): boolean {
  if (![13, 14, 18].includes(digits.length)) return false;
  const total = [...digits].reduceRight(
    (sum, digit, index) => sum + Number(digit) * ((digits.length - index) % 2 === 0 ? 3 : 1),
    0,
  );
  return total % 10 === 0;
}

const SUITS: Readonly<Record<Purpose, (text: string) => boolean>> = {
  // An airline's three digits and ten of its own (IATA Resolution 722). One in ten passes Luhn by chance.
  "ticket number": (text) => /^[0-9]{13}$/.test(text),
  // German mobile numbers have thirteen digits and begin with 49.
  "phone number": (text) => text.replaceAll(/[^0-9]/g, "").length <= 13,
  "tax id": (text) => parseTaxId(text) !== undefined,
};
