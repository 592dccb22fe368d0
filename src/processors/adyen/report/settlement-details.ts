// Adyen's settlement details report as CSV: a line for each movement of a batch, with what was paid out.
// docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report

import type { BrokenLine, ForeignLine } from "../../books.ts";
import { type CsvRecord, CsvRecords } from "../../csv-records.ts";
import { type Exact, parseExact, parseRate } from "../../exact-amount.ts";
import { NoReport, type Reported, type ReportLine, type SettlementReportReader } from "../../settlement-report.ts";
import { parseReference } from "../reference.ts";
import { columnsOf, REPORT_NAMES, reportOf } from "./which-report.ts";

const NEEDED = [
  "Merchant Account",
  "Psp Reference",
  "Merchant Reference",
  "Type",
  "Modification Reference",
  "Gross Currency",
  "Gross Debit (GC)",
  "Gross Credit (GC)",
  "Net Currency",
  "Net Debit (NC)",
  "Net Credit (NC)",
  "Modification Merchant Reference",
  "Batch Number",
] as const;
/** What Adyen kept of a line, and by how much it exchanged it. Reports may leave these columns out. */
const COSTS = ["Commission (NC)", "Markup (NC)", "Scheme Fees (NC)", "Interchange (NC)"] as const;
const KNOWN = [...NEEDED, ...COSTS, "Exchange Rate", "Creation Date"] as const;
type Column = (typeof KNOWN)[number];

/** The report's "Type", as the page above lists them. All others are told by their own word. */
const TYPES: Readonly<Record<string, Reported>> = {
  Settled: "captured",
  Refunded: "refunded",
  RefundedReversed: "undone",
  CaptureFailed: "capture-failed",
  SettledReversed: "capture-failed",
  Chargeback: "chargeback",
  SecondChargeback: "chargeback",
  ChargebackReversed: "chargeback-reversed",
  Fee: "fee",
  MiscCosts: "fee",
  InvoiceDeduction: "fee",
  PaymentCost: "fee",
  MerchantPayout: "payout",
  Balancetransfer: "payout",
  BankInstructionReturned: "payout",
  ReserveAdjustment: "reserve",
};

export const settlementDetails: SettlementReportReader = {
  // A capture of ours has its reference as "Modification Merchant Reference".
  namesCaptures: true,
  balances: () => true,
  async *read(file, { settings }) {
    const records = new CsvRecords();
    const seen = { lines: 0, foreign: 0 };
    let parse: ReturnType<typeof linesUnder> | undefined;
    const parsed = (some: readonly CsvRecord[]) => {
      const [header] = some;
      if (header === undefined) return [];
      const begins = parse === undefined;
      parse ??= linesUnder(header, settings.merchant_account);
      const lines = (begins ? some.slice(1) : some).map(parse);
      seen.lines += lines.length;
      seen.foreign += lines.filter((line) => "foreign" in line).length;
      return lines;
    };
    for await (const text of file) yield parsed(records.push(text));
    yield parsed(records.end());
    if (parse === undefined) throw new NoReport("it is empty");
    if (seen.lines === 0) throw new NoReport("it has no lines below the names of its columns");
    if (seen.foreign === seen.lines) throw new NoReport("all of its lines are of other merchant accounts");
  },
};

type Line = ReportLine | ForeignLine | BrokenLine;

function linesUnder(header: CsvRecord, account: unknown): (record: CsvRecord) => Line {
  if ("fault" in header) throw new NoReport(`line ${header.line}: ${header.fault}`);
  const names = columnsOf(header.fields);
  const report = reportOf(names);
  if (report !== undefined && report !== "settlement")
    throw new NoReport(
      `it is a ${REPORT_NAMES[report]}, which does not say what was paid out: expected is a ${REPORT_NAMES.settlement}`,
    );
  const missing = NEEDED.filter((name) => !names.includes(name));
  if (missing.length > 0) throw new NoReport(`line ${header.line} names the columns, and lacks ${missing.join(", ")}`);
  const twice = KNOWN.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) throw new NoReport(`line ${header.line} names the column ${twice} twice`);
  const place = Object.fromEntries(KNOWN.map((name) => [name, names.indexOf(name)])) as Record<Column, number>;
  return (record) => {
    if ("fault" in record) return record;
    const { line, fields } = record;
    if (fields.length !== names.length)
      return { line, fault: `it has ${fields.length} fields, and the first line has ${names.length}` };
    const field = (name: Column) => (fields[place[name]] ?? "").trim();
    return field("Merchant Account") === account ? lineOf(line, field) : { line, foreign: true };
  };
}

