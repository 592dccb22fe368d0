// Field 39: what each code means for the merchant. By ISO 8583:1987 and the lists that Visa, Mastercard and American
// Express publish; A1 and A2 are this dialect's own, N7 is Visa's.

import type { DeclineCategory } from "../../../payment/decline.ts";

/**
 * - `approved` the issuer said yes
 * - `declined` it said no: nothing was held or moved
 * - `unclear` neither, or not yet: a charge is reversed, another operation asked again
 */
export type Meaning = "approved" | "declined" | "unclear";

/** `message` is the event's `processor_message`. */
export type ResponseCode =
  | { readonly meaning: "approved" | "unclear"; readonly message: string }
  | { readonly meaning: "declined"; readonly message: string; readonly category: DeclineCategory };

const approved = (message: string): ResponseCode => ({ meaning: "approved", message });
const declined = (message: string, category: DeclineCategory = "refused"): ResponseCode => ({
  meaning: "declined",
  message,
  category,
});
const unclear = (message: string): ResponseCode => ({ meaning: "unclear", message });

export const RESPONSE_CODES: Readonly<Record<string, ResponseCode>> = {
  "00": approved("APPROVED"),
  "01": declined("REFER TO CARD ISSUER"),
  "02": declined("REFER TO CARD ISSUER, SPECIAL CONDITION"),
  "03": declined("INVALID MERCHANT", "configuration"),
  "04": declined("PICK UP CARD", "do-not-retry"),
  "05": declined("DO NOT HONOR"),
  "06": declined("ERROR", "try-later"),
  "07": declined("PICK UP CARD, SPECIAL CONDITION", "do-not-retry"),
  "08": approved("APPROVED WITH IDENTIFICATION"),
  "09": unclear("REQUEST IN PROGRESS"),
  "10": unclear("APPROVED FOR A PART OF THE AMOUNT"),
  11: approved("APPROVED, VIP"),
  12: declined("INVALID TRANSACTION", "configuration"),
  13: declined("INVALID AMOUNT", "configuration"),
  14: declined("INVALID CARD NUMBER", "wrong-data"),
  15: declined("NO SUCH ISSUER", "wrong-data"),
  16: approved("APPROVED, UPDATE TRACK 3"),
  19: declined("RE-ENTER TRANSACTION", "try-later"),
  21: declined("NO ACTION TAKEN", "wrong-state"),
  25: declined("ORIGINAL NOT FOUND", "wrong-state"),
  30: declined("FORMAT ERROR", "configuration"),
  31: declined("BANK NOT SUPPORTED", "configuration"),
  33: declined("EXPIRED CARD, PICK UP", "do-not-retry"),
  34: declined("SUSPECTED FRAUD, PICK UP", "suspected-fraud"),
  36: declined("RESTRICTED CARD, PICK UP", "do-not-retry"),
  38: declined("PIN TRIES EXCEEDED, PICK UP", "do-not-retry"),
  39: declined("NO CREDIT ACCOUNT", "do-not-retry"),
  40: declined("FUNCTION NOT SUPPORTED", "configuration"),
  41: declined("LOST CARD", "do-not-retry"),
  43: declined("STOLEN CARD", "do-not-retry"),
  46: declined("CLOSED ACCOUNT", "do-not-retry"),
  51: declined("INSUFFICIENT FUNDS", "insufficient-funds"),
  52: declined("NO CHECKING ACCOUNT", "do-not-retry"),
  53: declined("NO SAVINGS ACCOUNT", "do-not-retry"),
  54: declined("EXPIRED CARD", "wrong-data"),
  55: declined("INCORRECT PIN", "wrong-data"),
  57: declined("NOT PERMITTED TO CARDHOLDER", "not-permitted"),
  58: declined("NOT PERMITTED TO TERMINAL", "configuration"),
  59: declined("SUSPECTED FRAUD", "suspected-fraud"),
  61: declined("EXCEEDS AMOUNT LIMIT", "limit-exceeded"),
  62: declined("RESTRICTED CARD", "not-permitted"),
  63: declined("SECURITY VIOLATION", "suspected-fraud"),
  64: declined("AMOUNT DIFFERS FROM ORIGINAL", "wrong-data"),
  65: declined("EXCEEDS FREQUENCY LIMIT", "limit-exceeded"),
  68: unclear("RESPONSE RECEIVED TOO LATE"),
  70: declined("CONTACT CARD ISSUER"),
  75: declined("PIN TRIES EXCEEDED", "limit-exceeded"),
  78: declined("CARD NOT ACTIVE", "not-permitted"),
  82: declined("CVV MISMATCH", "wrong-data"),
  91: declined("ISSUER UNAVAILABLE", "try-later"),
  92: declined("ISSUER NOT FOUND FOR ROUTING", "try-later"),
  93: declined("VIOLATION OF LAW", "do-not-retry"),
  94: unclear("DUPLICATE TRANSMISSION"),
  96: declined("SYSTEM MALFUNCTION", "try-later"),
  N7: declined("CVV MISMATCH", "wrong-data"),
  A1: declined("ALREADY SETTLED: USE REFUND", "already-settled"),
  A2: declined("NOT SETTLED YET: USE VOID", "wrong-state"),
};

/** To a reversal: taken back; nothing was done about it; there is no such charge. */
export const REVERSAL_CONFIRMED: ReadonlySet<string> = new Set(["00", "21", "25"]);

/** A code that is in no list has no known meaning, and nobody may guess one. */
export const responseCode = (code: string): ResponseCode =>
  Object.hasOwn(RESPONSE_CODES, code)
    ? (RESPONSE_CODES[code] ?? unclear("UNKNOWN RESPONSE CODE"))
    : unclear("UNKNOWN RESPONSE CODE");
