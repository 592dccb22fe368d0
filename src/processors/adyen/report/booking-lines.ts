// What a line of each of Adyen's reports says that was done with a payment. Our references in it name the transaction, the event and what was
// asked (reference.ts). What is not ours, or says nothing that counts, is foreign; what failed afterwards has to be seen by somebody.

import type { CardBrand } from "../../../payment/card-brand.ts";
import { type Amount, amountOf } from "../../../payment/money.ts";
import { isChargeType } from "../../../payment/transaction.ts";
import { timeOfId } from "../../../uuid.ts";
import type { Booking } from "../../bookings.ts";
import type { BrokenLine, ForeignLine } from "../../books.ts";
import { exactOf, parseExact } from "../../exact-amount.ts";
import { parseReference, type Referred } from "../reference.ts";
import type { ReportName } from "./which-report.ts";

type Field = (column: string) => string;
type Line = Booking | ForeignLine | BrokenLine;
type LineOf = (line: number, field: Field) => Line;

interface Report {
  /** Without which nothing can be told. */
  readonly columns: readonly string[];
  readonly lineOf: LineOf;
}

const OF_A_PAYMENT = ["Merchant Account", "Psp Reference", "Merchant Reference"] as const;

/** What failed afterwards: who adopts the operation must know. */
const UNDONE = ["RefundedReversed", "RefundFailed", "CaptureFailed", "SettledReversed"];

const settlementLine: LineOf = (line, field) => {
  const type = field("Type");
  const referred = referredIn(field);
  if (referred === undefined) return { line, foreign: true };
  if (UNDONE.includes(type)) return undone(line, field, type);
  const { asked } = referred;
  const isExpected =
    type === "Settled"
      ? asked.type === "sale" || asked.type === "capture"
      : type === "Refunded" && (asked.type === "refund" || asked.type === "void");
  if (!isExpected) return { line, foreign: true };
  const money = { amount: field("Gross Debit (GC)") || field("Gross Credit (GC)"), currency: field("Gross Currency") };
  return bookingOf(line, field, asked, money, field("Modification Reference") || field("Psp Reference"));
};

/** The registers between which money is moved; where it comes from and where it goes have opposite signs. */
const REGISTERS = { Received: "Received (PC)", Authorised: "Authorised (PC)", Captured: "Captured (PC)" } as const;

const accountingLine: LineOf = (line, field) => {
  const type = field("Record Type");
  const referred = referredIn(field);
  if (referred === undefined) return { line, foreign: true };
  if (UNDONE.includes(type)) return undone(line, field, type);
  const { asked, charge } = referred;
  const own = field("Modification Psp Reference") || asked.reference;
  const currency = field("Payment Currency");
  const of = (one: Referred, register: keyof typeof REGISTERS, reference: string) =>
    bookingOf(line, field, one, { amount: field(REGISTERS[register]).replace(/^-/, ""), currency }, reference);
  switch (type) {
    case "Authorised":
      return of(charge, "Authorised", own);
    case "Refused":
      return declined(of(charge, "Received", own));
    case "SentForSettle":
    case "Settled":
      return asked.type === "capture" ? of(asked, "Captured", own) : { line, foreign: true };
    case "SentForRefund":
    case "Refunded":
      return asked.type === "refund" || asked.type === "void" ? of(asked, "Captured", own) : { line, foreign: true };
    case "Cancelled":
      return asked.type === "void" ? of(asked, "Authorised", own) : takenBack(of(charge, "Authorised", own));
    default:
      return { line, foreign: true };
  }
};

/** The payment's state when the report was made. */
const AUTHORISED = ["Authorised", "SentForSettle", "Settled", "SentForRefund", "Refunded", "Cancelled"];

const receivedLine: LineOf = (line, field) => {
  const type = field("Type");
  const charge = parseReference(field("Merchant Reference"));
  if (charge === null || !isChargeType(charge.type)) return { line, foreign: true };
  const money = { amount: field("Amount"), currency: field("Currency") };
  const booking = bookingOf(line, field, charge, money, field("Psp Reference"));
  if (type === "Refused") return declined(booking);
  if (!AUTHORISED.includes(type)) return { line, foreign: true };
  return type === "Cancelled" && !("fault" in booking) ? { ...booking, canceled: true } : booking;
};

