// Adyen's reports as a recovery reads them: the Received payment details report and the Payment accounting report of each day, and the
// settlement details report, which comes days later. That something is not in them says nothing: each has its own time zone and time of making.

import type { Booking, BookingsReader } from "../bookings.ts";
import type { BrokenLine, ForeignLine } from "../books.ts";
import { type CsvRecord, CsvRecords } from "../csv-records.ts";
import { NoReport } from "../settlement-report.ts";
import { REPORTS } from "./report/booking-lines.ts";
import { columnsOf, REPORT_NAMES, reportOf } from "./report/which-report.ts";

export const adyenBookings: BookingsReader = {
  needs:
    "Adyen's Payment accounting reports and Received payment details reports of each day, or settlement details reports, " +
    "as CSV with the column Merchant Order Reference",
  complete: false,
  overlapping: true,
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

function linesUnder(header: CsvRecord, account: unknown) {
  if ("fault" in header) throw new NoReport(`line ${header.line}: ${header.fault}`);
  const names = columnsOf(header.fields);
  const report = reportOf(names);
  if (report === undefined)
    throw new NoReport(
      `line ${header.line} does not name the columns of one of Adyen's reports: expected is a ` +
        `${REPORT_NAMES.accounting} (with Record Type), a ${REPORT_NAMES.received} (with Psp Reference, Amount and Type) ` +
        `or a ${REPORT_NAMES.settlement} (with Gross Currency), as CSV`,
    );
  const { columns, lineOf } = REPORTS[report];
  const missing = columns.filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new NoReport(
      `it is a ${REPORT_NAMES[report]}, and lacks the columns ${missing.join(", ")}: add them in the Customer Area`,
    );
  return (record: CsvRecord): Booking | ForeignLine | BrokenLine => {
    if ("fault" in record) return record;
    const { line, fields } = record;
    if (fields.length !== names.length)
      return { line, fault: `it has ${fields.length} fields, and the first line has ${names.length}` };
    const field = (name: string) => (fields[names.indexOf(name)] ?? "").trim();
    return field("Merchant Account") === account ? lineOf(line, field) : { line, foreign: true };
  };
}
