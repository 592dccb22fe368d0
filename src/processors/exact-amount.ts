// Amounts in reports, which may have more decimals than money has (fees of a fraction of a cent): whole millionths of a currency's
// major unit, so that they are compared and added up exactly.

import type { Amount } from "../payment/money.ts";

/** Millionths of the major unit: 1.25 dollars are 1,250,000. */
export type Exact = bigint;

const DECIMALS = 6;
const FORM = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/;

/** `-12.5` with a point, at most twelve digits before it and six after. Undefined for all else. */
export function parseExact(text: string): Exact | undefined {
  const [, sign, whole, decimals = ""] = FORM.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const units = BigInt(whole + decimals.padEnd(DECIMALS, "0"));
  return sign === "-" ? -units : units;
}

/** The API's amounts are hundredths. */
export const exactOf = (amount: Amount): Exact => amount * 10_000n;

/** With two decimals, or as many more as it needs. */
export function renderExact(exact: Exact): string {
  const digits = (exact < 0n ? -exact : exact).toString().padStart(DECIMALS + 1, "0");
  const [whole, decimals] = [digits.slice(0, -DECIMALS), digits.slice(-DECIMALS)];
  return `${exact < 0n ? "-" : ""}${whole}.${decimals.slice(0, 2)}${decimals.slice(2).replace(/0+$/, "")}`;
}

/** `1.0842`: a rate of exchange above zero. Undefined for all else. */
export function parseRate(text: string): { readonly digits: bigint; readonly decimals: number } | undefined {
  const [, whole, decimals = ""] = RATE.exec(text) ?? [];
  const digits = whole === undefined ? 0n : BigInt(whole + decimals);
  return digits === 0n ? undefined : { digits, decimals: decimals.length };
}

const RATE = /^(\d{1,9})(?:\.(\d{1,12}))?$/;