const CURRENCY = /^[A-Z]{3}$/;
const BATCH = /^\d{1,12}$/;
/** Signs: money that went out at the payer's or the issuer's wish. */
const OUT: readonly Reported[] = ["refunded", "chargeback", "capture-failed"];
const OF_A_PAYMENT: readonly Reported[] = ["captured", "undone", "chargeback-reversed", ...OUT];
const DISPUTED: readonly Reported[] = ["chargeback", "chargeback-reversed"];
/** A capture or a refund. */
const MODIFIED: readonly Reported[] = ["captured", "undone", "refunded", "capture-failed"];

function lineOf(line: number, field: (name: Column) => string): ReportLine | BrokenLine {
  const said = field("Type");
  const kind = TYPES[said] ?? "other";
  const batch = field("Batch Number");
  const gross = oneOf(field("Gross Debit (GC)"), field("Gross Credit (GC)"));
  const net = oneOf(field("Net Debit (NC)"), field("Net Credit (NC)"));
  const netCurrency = field("Net Currency");
  const currency = field("Gross Currency") || netCurrency;
  const fee = feeOf(field);
  const rate = parseRate(field("Exchange Rate"));
  const modification = field("Modification Reference");
  const at = timeOf(field("Creation Date"));
  const fault = (what: string): BrokenLine => ({ line, fault: what });
  if (!/^[\w ./-]{1,80}$/.test(said)) return fault("Type must be a word of Adyen's");
  if (!BATCH.test(batch)) return fault("Batch Number must be digits");
  if (gross === undefined || net === undefined)
    return fault("an amount must be digits with a point, in the debit or in the credit column");
  if (fee === null) return fault("a cost must be digits with a point");
  if (!CURRENCY.test(currency) || !CURRENCY.test(netCurrency)) return fault("a currency must be three capital letters");
  if (OF_A_PAYMENT.includes(kind) && gross.amount === 0n) return fault(`${said} must have a gross amount`);
  return {
    ...{ line, kind, said, batch, currency, netCurrency },
    id: idOf(said, field),
    about: aboutOf(field),
    gross: OF_A_PAYMENT.includes(kind) ? (OUT.includes(kind) ? -gross.amount : gross.amount) : signed(gross),
    net: signed(net),
    ...(OF_A_PAYMENT.includes(kind) && fee !== undefined && { fee }),
    ...(currency !== netCurrency && rate && { rate }),
    ...(DISPUTED.includes(kind) && modification !== "" && { dispute: modification }),
    ...(MODIFIED.includes(kind) && field("Psp Reference") !== "" && { payment: field("Psp Reference") }),
    ...(MODIFIED.includes(kind) && modification !== "" && { operation: modification }),
    ...(MODIFIED.includes(kind) && at !== undefined && { at }),
  };
}

/** All that was kept; undefined: the line says nothing of it. Null: it is not readable. */
function feeOf(field: (name: Column) => string): Exact | undefined | null {
  const said = COSTS.map(field).filter((text) => text !== "");
  if (said.length === 0) return undefined;
  let total = 0n;
  for (const text of said) {
    const cost = parseExact(text);
    if (cost === undefined) return null;
    total += cost;
  }
  return total;
}

interface OneOf {
  readonly amount: Exact;
  readonly debit: boolean;
}

/**
 * In which of the two columns the gross amount of a payment stands differs among reports, so it is told by the type whether it came in.
 * The net amount is what it changed in the balance: credit less debit.
 */
function oneOf(debit: string, credit: string): OneOf | undefined {
  const [out, into] = [parseExact(debit || "0"), parseExact(credit || "0")];
  if (out === undefined || into === undefined || out < 0n || into < 0n || (out > 0n && into > 0n)) return undefined;
  return { amount: out > 0n ? out : into, debit: out > 0n };
}

const signed = ({ amount, debit }: OneOf): Exact => (debit ? -amount : amount);

/** Fees and payouts have no reference of their own. A capture that Adyen made again may have the same one, and another time. */
function idOf(said: string, field: (name: Column) => string): string | null {
  const [payment, modification] = [field("Psp Reference"), field("Modification Reference")];
  return payment === "" ? null : `${said} ${payment} ${modification} ${field("Creation Date")}`.trim();
}

/** `2030-05-15 12:00:00` */
function timeOf(text: string): number | undefined {
  const time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? Date.parse(`${text.replace(" ", "T")}Z`) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function aboutOf(field: (name: Column) => string): ReportLine["about"] {
  const referred =
    parseReference(field("Modification Merchant Reference")) ?? parseReference(field("Merchant Reference"));
  return referred && { transactionId: referred.transactionId, eventId: referred.reference };
}
