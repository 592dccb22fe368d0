// The books of an acquirer's host for a day: CSV (docs/iso8583.md, "A day's books as CSV"), read strictly. Operations are known by their
// RRN, accounts by terminal and merchant. What is wrong with a line is said without what stands in it.

import { currencyOfNumber, exponentOf, numericCode } from "../../payment/currency.ts";
import { isUuid } from "../../uuid.ts";
import {
  type BookedOperation,
  type BookLine,
  type BooksReader,
  type BrokenLine,
  type ForeignLine,
  NoBooks,
} from "../books.ts";
import { type CsvRecord, CsvRecords } from "../csv-records.ts";
import { mayHoldMoney, REVERSAL_CONFIRMED } from "./answers/response-codes.ts";
import { rrnOf } from "./messages/envelope.ts";

export interface Account {
  readonly terminal: unknown;
  readonly merchant: unknown;
  readonly currency: string;
}

export const booksReader: BooksReader = {
  referenceOf: rrnOf,
  async *read(file, { currency, settings }, day) {
    const account = { terminal: settings.terminal_id, merchant: settings.merchant_id, currency };
    const records = new CsvRecords();
    let parse: ReturnType<typeof bookLines> | undefined;
    const parsed = (some: CsvRecord[]) => {
      const [header] = some;
      if (header === undefined) return [];
      const begins = parse === undefined;
      parse ??= bookLines(header, day);
      return (begins ? some.slice(1) : some).map(parse).map((line) => inWords(line, account));
    };
    for await (const text of file) yield parsed(records.push(text));
    yield parsed(records.end());
    if (parse === undefined) throw new NoBooks("it is empty");
  },
};

export function inWords(line: CsvLine | BrokenLine, account: Account): BookLine | ForeignLine | BrokenLine {
  if ("fault" in line) return line;
  const { terminal, merchant, rrn, numericCurrency, currency, ...rest } = line;
  if (terminal !== account.terminal || merchant !== account.merchant) return { line: line.line, foreign: true };
  return {
    ...rest,
    reference: rrn,
    // Two currencies may share a number: it is the account's where it can be.
    currency: numericCurrency === numericCode(account.currency) ? account.currency : currency,
    approved: mayHoldMoney(line.code, line.operation === "reversal" ? "void" : line.operation),
    nothingHeld: line.operation === "reversal" && REVERSAL_CONFIRMED.has(line.code),
  };
}

const BOOKED_OPERATIONS: readonly BookedOperation[] = ["sale", "auth", "capture", "void", "refund", "reversal"];

export interface CsvLine {
  readonly line: number;
  readonly operation: BookedOperation;
  readonly terminal: string;
  readonly merchant: string;
  readonly rrn: string;
  /** In the currency's minor unit. */
  readonly amount: bigint;
  /** ISO 4217, alphabetic; the digits where they are no currency's. */
  readonly currency: string;
  readonly numericCurrency: string;
  /** Field 39. */
  readonly code: string;
  /** The gateway's, where the books have it. */
  readonly transactionId: string | null;
}

const NEEDED = ["at", "operation", "terminal", "merchant", "rrn", "amount", "currency", "code", "transaction"] as const;
type Column = (typeof NEEDED)[number];

/**
 * @param day `2030-05-15`; undefined: of any
 * @throws NoBooks
 */
export function bookLines(header: CsvRecord, day: string | undefined): (record: CsvRecord) => CsvLine | BrokenLine {
  if ("fault" in header) throw new NoBooks(`line ${header.line}: ${header.fault}`);
  const names = header.fields.map((name) => name.replace(/^\uFEFF/, "").trim());
  const missing = NEEDED.filter((name) => !names.includes(name));
  if (missing.length > 0) throw new NoBooks(`line ${header.line} names the columns, and lacks ${missing.join(", ")}`);
  const place = Object.fromEntries(NEEDED.map((name) => [name, names.indexOf(name)])) as Record<Column, number>;
  return (record) => {
    if ("fault" in record) return record;
    const { line, fields } = record;
    if (fields.length !== names.length)
      return { line, fault: `it has ${fields.length} fields, and the first line has ${names.length}` };
    return parse(line, day, (name) => fields[place[name]] ?? "");
  };
}

const AT = /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?Z$/;
const RRN = /^[0-9A-Z]{12}$/;
const CURRENCY = /^\d{3}$/;
const CODE = /^[0-9A-Z]{2}$/;

function parse(line: number, day: string | undefined, field: (name: Column) => string): CsvLine | BrokenLine {
  const [at, rrn, code, transaction] = [field("at"), field("rrn"), field("code"), field("transaction")];
  const operation = BOOKED_OPERATIONS.find((name) => name === field("operation"));
  const numericCurrency = field("currency");
  const currency = currencyOfNumber(numericCurrency) ?? numericCurrency;
  const exponent = exponentOf(currency);
  const amount = parseMinorUnits(field("amount"), exponent);
  const fault = (what: string): BrokenLine => ({ line, fault: what });
  if (!AT.test(at)) return fault("at must be a time like 2030-05-15T12:00:00.000Z");
  if (day !== undefined && !at.startsWith(day)) return fault(`at must be of the day ${day}`);
  if (operation === undefined) return fault(`operation must be one of ${BOOKED_OPERATIONS.join(", ")}`);
  if (!RRN.test(rrn)) return fault("rrn must be twelve of 0-9 and A-Z");
  if (!CURRENCY.test(numericCurrency)) return fault("currency must be three digits");
  if (amount === undefined) return fault(`amount must be digits${DECIMALS[exponent]}`);
  if (!CODE.test(code)) return fault("code must be two of 0-9 and A-Z");
  return {
    line,
    operation,
    terminal: field("terminal"),
    merchant: field("merchant"),
    rrn,
    amount,
    currency,
    numericCurrency,
    code,
    transactionId: isUuid(transaction) ? transaction.toLowerCase() : null,
  };
}

const DECIMALS: Readonly<Record<number, string>> = {
  0: "",
  2: " with a point and two decimals",
  3: " with a point and three decimals",
};

/** With exactly as many decimals as the currency has. */
function parseMinorUnits(text: string, exponent: number): bigint | undefined {
  const [, whole, decimals = ""] = /^(\d{1,10})(?:\.(\d+))?$/.exec(text) ?? [];
  return whole === undefined || decimals.length !== exponent ? undefined : BigInt(whole + decimals);
}
