// A card as a request gives it: the number, the CVV, the month it expires. Parsed once at the edge, and shown with a
// mask; the brand follows from the number and has a file of its own.

import { type CardNumber, type Cvv, Secret } from "./secret.ts";

const CARD_NUMBER = /^[0-9]{8,19}$/;
const CVV = /^[0-9]{3,4}$/;

/** Digits only, 8 to 19 of them: no spaces, no dashes. A number that fails Luhn is still one; issuers decline it. */
export function parseCardNumber(text: string): CardNumber | undefined {
  return CARD_NUMBER.test(text) ? new Secret("card number", text) : undefined;
}

/** A number that was parsed before and comes back from the vault. Anything else is a fault, told without the text. */
export function cardNumber(digits: string): CardNumber {
  const number = parseCardNumber(digits);
  if (!number) throw new TypeError("A card number is 8 to 19 digits; this text is something else.");
  return number;
}

/** Three or four digits; undefined: they are not. */
export function parseCvv(text: string): Cvv | undefined {
  return CVV.test(text) ? new Secret("CVV", text) : undefined;
}

/** Whether the last digit is the check digit of those before it (ISO/IEC 7812-1, annex B; the Luhn formula). */
export const passesLuhn = (number: CardNumber): boolean => hasLuhnDigit(number.reveal());

/** @param digits nothing but digits */
export function hasLuhnDigit(digits: string): boolean {
  let total = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = digits.charCodeAt(at) - 48;
    const doubled = (digits.length - at) % 2 === 0 ? digit * 2 : digit;
    total += doubled > 9 ? doubled - 9 : doubled;
  }
  return total % 10 === 0;
}

/** The month printed on the card: 1 to 12, and a year of four digits. */
export type Expiry = { readonly month: number; readonly year: number };

/** From `card_expiry_month` (01 to 12) and `card_expiry_year` (four digits). */
export function parseExpiry(month: string, year: string): Expiry | undefined {
  if (!/^(?:0[1-9]|1[0-2])$/.test(month) || !/^[0-9]{4}$/.test(year)) return undefined;
  return { month: Number(month), year: Number(year) };
}

/**
 * A card is good through the last instant of its expiry month (ISO/IEC 7813 gives year and month, no day).
 * In UTC, like every other time of day here: nobody publishes the time zone in which an issuer's month ends, and in
 * the hours when time zones differ the issuer, who knows, declines with 54.
 */
export function expired(expiry: Expiry, now: Date): boolean {
  const year = now.getUTCFullYear();
  return year > expiry.year || (year === expiry.year && now.getUTCMonth() + 1 > expiry.month);
}

const SHOWN_FIRST = 6;
const SHOWN_LAST = 4;
const HIDDEN_AT_LEAST = 4;

/** `411111******1111`. Of a short number the last digits go first, then the sixth and fifth: four always stay hidden. */
export function maskCard(number: CardNumber): string {
  const digits = number.reveal();
  const first = firstSix(number);
  const last = Math.min(SHOWN_LAST, digits.length - HIDDEN_AT_LEAST - first.length);
  const hidden = digits.length - first.length - last;
  return first + "*".repeat(hidden) + digits.slice(first.length + hidden);
}

/** The digits that a search by card number goes by; of a number with less than ten digits, the first that its mask shows. */
export function firstSix(number: CardNumber): string {
  const digits = number.reveal();
  return digits.slice(0, Math.min(SHOWN_FIRST, digits.length - HIDDEN_AT_LEAST));
}
