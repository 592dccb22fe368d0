// What is kept of a processor's words: no control characters and no halves of characters, since no table takes some of them and an
// outcome that cannot be written stays unknown for good; and no card number. In references only the charge's own number is looked for, by
// its mask: a processor's id may look like a card number by chance, and follow-ups need it as it is (decision R16).

import type { ProcessorResponse } from "./outcome.ts";
import { holdsCardNumber } from "./stray-card-number.ts";

const UNWRITTEN = /[\p{Cc}\p{Cs}]+/gu;

/**
 * As the processor gave it, wherever that can be kept.
 * @param cardMask of the charge's card; undefined where it is not known
 */
export function keptResponse(response: ProcessorResponse, cardMask: string | undefined): ProcessorResponse {
  const { code, message, transactionId, authCode, rawAvs, rawCvv, rawThreeDSecure, detail, networkTransactionId } =
    response;
  const words = (text: string) => keptWords(text, cardMask);
  return {
    ...response,
    code: words(code),
    message: words(message),
    transactionId: orNull(transactionId, (text) => keptReference(text, cardMask)),
    authCode: orNull(authCode, words),
    rawAvs: orNull(rawAvs, words),
    rawCvv: orNull(rawCvv, words),
    rawThreeDSecure: orNull(rawThreeDSecure, words),
    detail: orNull(detail, words),
    ...(networkTransactionId !== undefined && { networkTransactionId: keptReference(networkTransactionId, cardMask) }),
  };
}

/** A processor's id. Only the card's own number is masked in it. */
export function keptReference(text: string, cardMask: string | undefined): string {
  const reference = plain(text);
  return cardMask !== undefined && holdsMasked(reference, cardMask) ? withoutDigits(reference) : reference;
}

/** Of one text that operators read: what a notification says, or an attempt to resolve an event. */
export const MOST_SAID = 300;

/** A free text. @param cardMask as above */
export function keptWords(text: string, cardMask?: string): string {
  const words = plain(text);
  const holdsOne = holdsCardNumber(words) || (cardMask !== undefined && holdsMasked(words, cardMask));
  return holdsOne ? withoutDigits(words) : words;
}

const withoutDigits = (text: string): string => text.replace(/\p{Nd}/gu, "*");

/** So many characters that are neither letters nor digits may be between two digits of a number that is written in groups. */
const MOST_BETWEEN = 2;
const ASCII = /^[ -~]*$/;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/**
 * Whether there are digits that this mask would show so; of a short number only where no other digits are beside them.
 *
 * By hand: it runs for each text of each answer, and a regular expression of a card's own takes longer to compile than a sale may cost.
 */
export function holdsMasked(text: string, mask: string): boolean {
  // Most texts, such as APPROVED. What is not ASCII may become longer below.
  if (text.length < mask.length && ASCII.test(text)) return false;
  /** The digits that may be of one number, and for each whether another is right before it. */
  let digits = "";
  let joined: boolean[] = [];
  let between = 0;
  let isMatch = false;
  for (const one of text.normalize("NFKC")) {
    const isDigit = one >= "0" && one <= "9";
    // A short number that ends here must not go on.
    if (isMatch && !isDigit) return true;
    if (!isDigit) {
      between++;
      if (between > MOST_BETWEEN || LETTER_OR_DIGIT.test(one)) [digits, joined] = ["", []];
      continue;
    }
    digits += one;
    joined.push(between === 0 && digits.length > 1);
    between = 0;
    isMatch = endsWithMasked(digits, mask) && (mask.length >= SHORTEST_OF_BRANDS || !joined.at(-mask.length));
    if (isMatch && mask.length >= SHORTEST_OF_BRANDS) return true;
  }
  return isMatch;
}

function endsWithMasked(digits: string, mask: string): boolean {
  const start = digits.length - mask.length;
  if (start < 0) return false;
  for (let at = 0; at < mask.length; at++) if (mask[at] !== "*" && mask[at] !== digits[start + at]) return false;
  return true;
}

const SHORTEST_OF_BRANDS = 13;

const plain = (text: string): string => text.replace(UNWRITTEN, " ");

const orNull = (text: string | null, of: (text: string) => string): string | null => (text === null ? null : of(text));
