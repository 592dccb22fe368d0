// Amounts: two decimals for every currency, as the API's contract has it. A currency's own minor unit stands in
// currency.ts. Adding up is here; who may take how much is the business of the operations' rules.

declare const hundredths: unique symbol;

/** Whole hundredths of a currency (356n is 3.56), never negative. May be zero and may exceed {@link MOST}: sums are amounts too. */
export type Amount = bigint & { readonly [hundredths]: true };

export type ParsedAmount =
  | { readonly ok: true; readonly amount: Amount }
  | { readonly ok: false; readonly why: "malformed" | "too-precise" | "out-of-range" };

export const ZERO = amountOf(0n);
/** 0.01, the least that one operation may move (API specification, section 8). */
export const LEAST = amountOf(1n);
/** 9999999, the most that one operation may move (API specification, section 8). */
export const MOST = amountOf(999_999_900n);

/** Longer texts are refused unread: leading zeros do no harm, a megabyte of them does. */
const LONGEST_TEXT = 64;
const DECIMAL = /^([0-9]+)(?:\.([0-9]+))?$/;

/**
 * The amount that a request names, from its text or from the literal of a JSON number, exactly as it was written.
 * `malformed`: not digits, then at most a point and digits (no sign, space, comma, exponent). `too-precise`: more than
 * two decimals, unless they are zeros. `out-of-range`: not from 0.01 to 9999999.
 */
export function parseAmount(text: string): ParsedAmount {
  const [, whole, decimals = ""] = (text.length <= LONGEST_TEXT && DECIMAL.exec(text)) || [];
  if (whole === undefined) return { ok: false, why: "malformed" };
  if (!/^0*$/.test(decimals.slice(2))) return { ok: false, why: "too-precise" };
  const amount = amountOf(BigInt(whole + decimals.slice(0, 2).padEnd(2, "0")));
  return amount < LEAST || amount > MOST ? { ok: false, why: "out-of-range" } : { ok: true, amount };
}

/** `3.56`: two decimals, a point, no grouping. */
export function renderAmount(amount: Amount): string {
  const digits = amount.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** `-3.56`: hundredths that may be negative, such as what a refund moves. */
export const renderSigned = (hundredths: bigint): string =>
  hundredths < 0n ? `-${renderAmount(amountOf(-hundredths))}` : renderAmount(amountOf(hundredths));

/** Hundredths from inside the house (a row). A negative one is a bug and throws a RangeError. */
export function amountOf(hundredths: bigint): Amount {
  if (hundredths < 0n) throw new RangeError(`An amount is never negative, this one is ${hundredths} hundredths.`);
  return hundredths as Amount;
}

/** Both together, of one currency. */
export function plus(one: Amount, other: Amount): Amount {
  return amountOf(one + other);
}

/** What is left of `from`. Taking more than there is means that a rule let too much through: throws a RangeError. */
export function minus(from: Amount, taken: Amount): Amount {
  return amountOf(from - taken);
}

export function lesser(one: Amount, other: Amount): Amount {
  return one < other ? one : other;
}

/** All together, of one currency. */
export function sum(amounts: Iterable<Amount>): Amount {
  let total = 0n;
  for (const amount of amounts) total += amount;
  return amountOf(total);
}
