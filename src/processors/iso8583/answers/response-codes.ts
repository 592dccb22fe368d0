// Field 39: what each code means for the merchant, and for codes that are neither yes nor no, what follows. A code that no list has is a
// decline.
//
// Sources: ISO 8583:1987, and what Visa and Mastercard publish of theirs through acquirers; A1 and A2 are this dialect's own.
// - docs.thredd.com, "Resp_Code_DE39 values"; developers.mypos.com, "Response codes" (Mastercard's 71 to 89)
// - developer.cybersource.com, "Mastercard decline reason codes" (79, 82, 83)
// - airwallex.com/docs, "Issuer response codes"; docs.cielo.com.br, "New retry codes for Visa" (1A, 5C, 6P, 9G, N, R and Z)

import type { DeclineCategory } from "../../../payment/decline.ts";
import { type EventType, isChargeType } from "../../../payment/transaction.ts";

/** `message` is the event's `processor_message`. */
export type ResponseCode =
  | { readonly meaning: "approved"; readonly message: string }
  | { readonly meaning: "declined"; readonly message: string; readonly category: DeclineCategory }
  | ({ readonly meaning: "undecided" } & UndecidedCode);

const approved = (message: string): ResponseCode => ({ meaning: "approved", message });
const declined = (message: string, category: DeclineCategory = "refused"): ResponseCode => ({
  meaning: "declined",
  message,
  category,
});

