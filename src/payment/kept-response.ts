// What is kept of a processor's words: no control characters and no halves of characters, since no table takes some of them and an
// outcome that cannot be written stays unknown for good; and no card number in its free texts.

import type { ProcessorResponse } from "./outcome.ts";
import { holdsCardNumber } from "./stray-card-number.ts";

const UNWRITTEN = /[\p{Cc}\p{Cs}]+/gu;

/** As the processor gave it, wherever that can be kept. */
export function keptResponse(response: ProcessorResponse): ProcessorResponse {
  const { code, message, transactionId, authCode, rawAvs, rawCvv, rawThreeDSecure, detail } = response;
  return {
    ...response,
    code: plain(code),
    message: keptWords(message),
    transactionId: orNull(transactionId, plain),
    authCode: orNull(authCode, plain),
    rawAvs: orNull(rawAvs, plain),
    rawCvv: orNull(rawCvv, plain),
    rawThreeDSecure: orNull(rawThreeDSecure, plain),
    detail: orNull(detail, keptWords),
  };
}

/** Of one text that operators read: what a notification says, or an attempt to resolve an event. */
export const MOST_SAID = 300;

/** A free text. */
export function keptWords(text: string): string {
  const words = plain(text);
  return holdsCardNumber(words) ? words.replace(/\d/g, "*") : words;
}

const plain = (text: string): string => text.replace(UNWRITTEN, " ");

const orNull = (text: string | null, of: (text: string) => string): string | null => (text === null ? null : of(text));
