// Amounts as people read them. The API's are decimal texts with two places; sums are whole hundredths, never fractions.

/** `"12.30"` → 1230 */
export const hundredthsOf = (amount: string): number => Number(amount.replace(".", ""));

/** 1230 → `"12.30"` */
export function decimalOf(hundredths: number): string {
  const digits = String(Math.abs(hundredths)).padStart(3, "0");
  return `${hundredths < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** `"1234567.50"` → `1,234,567.50`; a currency without hundredths shows none. */
export function grouped(amount: string, currency?: string): string {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)\.(\d\d)$/.exec(amount) ?? [undefined, "", amount];
  const places = currency !== undefined && isWhole(currency) && fraction === "00" ? "" : fraction;
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}${places === "" ? "" : `.${places}`}`;
}

/** Currencies that have no hundredths, as the browser knows them. */
function isWhole(currency: string): boolean {
  try {
    return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits === 0;
  } catch {
    return false;
  }
}