/** Of every operation, but for what {@link UNDECIDED_CODES} says. */
export const RESPONSE_CODES: Readonly<Record<string, ResponseCode>> = {
  "00": approved("APPROVED"),
  "01": declined("REFER TO CARD ISSUER"),
  "02": declined("REFER TO CARD ISSUER, SPECIAL CONDITION"),
  "03": declined("INVALID MERCHANT", "configuration"),
  "04": declined("PICK UP CARD", "do-not-retry"),
  "05": declined("DO NOT HONOR"),
  "06": declined("ERROR", "try-later"),
  "07": declined("PICK UP CARD, SPECIAL CONDITION", "do-not-retry"),
  // The issuer has approved and holds the money. That nobody looks at a passport on the internet changes nothing about that.
  "08": approved("APPROVED WITH IDENTIFICATION"),
  11: approved("APPROVED, VIP"),
  12: declined("INVALID TRANSACTION", "configuration"),
  13: declined("INVALID AMOUNT", "configuration"),
  14: declined("INVALID CARD NUMBER", "wrong-data"),
  15: declined("NO SUCH ISSUER", "wrong-data"),
  16: approved("APPROVED, UPDATE TRACK 3"),
  17: declined("CANCELED BY THE CARDHOLDER"),
  18: declined("DISPUTED BY THE CARDHOLDER"),
  19: declined("RE-ENTER TRANSACTION", "try-later"),
  20: declined("INVALID RESPONSE", "try-later"),
  21: declined("NO ACTION TAKEN", "wrong-state"),
  22: declined("SUSPECTED MALFUNCTION", "try-later"),
  23: declined("UNACCEPTABLE TRANSACTION FEE", "configuration"),
  25: declined("ORIGINAL NOT FOUND", "wrong-state"),
  28: declined("FILE NOT AVAILABLE FOR NOW", "try-later"),
  30: declined("FORMAT ERROR", "configuration"),
  31: declined("BANK NOT SUPPORTED", "configuration"),
  33: declined("EXPIRED CARD, PICK UP", "do-not-retry"),
  34: declined("SUSPECTED FRAUD, PICK UP", "suspected-fraud"),
  35: declined("CONTACT ACQUIRER, PICK UP", "do-not-retry"),
  36: declined("RESTRICTED CARD, PICK UP", "do-not-retry"),
  37: declined("CALL ACQUIRER'S SECURITY, PICK UP", "suspected-fraud"),
  38: declined("PIN TRIES EXCEEDED, PICK UP", "do-not-retry"),
  39: declined("NO CREDIT ACCOUNT", "do-not-retry"),
  40: declined("FUNCTION NOT SUPPORTED", "configuration"),
  41: declined("LOST CARD", "do-not-retry"),
  42: declined("NO UNIVERSAL ACCOUNT", "do-not-retry"),
  43: declined("STOLEN CARD", "do-not-retry"),
  44: declined("NO INVESTMENT ACCOUNT", "do-not-retry"),
  46: declined("CLOSED ACCOUNT", "do-not-retry"),
  51: declined("INSUFFICIENT FUNDS", "insufficient-funds"),
  52: declined("NO CHECKING ACCOUNT", "do-not-retry"),
  53: declined("NO SAVINGS ACCOUNT", "do-not-retry"),
  54: declined("EXPIRED CARD", "wrong-data"),
  55: declined("INCORRECT PIN", "wrong-data"),
  56: declined("NO CARD RECORD", "wrong-data"),
  57: declined("NOT PERMITTED TO CARDHOLDER", "not-permitted"),
  58: declined("NOT PERMITTED TO TERMINAL", "configuration"),
  59: declined("SUSPECTED FRAUD", "suspected-fraud"),
  60: declined("CONTACT ACQUIRER"),
  61: declined("EXCEEDS AMOUNT LIMIT", "limit-exceeded"),
  62: declined("RESTRICTED CARD", "not-permitted"),
  63: declined("SECURITY VIOLATION", "suspected-fraud"),
  64: declined("AMOUNT DIFFERS FROM ORIGINAL", "wrong-data"),
  65: declined("EXCEEDS FREQUENCY LIMIT", "limit-exceeded"),
  66: declined("CALL ACQUIRER'S SECURITY", "suspected-fraud"),
  67: declined("PICK UP CARD AT THE MACHINE", "do-not-retry"),
  70: declined("CONTACT CARD ISSUER"),
  71: declined("PIN NOT CHANGED"),
  75: declined("PIN TRIES EXCEEDED", "limit-exceeded"),
  // Visa: of an earlier message. Mastercard: of the account to pay into, and from.
  76: declined("NO SUCH ACCOUNT OR EARLIER MESSAGE"),
  77: declined("ACCOUNT OR EARLIER MESSAGE DIFFERS"),
  78: declined("CARD NOT ACTIVE", "not-permitted"),
  // Mastercard: the account was closed or replaced. Visa: a reversal of what is reversed.
  79: declined("LIFE CYCLE, OR ALREADY REVERSED"),
  81: declined("PIN CANNOT BE DECRYPTED, OR DOMESTIC DEBIT NOT ALLOWED"),
  // Mastercard: the issuer's policy.
  82: declined("CVV MISMATCH, OR ISSUER'S POLICY", "wrong-data"),
  // Mastercard; of Visa it is a PIN that could not be verified, and no card is charged over the internet with one.
  83: declined("FRAUD OR SECURITY", "suspected-fraud"),
  84: declined("INVALID AUTHORIZATION LIFE CYCLE", "wrong-state"),
  // Visa: of a credit voucher, which a refund is. Of money to be taken it is no approval.
  85: approved("NO REASON TO DECLINE"),
  86: declined("PIN CANNOT BE VERIFIED"),
  88: declined("CRYPTOGRAPHIC FAILURE"),
  89: declined("UNACCEPTABLE PIN", "wrong-data"),
  90: declined("CUT-OFF IN PROGRESS", "try-later"),
  91: declined("ISSUER UNAVAILABLE", "try-later"),
  92: declined("ISSUER NOT FOUND FOR ROUTING", "try-later"),
  93: declined("VIOLATION OF LAW", "do-not-retry"),
  95: declined("RECONCILIATION ERROR"),
  96: declined("SYSTEM MALFUNCTION", "try-later"),
  "1A": declined("AUTHENTICATION REQUIRED", "authentication-required"),
  "5C": declined("BLOCKED BY THE ISSUER", "not-permitted"),
  "6P": declined("VERIFICATION DATA FAILED", "wrong-data"),
  "9G": declined("BLOCKED BY THE CARDHOLDER", "not-permitted"),
  A1: declined("ALREADY SETTLED: USE REFUND", "already-settled"),
  A2: declined("NOT SETTLED YET: USE VOID", "wrong-state"),
  B1: declined("SURCHARGE NOT PERMITTED", "configuration"),
  B2: declined("SURCHARGE NOT SUPPORTED", "configuration"),
  N0: declined("ISSUER FORCES STAND-IN", "try-later"),
  N3: declined("CASH SERVICE NOT AVAILABLE", "not-permitted"),
  N4: declined("CASH EXCEEDS THE ISSUER'S LIMIT", "limit-exceeded"),
  N5: declined("NOT TO BE SUBMITTED AGAIN", "do-not-retry"),
  N7: declined("CVV MISMATCH", "wrong-data"),
  N8: declined("EXCEEDS THE AUTHORIZED AMOUNT", "wrong-data"),
  P2: declined("INVALID BILLER", "configuration"),
  P5: declined("PIN NOT UNBLOCKED"),
  P6: declined("PIN NOT CHANGED"),
  P9: declined("ENTER A LOWER AMOUNT", "limit-exceeded"),
  Q1: declined("CARD AUTHENTICATION FAILED", "suspected-fraud"),
  R0: declined("PAYMENT STOPPED BY THE CARDHOLDER", "do-not-retry"),
  R1: declined("AUTHORIZATION REVOKED BY THE CARDHOLDER", "do-not-retry"),
  R3: declined("ALL AUTHORIZATIONS REVOKED BY THE CARDHOLDER", "do-not-retry"),
  Z1: declined("DECLINED OFFLINE"),
  Z3: declined("ISSUER NOT REACHED, DECLINED OFFLINE", "try-later"),
  Z5: declined("AMOUNT NOT SUPPORTED", "limit-exceeded"),
};