export const REPORTS: Readonly<Record<ReportName, Report>> = {
  settlement: {
    columns: [
      ...[...OF_A_PAYMENT, "Type", "Modification Reference", "Gross Currency", "Gross Debit (GC)", "Gross Credit (GC)"],
      "Modification Merchant Reference",
    ],
    lineOf: settlementLine,
  },
  accounting: {
    columns: [
      ...[...OF_A_PAYMENT, "Record Type", "Payment Currency", ...Object.values(REGISTERS)],
      "Modification Merchant Reference",
    ],
    lineOf: accountingLine,
  },
  received: { columns: [...OF_A_PAYMENT, "Currency", "Amount", "Type"], lineOf: receivedLine },
};

/** Undefined: the payment is none of ours. What was asked for is the charge itself where no modification is named. */
function referredIn(field: Field): { readonly charge: Referred; readonly asked: Referred } | undefined {
  const charge = parseReference(field("Merchant Reference"));
  if (charge === null || !isChargeType(charge.type)) return undefined;
  return { charge, asked: parseReference(field("Modification Merchant Reference")) ?? charge };
}

const undone = (line: number, field: Field, type: string): BrokenLine => ({
  line,
  fault: `${field("Psp Reference")}: ${type}, which is entered by hand`,
});

interface Said {
  readonly amount: string;
  readonly currency: string;
}

/** @param own what Adyen knows a modification by */
function bookingOf(
  line: number,
  field: Field,
  { type, transactionId, reference: eventId }: Referred,
  { amount: said, currency }: Said,
  own: string,
): Booking | BrokenLine {
  const amount = amountIn(said);
  if (amount === undefined) return { line, fault: "an amount must be digits with a point and at most two decimals" };
  const psp = field("Psp Reference");
  const isCharge = isChargeType(type);
  const reference = isCharge ? psp : own;
  return {
    ...{ line, operation: type, reference, amount, currency },
    // By the gateway's own clock.
    at: new Date(timeOfId(eventId)),
    ...{ approved: true, nothingHeld: false, code: "00" },
    ...(type === "void" && { isPerhapsVoid: true }),
    ...{ transactionId, eventId },
    ofCharge: isCharge ? null : psp,
    merchantTransactionId: field("Merchant Order Reference") || null,
    card: cardOf(field),
    // Without a name of its own it is known by the event's.
    processorTransactionId: reference === eventId ? null : reference,
    authCode: isCharge ? field("Authorisation Code") || null : null,
    trace: null,
  };
}

const declined = (booking: Booking | BrokenLine): Booking | BrokenLine =>
  "fault" in booking ? booking : { ...booking, approved: false, code: "NO" };

/** A charge that was never answered, and so was canceled under its own reference. */
const takenBack = (booking: Booking | BrokenLine): Booking | BrokenLine =>
  "fault" in booking
    ? booking
    : { ...booking, operation: "reversal", nothingHeld: true, ofCharge: booking.reference, card: null };

/** docs.adyen.com/payment-methods: the names of cards. */
const BRANDS: Readonly<Record<string, CardBrand>> = {
  ...{ visa: "visa", mc: "mastercard", amex: "amex", discover: "discover", diners: "diners", jcb: "jcb" },
  ...{ cup: "unionpay", maestro: "maestro", elo: "elo", hipercard: "hipercard" },
};

/** Of the number, no report has more than the last four digits that is needed here. */
function cardOf(field: Field): Booking["card"] {
  const brand = BRANDS[field("Payment Method")];
  if (brand === undefined) return null;
  const [lastFour = "****"] = /\d{4}$/.exec(field("Shopper PAN")) ?? [];
  return { mask: `${"*".repeat(12)}${lastFour}`, brand, expiryMonth: null, expiryYear: null };
}

function amountIn(text: string): Amount | undefined {
  const exact = parseExact(text);
  const unit = exactOf(amountOf(1n));
  return exact === undefined || exact < 0n || exact % unit !== 0n ? undefined : amountOf(exact / unit);
}
