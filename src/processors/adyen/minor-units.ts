// Amounts as Adyen wants them: in the currency's minor unit by ISO 4217, but for four currencies.

import { exponentOf } from "../../payment/currency.ts";
import { type Amount, amountOf } from "../../payment/money.ts";

// docs.adyen.com/development-resources/currency-codes, "Minor units": for these its table differs from ISO 4217, and leads.
const EXCEPTIONS: Readonly<Record<string, number>> = { CLP: 2, CVE: 0, IDR: 0, ISK: 2 };

/** Undefined for what the unit cannot say: half a rupiah. */
export function adyenValue(amount: Amount, currency: string): number | undefined {
  const exponent = EXCEPTIONS[currency] ?? exponentOf(currency);
  if (exponent >= 2) return Number(amount * 10n ** BigInt(exponent - 2));
  const unit = 10n ** BigInt(2 - exponent);
  return amount % unit === 0n ? Number(amount / unit) : undefined;
}

/** The way back; undefined for what two decimals cannot say, and for what is no amount. */
export function ofAdyenValue(value: number, currency: string): Amount | undefined {
  if (!Number.isSafeInteger(value) || value < 0) return undefined;
  const exponent = EXCEPTIONS[currency] ?? exponentOf(currency);
  if (exponent <= 2) return amountOf(BigInt(value) * 10n ** BigInt(2 - exponent));
  const unit = 10n ** BigInt(exponent - 2);
  return BigInt(value) % unit === 0n ? amountOf(BigInt(value) / unit) : undefined;
}