/**
 * Neither yes nor no, or not yet. What follows is the same for all: a charge is reversed. Another operation is repeated so many times, for
 * as long as the host says nothing else; then an operator finds out how it ended.
 */
export interface UndecidedCode {
  readonly message: string;
  readonly of: "all" | "follow-ups" | "all but refunds";
  /** Of a charge, for whether the processor or the card is to blame. */
  readonly category: DeclineCategory;
  readonly repeats: number;
  /** Money may be held or moved by it, though not as it was asked. */
  readonly mayHold?: true;
}

/** What passes by itself: an hour, at one a minute. */
export const WHILE_IT_PASSES = 60;
/** What is said again to every repeat. */
const SAID_AGAIN = 3;

export const UNDECIDED_CODES: Readonly<Record<string, UndecidedCode>> = {
  "09": { message: "REQUEST IN PROGRESS", of: "all", category: "try-later", repeats: WHILE_IT_PASSES },
  10: {
    message: "APPROVED FOR A PART OF THE AMOUNT",
    of: "all",
    category: "insufficient-funds",
    repeats: SAID_AGAIN,
    mayHold: true,
  },
  // The host, or the issuer behind it, may have done it.
  20: { message: "INVALID RESPONSE", of: "follow-ups", category: "try-later", repeats: WHILE_IT_PASSES },
  22: { message: "SUSPECTED MALFUNCTION", of: "follow-ups", category: "try-later", repeats: WHILE_IT_PASSES },
  32: { message: "COMPLETED IN PART", of: "all", category: "refused", repeats: SAID_AGAIN, mayHold: true },
  68: { message: "RESPONSE RECEIVED TOO LATE", of: "all", category: "try-later", repeats: WHILE_IT_PASSES },
  85: {
    message: "NO REASON TO DECLINE",
    of: "all but refunds",
    category: "refused",
    repeats: SAID_AGAIN,
    mayHold: true,
  },
  // Mastercard: an approval without the cash back, which nobody asked for; of other hosts it is a decline.
  87: {
    message: "APPROVED FOR THE PURCHASE ONLY",
    of: "all",
    category: "refused",
    repeats: SAID_AGAIN,
    mayHold: true,
  },
  90: { message: "CUT-OFF IN PROGRESS", of: "follow-ups", category: "try-later", repeats: WHILE_IT_PASSES },
  91: { message: "ISSUER UNAVAILABLE", of: "follow-ups", category: "try-later", repeats: WHILE_IT_PASSES },
  // It has it already, and says of neither how it ended.
  94: { message: "DUPLICATE TRANSMISSION", of: "all", category: "refused", repeats: SAID_AGAIN },
  96: { message: "SYSTEM MALFUNCTION", of: "follow-ups", category: "try-later", repeats: WHILE_IT_PASSES },
  // EMV: a terminal says so of itself, and no issuer.
  Y1: { message: "APPROVED OFFLINE", of: "all", category: "refused", repeats: SAID_AGAIN, mayHold: true },
  Y3: { message: "APPROVED OFFLINE", of: "all", category: "refused", repeats: SAID_AGAIN, mayHold: true },
};

/** To a reversal: taken back; nothing was done about it; there is no such charge. */
export const REVERSAL_CONFIRMED: ReadonlySet<string> = new Set(["00", "21", "25"]);

const UNLISTED = declined("DECLINED FOR AN UNLISTED REASON");

/** Two letters or digits (ISO 8583:1987, field 39: an 2). */
const WELL_FORMED = /^[0-9A-Za-z]{2}$/;

/** Undefined: this is no response code. */
export function responseCode(code: string, operation: EventType): ResponseCode | undefined {
  if (!WELL_FORMED.test(code)) return undefined;
  const undecided = own(UNDECIDED_CODES, code);
  if (undecided !== undefined && isOf(undecided, operation)) return { meaning: "undecided", ...undecided };
  return own(RESPONSE_CODES, code) ?? UNLISTED;
}

/** Neither a yes to all nor a no: its amount may be another one. */
export const approvesAPart = (code: string): boolean => own(UNDECIDED_CODES, code)?.mayHold === true;

/** Of an operation in the books: whether it was approved, if only in part. */
export function mayHoldMoney(code: string, operation: EventType): boolean {
  const said = responseCode(code, operation);
  return said?.meaning === "approved" || (said?.meaning === "undecided" && said.mayHold === true);
}

function isOf({ of }: UndecidedCode, operation: EventType): boolean {
  switch (of) {
    case "all":
      return true;
    case "follow-ups":
      return !isChargeType(operation);
    case "all but refunds":
      return operation !== "refund";
  }
}

const own = <T>(table: Readonly<Record<string, T>>, code: string): T | undefined =>
  Object.hasOwn(table, code) ? table[code] : undefined;
