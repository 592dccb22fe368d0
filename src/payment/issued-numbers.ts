// Which numbers look like a card's: by how they begin and how long they are. As a table of the first four digits, since
// hostile texts have many such numbers.

import { hasLuhnDigit } from "./card.ts";
import { BRAND_RANGES, type CardBrand } from "./card-brand.ts";

/**
 * How long numbers are that are given out. Left out are lengths that are allowed and in no use, or in none any more: Visa's
 * 13 and 18 digits, Maestro's below 16, 17 and 18 of the others. Bancontact's 17 begin with 6703.
 */
const GIVEN_OUT: Readonly<Record<CardBrand, readonly number[]>> = {
  visa: [16, 19],
  mastercard: [16],
  amex: [15],
  discover: [16, 19],
  diners: [14, 16, 19],
  jcb: [16, 19],
  unionpay: [16, 19],
  maestro: [16, 19],
  elo: [16],
  hipercard: [16, 19],
  unknown: [16, 19],
};

/** Braintree's credit-card-type; 13 digits are Visa's of old and Maestro's. `unknown`: blocks of brands without a name here. */
const ALLOWED: Readonly<Record<CardBrand, readonly number[]>> = {
  visa: [13, 16, 18, 19],
  mastercard: [16],
  amex: [15],
  discover: [16, 17, 18, 19],
  diners: [14, 16, 17, 18, 19],
  jcb: [16, 17, 18, 19],
  unionpay: [16, 17, 18, 19],
  maestro: [13, 14, 15, 16, 17, 18, 19],
  elo: [16],
  hipercard: [16, 19],
  unknown: [16, 18, 19],
};

/** The Universal Air Travel Plan's: an airline's card. Not among the brands, since nobody but airlines takes it. */
const UATP = "1";
/** JCB's numbers of old had fifteen digits. Times in microseconds begin with 1800 in January 2027. */
const OF_FIFTEEN_DIGITS = ["1800", "2131"];

/** By the first four digits: a bit for each length. */
type Lengths = Uint32Array;

function tableOf(digits: Readonly<Record<CardBrand, readonly number[]>>): Lengths {
  const table = new Uint32Array(10_000);
  const add = (from: string, to: string, lengths: readonly number[]) => {
    const first = Number(from.slice(0, 4).padEnd(4, "0"));
    const last = Number(to.slice(0, 4).padEnd(4, "9"));
    for (let four = first; four <= last; four++)
      for (const length of lengths) table[four] = (table[four] ?? 0) | (1 << length);
  };
  for (const [brand, text] of BRAND_RANGES)
    for (const range of text.split(" ")) {
      const [from = range, to = from] = range.split("-");
      add(from, to, OF_FIFTEEN_DIGITS.includes(from) ? [15] : digits[brand]);
    }
  add(UATP, UATP, [15]);
  return table;
}

const givenOut = tableOf(GIVEN_OUT);
givenOut[6703] = (givenOut[6703] ?? 0) | (1 << 17);
const allowed = tableOf(ALLOWED);

const isIn = (table: Lengths, digits: string): boolean =>
  digits.length <= 19 &&
  ((table[Number(digits.slice(0, 4))] ?? 0) & (1 << digits.length)) !== 0 &&
  hasLuhnDigit(digits);

/** @param digits nothing but digits */
export const isGivenOut = (digits: string): boolean => isIn(givenOut, digits);

/** Lengths too that are in no use: where the number is written as cards are, or said to be one. */
export const isAllowed = (digits: string): boolean => isIn(allowed, digits);

/** `1229`, `2912`, `122029`, `202912`, with a CVV behind it or not: what is run together with a card number. */
export const isExpiry = (digits: string): boolean =>
  /^(?:(?:0[1-9]|1[0-2])(?:20)?[23][0-9]|(?:20)?[23][0-9](?:0[1-9]|1[0-2]))(?:[0-9]{3,4})?$/.test(digits);
