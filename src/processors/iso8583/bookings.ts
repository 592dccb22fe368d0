// The books of an acquirer's host as a recovery reads them: of any days, with what an operation needs to come back into a database that
// has lost it (docs/iso8583.md, "A day's books as CSV").

import { ofMinorUnits } from "../../payment/currency.ts";
import type { Booking, BookingsReader } from "../bookings.ts";
import { type BrokenLine, type ForeignLine, NoBooks } from "../books.ts";
import { type CsvRecord, CsvRecords } from "../csv-records.ts";
import type { Trace } from "../trace-numbers.ts";
import { type Account, bookLines, inWords } from "./books.ts";
import { eventIdOfRrn, rrnOf } from "./messages/envelope.ts";
import { CHARGE_MTI } from "./messages/operation-messages.ts";

export const acquirerBookings: BookingsReader = {
  needs: "the acquirer's books of each day as CSV",
  complete: true,
  reference: { pattern: /^[0-9A-Z]{12}$/, words: "an RRN: twelve of 0-9 and A-Z" },
  traceOf: (type, stan, at) => ({ mti: CHARGE_MTI[type], stan, at }),
  eventIdOf: ({ reference, at }) => eventIdOfRrn(reference, at ?? new Date(0)),
  referenceOf: rrnOf,
  isOf: (eventId, { reference }) => rrnOf(eventId) === reference,
  async *read(file, { currency, settings }) {
    const account = { terminal: settings.terminal_id, merchant: settings.merchant_id, currency };
    const records = new CsvRecords();
    let parse: ReturnType<typeof bookingsUnder> | undefined;
    const parsed = (some: CsvRecord[]) => {
      const [header] = some;
      if (header === undefined) return [];
      const begins = parse === undefined;
      parse ??= bookingsUnder(header, account);
      return (begins ? some.slice(1) : some).map(parse);
    };
    for await (const text of file) yield parsed(records.push(text));
    yield parsed(records.end());
    if (parse === undefined) throw new NoBooks("it is empty");
  },
};

const EXTRA = [
  "at",
  "stan",
  "card",
  "auth_code",
  "id",
  "original_rrn",
  "sent_at",
  "merchant_reference",
  "expiry",
] as const;
type Extra = (typeof EXTRA)[number];

function bookingsUnder(header: CsvRecord, account: Account) {
  const parse = bookLines(header, undefined);
  const names = "fields" in header ? header.fields.map((name) => name.replace(/^\uFEFF/, "").trim()) : [];
  const place = new Map(EXTRA.map((name) => [name, names.indexOf(name)]));
  return (record: CsvRecord): Booking | ForeignLine | BrokenLine => {
    const line = inWords(parse(record), account);
    if ("fault" in line || "foreign" in line) return line;
    const { amount: minor, ...booked } = line;
    const amount = ofMinorUnits(minor, booked.currency);
    if (amount === undefined) return { line: line.line, fault: "amount has more decimals than the gateway counts" };
    const fields = "fields" in record ? record.fields : [];
    const extra = (name: Extra): string | null => fields[place.get(name) ?? -1]?.trim() || null;
    const { operation } = booked;
    const mti = operation === "sale" || operation === "auth" ? CHARGE_MTI[operation] : undefined;
    return {
      ...booked,
      at: timeOf(extra("at")),
      amount,
      eventId: null,
      ofCharge: booked.operation === "reversal" ? booked.reference : extra("original_rrn"),
      merchantTransactionId: mti ? extra("merchant_reference") : null,
      card: cardOf(extra("card"), extra("expiry")),
      processorTransactionId: extra("id"),
      authCode: extra("auth_code"),
      trace: mti ? traceOf(mti, extra("stan"), timeOf(extra("sent_at"))) : null,
    };
  };
}

function timeOf(text: string | null): Date | null {
  const at = new Date(text ?? "");
  return Number.isNaN(at.getTime()) ? null : at;
}

const MASK = /^\d{1,6}\*{1,18}\d{0,4}$/;

function cardOf(mask: string | null, expiry: string | null): Booking["card"] {
  if (mask === null || !MASK.test(mask)) return null;
  const [, year = null, month = null] = /^(\d\d)(0[1-9]|1[0-2])$/.exec(expiry ?? "") ?? [];
  return { mask, brand: null, expiryMonth: month, expiryYear: year && `20${year}` };
}

/** Half of it is not known: follow-ups then say that it is not (ISO 8583:1987, field 90). */
const traceOf = (mti: string, stan: string | null, at: Date | null): Trace | null =>
  stan !== null && /^\d{6}$/.test(stan) && at !== null ? { mti, stan, at } : null;
