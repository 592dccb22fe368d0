// The fields of the standard dialect as data: ISO 8583:1987 (type, length rule and name by its section 4), those that are
// used. What a field means in which message stands in message-types.ts; what field 48 holds, in tags.ts.

import type { Content, FieldFormat } from "../codec/dialect.ts";

const fixed = (content: Content, length: number, name: string): FieldFormat => ({
  content,
  rule: "fixed",
  length,
  name,
});
const upTo = (content: Content, length: number, name: string): FieldFormat => ({
  content,
  rule: length > 99 ? "lllvar" : "llvar",
  length,
  name,
});

export const FIELDS = {
  2: { ...upTo("n", 19, "Primary account number"), shown: "mask" },
  3: fixed("n", 6, "Processing code"),
  4: fixed("n", 12, "Amount, in the currency's minor unit (ISO 4217)"),
  7: fixed("n", 10, "Transmission date and time, MMDDhhmmss, UTC"),
  11: fixed("n", 6, "System trace audit number (STAN)"),
  12: fixed("n", 6, "Time at the terminal, hhmmss, UTC"),
  13: fixed("n", 4, "Date at the terminal, MMDD, UTC"),
  14: { ...fixed("n", 4, "Expiry date, YYMM"), shown: "nothing" },
  22: fixed("n", 3, "Point of service entry mode"),
  25: fixed("n", 2, "Point of service condition code"),
  32: upTo("n", 11, "Acquiring institution identification code"),
  37: fixed("an", 12, "Retrieval reference number (RRN)"),
  38: fixed("an", 6, "Authorization identification response (auth code)"),
  39: fixed("an", 2, "Response code"),
  41: fixed("ans", 8, "Card acceptor terminal identification"),
  42: fixed("ans", 15, "Card acceptor identification code"),
  43: fixed("ans", 40, "Card acceptor name and location"),
  44: upTo("ans", 25, "Additional response data: AVS, CVV and CAVV results"),
  48: upTo("tagged", 999, "Additional data, private"),
  49: fixed("n", 3, "Currency code, ISO 4217 numeric"),
  63: upTo("ans", 999, "Private: the acquirer's transaction identifier"),
  70: fixed("n", 3, "Network management information code"),
  90: fixed("n", 42, "Original data elements"),
  102: { ...upTo("ans", 28, "Account identification 1: the payer's tax number"), shown: "nothing" },
} as const satisfies Readonly<Record<number, FieldFormat>>;
