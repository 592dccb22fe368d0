// The books of an acquirer's host: CSV (docs/iso8583.md, "A day's books as CSV"), in which operations are known by their RRN
// and accounts by terminal and merchant.

import { numericCode } from "../../../payment/currency.ts";
import { type BookLine, type BooksReader, type BrokenLine, type ForeignLine, NoBooks } from "../../books.ts";
import { type CsvRecord, CsvRecords } from "../../csv-records.ts";
import { REVERSAL_CONFIRMED, responseCode } from "../answers/response-codes.ts";
import { rrnOf } from "../messages/envelope.ts";
import { bookLines, type CsvLine } from "./book-line.ts";

interface Account {
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

function inWords(line: CsvLine | BrokenLine, account: Account): BookLine | ForeignLine | BrokenLine {
  if ("fault" in line) return line;
  const { terminal, merchant, rrn, numericCurrency, currency, ...rest } = line;
  if (terminal !== account.terminal || merchant !== account.merchant) return { line: line.line, foreign: true };
  return {
    ...rest,
    reference: rrn,
    // Two currencies may share a number: it is the account's where it can be.
    currency: numericCurrency === numericCode(account.currency) ? account.currency : currency,
    approved: responseCode(line.code).meaning === "approved",
    nothingHeld: line.operation === "reversal" && REVERSAL_CONFIRMED.has(line.code),
  };
}
