// What a reconciliation found, as a row for people and as JSON for programs.
import { renderAmount } from "../payment/money.ts";
import { printable } from "../printable.ts";
import { adviceFor } from "../settlement/reconciliation/advice.ts";
import { amountInBooks } from "../settlement/reconciliation/kept-finding.ts";
import type { Finding } from "../settlement/reconciliation/reconcile.ts";
import type { Counts } from "../settlement/reconciliation/reconciliation.ts";

export const HEADINGS = ["FINDING", "OPERATION", "REFERENCE", "TRANSACTION", "JOURNAL", "BOOKS"];
/** Rows are printed as they are found, so that their widths are known before. */
const WIDTHS = [16, 9, 12, 36, 30, 30];

export const rowOf = (cells: readonly string[]): string =>
  cells
    .map((cell, column) => printable(cell).padEnd(WIDTHS[column] ?? 0))
    .join("  ")
    .trimEnd();

export function findingAsRow(finding: Finding, currency: string): readonly string[] {
  const { kind, operation, reference } = finding;
  const { transaction_id, here, there } = findingAsJson(finding, currency);
  return [
    kind,
    operation,
    reference,
    transaction_id ?? "-",
    here === null ? "-" : `${here.operation} ${here.amount} ${here.currency} ${here.outcome ?? "pending"}`,
    there === null ? "-" : `${there.amount} ${there.currency} code ${there.code} (line ${there.line})`,
  ];
}

export function findingAsJson({ kind, operation, reference, here, there }: Finding, currency: string) {
  return {
    finding: kind,
    operation,
    reference,
    transaction_id: here?.transactionId ?? there?.transactionId ?? null,
    sequence: here?.sequence ?? null,
    here: here && {
      operation: here.type,
      amount: renderAmount(here.amount),
      currency,
      outcome: here.outcome,
      sent_at: new Date(here.sentAt).toISOString(),
    },
    there: there && {
      line: there.line,
      amount: amountInBooks(there),
      currency: there.currency,
      code: there.code,
    },
  };
}

/** What to do about the kinds that were found; empty if there is nothing to do. */
export function advised(kinds: ReadonlySet<string>): string {
  const lines = adviceFor(kinds);
  return lines.length === 0 ? "" : `What to do:\n${lines.join("\n")}\n\n`;
}

export function inSentences(counts: Counts, day: string): string {
  const { operations, lines, others, broken, differences, pending, nearMidnight, tooRecent } = counts;
  const sentences = [
    `${day}: ${lines} lines in the books, ${others} of them of other terminals or records; ${operations} operations in the journal.`,
    differences === 0 ? "No difference." : `${differences} ${differences === 1 ? "difference" : "differences"}.`,
  ];
  if (pending > 0) sentences.push(`${pending} pending: they have no outcome yet.`);
  if (nearMidnight > 0)
    sentences.push(
      `${nearMidnight} are not in these books, but may be in those of the day before or after: they were in flight within ` +
        "five minutes of midnight. --json lists them.",
    );
  if (tooRecent > 0)
    sentences.push(
      `${tooRecent} are not in these books yet: they were sent within the last five minutes. Compare again later.`,
    );
  if (broken > 0) sentences.push(`${broken} malformed lines were not compared.`);
  return sentences.join("\n");
}
