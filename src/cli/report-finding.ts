// What the reconciliation of a report found, as a row for people and as JSON for programs.

import { printable } from "../printable.ts";
import { renderExact } from "../processors/exact-amount.ts";
import type { ReportLine } from "../processors/settlement-report.ts";
import { type Here, saidOf, sideHere } from "../settlement/reconciliation/kept-finding.ts";
import type { Reconciled } from "../settlement/reconciliation/reconcile-report.ts";
import type { ReportFinding } from "../settlement/reconciliation/report-finding.ts";
import type { BatchSums } from "../settlement/reconciliation/report-sums.ts";
import { table } from "./print.ts";

export const REPORT_HEADINGS = ["FINDING", "OPERATION", "REFERENCE", "TRANSACTION", "JOURNAL", "REPORT"];

export function reportFindingAsRow(finding: ReportFinding, currency: string): readonly string[] {
  const { finding: kind, said, transaction_id, here, there } = reportFindingAsJson(finding, currency);
  return [
    kind,
    said,
    there?.reference ?? "-",
    transaction_id ?? "-",
    here === null ? "-" : `${here.operation} ${here.amount} ${here.currency}${ended(here)}`,
    there === null ? "-" : `${there.amount} ${there.currency} (line ${there.line})`,
  ];
}

const ended = ({ operation, outcome }: Here): string => (operation === "dispute" ? "" : ` ${outcome ?? "pending"}`);

export function reportFindingAsJson(found: ReportFinding, currency: string) {
  const { kind, here, there, dispute = null } = found;
  return {
    finding: kind,
    said: saidOf(found),
    transaction_id: here?.transactionId ?? there?.about?.transactionId ?? dispute?.transactionId ?? null,
    sequence: here?.sequence ?? null,
    dispute_id: dispute?.id ?? null,
    here: sideHere(found, currency),
    there: there && lineAsJson(there),
  };
}

const lineAsJson = ({ line, id, batch, kind, gross, currency, net, netCurrency }: ReportLine) => ({
  ...{ line, reference: id, batch_id: batch, kind },
  amount: renderExact(gross),
  currency,
  net: renderExact(net),
  net_currency: netCurrency,
});

/** Amounts as texts, to the last decimal that the processor wrote. */
export const batchesAsJson = (batches: readonly BatchSums[]) =>
  batches.map(({ batch, currency, ...sums }) => ({
    batch_id: batch,
    currency,
    ...Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, renderExact(sum)])),
  }));

export function reportInSentences({ counts, batches, unbalanced }: Reconciled): string {
  const { lines, compared, others, differences, pending, notClosed, chargebacks, nearMidnight, tooRecent, broken } =
    counts;
  const sentences = [
    `${lines} lines in the report: ${compared} of this record, ${others} of other records, accounts or payments made elsewhere.`,
    ...(lines > 0 && compared === 0 ? ["Nothing was compared with the journal: no line is of this record."] : []),
    differences === 0 ? "No difference." : `${differences} ${differences === 1 ? "difference" : "differences"}.`,
    ...unbalanced.map(
      ({ batch, currency, left }) =>
        `${batch === null ? "The lines" : `The lines of batch ${printable(batch)}`} in ${currency} leave ${renderExact(left)} instead of zero: ` +
        "lines or the payout are missing.",
    ),
  ];
  if (pending > 0) sentences.push(`${pending} pending: they have no outcome yet.`);
  if (notClosed > 0)
    sentences.push(`${notClosed} settled there and undone here: another report has to take them back.`);
  if (chargebacks > 0) sentences.push(`${chargebacks} chargebacks or their reversals, as on record.`);
  if (nearMidnight > 0)
    sentences.push(
      `${nearMidnight} are not in the report of this day: they were in flight within five minutes of midnight.`,
    );
  if (tooRecent > 0)
    sentences.push(
      `${tooRecent} are not in the report yet: they were sent within the last five minutes. Compare again later.`,
    );
  if (broken > 0) sentences.push(`${broken} malformed lines were not compared.`);
  return `${sentences.join("\n")}${batches.length > 0 ? `\n\n${sumsOf(batches)}` : ""}`;
}

function sumsOf(batches: readonly BatchSums[]): string {
  const headings = [
    "batch",
    "currency",
    "captured",
    "refunded",
    "undone",
    "chargebacks",
    "fees",
    "payouts",
    "reserves",
    "other",
    "left",
  ];
  const rows = batches.map((sums) => [
    sums.batch,
    sums.currency,
    ...[
      sums.captured,
      sums.refunded,
      sums.undone,
      sums.chargebacks,
      sums.fees,
      sums.payouts,
      sums.reserves,
      sums.other,
      sums.left,
    ].map(renderExact),
  ]);
  return table(headings, rows, "");
}
