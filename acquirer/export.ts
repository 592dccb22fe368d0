// A day's books as CSV: a header, then one line for each booked operation, in the order in which they were booked. The
// format stands in docs/iso8583.md.

import { currencyOfNumber, renderMinorUnits } from "../src/payment/currency.ts";
import type { Books } from "./books.ts";
import type { Booked } from "./entry.ts";

export const COLUMNS = [
  "at",
  "operation",
  "terminal",
  "merchant",
  "rrn",
  "stan",
  "amount",
  "currency",
  "card",
  "code",
  "auth_code",
  "id",
  "original_rrn",
  "transaction",
  "sent_at",
  "merchant_reference",
  "expiry",
] as const;

/** @param day `2030-05-15`, UTC */
export async function* dayAsCsv(books: Books, day: string): AsyncGenerator<string> {
  yield `${COLUMNS.join(",")}\n`;
  for await (const entry of books.entries())
    if (entry.kind === "booked" && entry.at.startsWith(day)) yield `${valuesOf(entry).map(quoted).join(",")}\n`;
}

const valuesOf = (entry: Booked): string[] => [
  entry.at,
  entry.operation,
  entry.terminal,
  entry.merchant,
  entry.rrn,
  entry.stan,
  renderMinorUnits(BigInt(entry.amount), currencyOfNumber(entry.currency) ?? ""),
  entry.currency,
  entry.cardMask,
  entry.code,
  entry.authCode,
  entry.id,
  entry.originalRrn,
  entry.transaction,
  entry.sentAt ?? "",
  entry.merchantReference ?? "",
  entry.expiry ?? "",
];

/** RFC 4180. */
const quoted = (value: string): string => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
