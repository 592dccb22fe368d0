// Which of Adyen's reports a file is, by the names of its columns, so that one in place of another is told by its name.

/**
 * - `settlement` docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report
 * - `accounting` docs.adyen.com/reporting/invoice-reconciliation/payment-accounting-report
 * - `received` docs.adyen.com/reporting/received-payment-details-report
 */
export const REPORT_NAMES = {
  settlement: "settlement details report",
  accounting: "Payment accounting report",
  received: "Received payment details report",
} as const;
export type ReportName = keyof typeof REPORT_NAMES;

/** A column that no other one has, and what else the report is known by. */
const KNOWN_BY: readonly (readonly [ReportName, readonly string[]])[] = [
  ["accounting", ["Record Type"]],
  ["settlement", ["Gross Currency"]],
  ["received", ["Psp Reference", "Amount", "Type"]],
];

export const reportOf = (columns: readonly string[]): ReportName | undefined =>
  KNOWN_BY.find(([, names]) => names.every((name) => columns.includes(name)))?.[0];

/** Those of a file's first line. */
export const columnsOf = (fields: readonly string[]): readonly string[] =>
  fields.map((name) => name.replace(/^\uFEFF/, "").trim());
