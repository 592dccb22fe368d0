// The simulator's words: codes, messages, and the identifiers that it gives. All of them follow from the reference of
// the question, so the same question has the same answer whenever it is asked.

import { hash } from "node:crypto";
import type { DeclineCategory } from "../../payment/decline.ts";
import type { ProcessorResponse } from "../../payment/outcome.ts";
import { NOTHING_CHECKED } from "../../payment/verification.ts";
import type { Answer, Decline } from "../processor.ts";

/** ISO 8583:1987, field 39, except for Visa's N7 and 1A, and the simulator's own A1 and A2. */
const MESSAGES = {
  "00": "APPROVED",
  "03": "INVALID MERCHANT",
  "05": "DO NOT HONOR",
  14: "INVALID CARD NUMBER",
  51: "INSUFFICIENT FUNDS",
  54: "EXPIRED CARD",
  91: "ISSUER UNAVAILABLE",
  96: "SYSTEM MALFUNCTION",
  "1A": "THE PAYER DID NOT AUTHENTICATE",
  N7: "CVV MISMATCH",
  A1: "ALREADY SETTLED: USE REFUND",
  A2: "NOT SETTLED YET: USE VOID",
} as const;

type Code = `${keyof typeof MESSAGES}`;
export type DeclineCode = Exclude<Code, "00">;

/** Of sales and auths. */
export const CHARGE_DECLINES = [
  "03",
  "05",
  "14",
  "51",
  "54",
  "91",
  "96",
  "N7",
] as const satisfies readonly DeclineCode[];

const CATEGORIES: Readonly<Record<DeclineCode, DeclineCategory>> = {
  "03": "configuration",
  "05": "refused",
  14: "wrong-data",
  51: "insufficient-funds",
  54: "wrong-data",
  91: "try-later",
  96: "try-later",
  "1A": "authentication-required",
  N7: "wrong-data",
  A1: "already-settled",
  A2: "wrong-state",
};

/** What was found out about the cardholder, beside yes and no. */
export type Checks = Omit<ProcessorResponse, "code" | "message" | "transactionId" | "authCode">;

export const approve = (reference: string, checks: Checks = NOTHING_CHECKED): Answer => ({
  kind: "approved",
  processorResponse: processorResponse("00", reference, checks),
});

export const decline = (code: DeclineCode, reference: string, checks: Checks = NOTHING_CHECKED): Decline => ({
  kind: "declined",
  processorResponse: processorResponse(code, reference, checks),
  category: CATEGORIES[code],
});

function processorResponse(code: Code, reference: string, checks: Checks): ProcessorResponse {
  const digest = hash("sha256", reference);
  return {
    code,
    message: MESSAGES[code],
    transactionId: `sim-${digest.slice(0, 24)}`,
    authCode: code === "00" ? authCode(digest.slice(24, 36)) : null,
    ...checks,
  };
}

/** Thirteen letters and digits, as Mastercard's; with letters, so that none looks like a card number. */
export const networkTransactionIdOf = (reference: string): string =>
  `SIM${hash("sha256", `scheme ${reference}`).slice(0, 10).toUpperCase()}`;

/** Six characters of 0-9 and A-Z. */
const authCode = (hex: string): string =>
  (Number.parseInt(hex, 16) % 36 ** 6).toString(36).padStart(6, "0").toUpperCase();
