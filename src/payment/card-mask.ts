// What of a card number may be shown and searched for: at most the first six and the last four digits, which is what
// PCI DSS 3.4.1 allows. A mask is what the gateway keeps and answers with; the number itself is sealed in the vault.

import type { CardNumber } from "./secret.ts";

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
