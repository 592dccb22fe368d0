// Adyen's settlement details report as a recovery reads it. It has settled money only, and comes days later: that something is not in it says
// nothing. Each line names the transaction, the event and what was asked (reference.ts).
// docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report

import type { CardBrand } from "../../payment/card-brand.ts";
import { amountOf } from "../../payment/money.ts";
import { isChargeType } from "../../payment/transaction.ts";
import { timeOfId } from "../../uuid.ts";
import type { Booking, BookingsReader } from "../bookings.ts";
import type { BrokenLine, ForeignLine } from "../books.ts";
import { type CsvRecord, CsvRecords } from "../csv-records.ts";
import { exactOf, parseExact } from "../exact-amount.ts";
import { NoReport } from "../settlement-report.ts";
import { parseReference } from "./reference.ts";

export const adyenBookings: BookingsReader = {
  needs: "Adyen's settlement details reports as CSV, with the column Merchant Order Reference",
  complete: false,
  eventIdOf: ({ eventId }) => eventId ?? undefined,
  isOf: (id, { eventId }) => id === eventId,
  async *read(file, { settings }) {
    const records = new CsvRecords();
    let parse: ReturnType<typeof linesUnder> | undefined;
    const parsed = (some: readonly CsvRecord[]) => {
      const [header] = some;
      if (header === undefined) return [];
      const begins = parse === undefined;
      parse ??= linesUnder(header, settings.merchant_account);
      return (begins ? some.slice(1) : some).map(parse);
    };
    for await (const text of file) yield parsed(records.push(text));
    yield parsed(records.end());
    if (parse === undefined) throw new NoReport("it is empty");
  },
};

const NEEDED = [
  ...["Merchant Account", "Psp Reference", "Merchant Reference", "Type", "Modification Reference", "Gross Currency"],
  ...["Gross Debit (GC)", "Gross Credit (GC)", "Modification Merchant Reference"],
] as const;

function linesUnder(header: CsvRecord, account: unknown) {
  if ("fault" in header) throw new NoReport(`line ${header.line}: ${header.fault}`);
  const names = header.fields.map((name) => name.replace(/^\uFEFF/, "").trim());
  const missing = NEEDED.filter((name) => !names.includes(name));
  if (missing.length > 0) throw new NoReport(`line ${header.line} names the columns, and lacks ${missing.join(", ")}`);
  return (record: CsvRecord): Booking | ForeignLine | BrokenLine => {
    if ("fault" in record) return record;
    const { line, fields } = record;
    if (fields.length !== names.length)
      return { line, fault: `it has ${fields.length} fields, and the first line has ${names.length}` };
    const field = (name: string) => (fields[names.indexOf(name)] ?? "").trim();
    return field("Merchant Account") === account ? bookingOf(line, field) : { line, foreign: true };
  };
}

/** What failed afterwards: who adopts the operation must know. */
const UNDONE = ["RefundedReversed", "CaptureFailed", "SettledReversed"];

function bookingOf(line: number, field: (name: string) => string): Booking | ForeignLine | BrokenLine {
  const type = field("Type");
  const charge = parseReference(field("Merchant Reference"));
  const asked = parseReference(field("Modification Merchant Reference")) ?? charge;
  if (asked === null || charge === null) return { line, foreign: true };
  if (UNDONE.includes(type)) return { line, fault: `${field("Psp Reference")}: ${type}, which is entered by hand` };
  const isExpected =
    type === "Settled"
      ? asked.type === "sale" || asked.type === "capture"
      : type === "Refunded" && (asked.type === "refund" || asked.type === "void");
  if (!isExpected) return { line, foreign: true };
  const amount = amountIn(field("Gross Debit (GC)") || field("Gross Credit (GC)"));
  if (amount === undefined) return { line, fault: "an amount must be digits with a point and at most two decimals" };
  const psp = field("Psp Reference");
  const own = isChargeType(asked.type) ? psp : field("Modification Reference") || psp;
  const brand = BRANDS[field("Payment Method")];
  return {
    ...{ line, operation: asked.type, reference: own, amount, currency: field("Gross Currency") },
    // By the gateway's own clock.
    at: new Date(timeOfId(asked.reference)),
    ...{ approved: true, nothingHeld: false, code: "00" },
    ...(asked.type === "void" && { isPerhapsVoid: true }),
    ...{ transactionId: asked.transactionId, eventId: asked.reference },
    ofCharge: isChargeType(asked.type) ? null : psp,
    merchantTransactionId: field("Merchant Order Reference") || null,
    card: brand === undefined ? null : { mask: "*".repeat(16), brand, expiryMonth: null, expiryYear: null },
    ...{ processorTransactionId: own, authCode: null, trace: null },
  };
}

/** docs.adyen.com/payment-methods: the names of cards. */
const BRANDS: Readonly<Record<string, CardBrand>> = {
  ...{ visa: "visa", mc: "mastercard", amex: "amex", discover: "discover", diners: "diners", jcb: "jcb" },
  ...{ cup: "unionpay", maestro: "maestro", elo: "elo", hipercard: "hipercard" },
};

function amountIn(text: string) {
  const exact = parseExact(text);
  const unit = exactOf(amountOf(1n));
  return exact === undefined || exact < 0n || exact % unit !== 0n ? undefined : amountOf(exact / unit);
}
