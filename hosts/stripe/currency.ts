// Which amounts Stripe takes in a currency's smallest unit. https://docs.stripe.com/currencies, "Minor units" and "Special cases", read
// on 2026-11-28.

/** Counted in whole units. */
export const ZERO_DECIMAL: readonly string[] = [
  ...["bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "vnd", "vuv", "xaf", "xof", "xpf"],
];
/** Counted in thousandths. "The least-significant (last) digit" must be 0. */
export const THREE_DECIMAL: readonly string[] = ["bhd", "jod", "kwd", "omr", "tnd"];
/** Counted in hundredths for compatibility. There are no hundredths of them, so an amount is "evenly divisible by 100". */
export const WHOLE_CHARGES: readonly string[] = ["isk", "ugx"];
/** Charged in hundredths, paid out in whole units only. */
export const WHOLE_PAYOUTS: readonly string[] = ["huf", "twd"];

/** Whether Stripe takes this many of the smallest unit. */
export const takesAmount = (units: number, currency: string): boolean =>
  units % (THREE_DECIMAL.includes(currency) ? 10 : WHOLE_CHARGES.includes(currency) ? 100 : 1) === 0;
