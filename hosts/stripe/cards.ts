// What each card does: numbers that Stripe's own test mode has, with what they do there (https://docs.stripe.com/testing). Any other
// card is approved, unless its number fails Luhn or its month is over.

export interface Conduct {
  /** Its charges are declined so. */
  readonly decline?: { readonly code: string; readonly declineCode?: string };
  readonly cvcCheck?: "fail";
  readonly addressChecks?: "fail";
  /** Its payer has to authenticate. */
  readonly challenge?: true;
  /** Its refunds succeed and fail later, or are pending and succeed later. */
  readonly refund?: "fails-later" | "pending";
}

const declined = (declineCode: string): Conduct => ({ decline: { code: "card_declined", declineCode } });

const CARDS: ReadonlyMap<string, Conduct> = new Map([
  ["4000000000000002", declined("generic_decline")],
  ["4000000000009995", declined("insufficient_funds")],
  ["4000000000009987", declined("lost_card")],
  ["4000000000009979", declined("stolen_card")],
  ["4100000000000019", declined("fraudulent")],
  ["4000000000000069", { decline: { code: "expired_card" } }],
  ["4000000000000127", { decline: { code: "incorrect_cvc" } }],
  ["4000000000000119", { decline: { code: "processing_error" } }],
  ["4000000000000101", { cvcCheck: "fail" }],
  ["4000000000000010", { addressChecks: "fail" }],
  ["4000002760003184", { challenge: true }],
  ["4000000000005126", { refund: "fails-later" }],
  ["4000000000007726", { refund: "pending" }],
]);

export const conductOf = (number: string): Conduct => CARDS.get(number) ?? {};

/** Why Stripe itself takes no such card, before anybody is asked. */
export function wrongWith(number: string, month: number, year: number, now: Date): string | null {
  if (!passesLuhn(number)) return "incorrect_number";
  const over = year < now.getUTCFullYear() || (year === now.getUTCFullYear() && month < now.getUTCMonth() + 1);
  return over ? "expired_card" : null;
}

function passesLuhn(number: string): boolean {
  let total = 0;
  for (let index = 0; index < number.length; index++) {
    const digit = Number(number.charAt(number.length - 1 - index));
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    total += doubled > 9 ? doubled - 9 : doubled;
  }
  return total % 10 === 0;
}
