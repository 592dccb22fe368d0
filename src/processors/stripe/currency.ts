// Amounts as Stripe counts them: in the smallest unit of the currency, by a list of Stripe's own that differs from ISO 4217 in
// places. https://docs.stripe.com/currencies (zero-decimal, three-decimal and special cases)

import { isCurrency } from "../../payment/currency.ts";
import { type Amount, amountOf } from "../../payment/money.ts";

/** MGA has two decimals in ISO 4217 and none here. ISK and UGX have none in ISO 4217, and stand with two zeros here. */
const ZERO_DECIMAL = new Set("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split(" "));

/** Their last digit must be 0, and is: amounts have two decimals. */
const THREE_DECIMAL = new Set("BHD JOD KWD OMR TND".split(" "));

/** Three decimals in ISO 4217, and not in Stripe's list: nobody knows how they would be counted. */
const UNKNOWN = new Set(["IQD", "LYD"]);

/** Whether it is known how Stripe counts this currency. Whether an account takes it, Stripe says. */
export const countsCurrency = (currency: string): boolean => isCurrency(currency) && !UNKNOWN.has(currency);

/** Undefined for what Stripe cannot say: half an ariary. */
export function inStripeUnits(amount: Amount, currency: string): number | undefined {
  if (THREE_DECIMAL.has(currency)) return Number(amount * 10n);
  if (!ZERO_DECIMAL.has(currency)) return Number(amount);
  return amount % 100n === 0n ? Number(amount / 100n) : undefined;
}

/** The way back; undefined for what two decimals cannot say. */
export function ofStripeUnits(units: number, currency: string): Amount | undefined {
  if (!Number.isSafeInteger(units) || units < 0) return undefined;
  if (ZERO_DECIMAL.has(currency)) return amountOf(BigInt(units) * 100n);
  if (!THREE_DECIMAL.has(currency)) return amountOf(BigInt(units));
  return units % 10 === 0 ? amountOf(BigInt(units) / 10n) : undefined;
}

/** Millionths of the major unit; undefined for a currency that is not counted. */
export function exactOfStripeUnits(units: number, currency: string): bigint | undefined {
  if (!Number.isSafeInteger(units) || !countsCurrency(currency)) return undefined;
  if (ZERO_DECIMAL.has(currency)) return BigInt(units) * 1_000_000n;
  return BigInt(units) * (THREE_DECIMAL.has(currency) ? 1_000n : 10_000n);
}

/** Charged in hundredths, and paid out in whole units only. Nobody says what an automatic payout does with the part of a unit. */
const WHOLE_PAYOUTS = new Set(["HUF", "TWD"]);

/** Less than this may be left of a payout. */
export const leftOfStripePayout = (currency: string): bigint => (WHOLE_PAYOUTS.has(currency) ? 1_000_000n : 1n);
