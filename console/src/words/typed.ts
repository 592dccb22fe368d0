// Numbers as people type and paste them: with spaces, thousands grouped, a currency beside them. What cannot be understood without a
// guess stays as it is, and is refused. Pure.

import { decimalOf } from "./money.ts";

/** Groups of three, all by the same sign; a comma before two digits is a decimal comma somewhere, and here it is nothing. */
const GROUPED = /^\d{1,3}(?:([,'’ ])\d{3})(?:\1\d{3})*$/;
const DECIMAL = /^(.*?)(?:\.(\d{1,2}))?$/s;
const PLAIN = /^\d{1,7}$/;
/** Also those of other widths, which pages and spreadsheets put between thousands. */
const SPACES = /[\s\u00a0\u2009\u202f]+/g;

const tidied = (text: string): string => text.replace(SPACES, " ").trim();

/** `1,234,567` → `1234567`; undefined if it is no whole number. */
function wholeOf(text: string): string | undefined {
  if (GROUPED.test(text)) return text.replace(/\D/g, "");
  return /^\d+$/.test(text) ? text : undefined;
}

/** `12`, `12.5`, `1,234.50`, `1 234.50` → `"1234.50"`. Undefined if it is no amount. */
export function typedAmount(text: string): string | undefined {
  const [, before = "", fraction = ""] = DECIMAL.exec(tidied(text)) ?? [];
  const whole = wholeOf(before)?.replace(/^0+(?=\d)/, "");
  if (whole === undefined || !PLAIN.test(whole)) return undefined;
  return decimalOf(Number(whole) * 100 + Number(fraction.padEnd(2, "0")));
}

/** An amount with or without its currency: `USD 12.50`, `12.50 usd`, `1,234.50`. */
export function typedMoney(text: string): { readonly amount: string; readonly currency?: string } | undefined {
  const [, before, number = "", after] = /^([A-Za-z]{3} ?)?(.*?)( ?[A-Za-z]{3})?$/s.exec(tidied(text)) ?? [];
  const amount = typedAmount(number);
  if (amount === undefined || (before !== undefined && after !== undefined)) return undefined;
  const currency = (before ?? after)?.trim().toUpperCase();
  return currency === undefined ? { amount } : { amount, currency };
}

/** For a request: what is no amount goes as it was typed, and the API says what is wrong with it. */
export const amountSent = (text: string): string => typedAmount(text) ?? text.trim();

/** The same for whole numbers: `20,000` → 20000. */
export function numberSent(text: string): number | string {
  const whole = wholeOf(tidied(text));
  return whole !== undefined && whole.length <= 15 ? Number(whole) : text.trim();
}

/** A code of an authenticator app is shown in two halves. */
export const codeSent = (text: string): string => {
  const digits = text.replace(SPACES, "").replace(/-/g, "");
  return /^\d{6}$/.test(digits) ? digits : text.trim();
};
