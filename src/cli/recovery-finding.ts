// What a comparison after a restore found, as a row for people and as JSON for programs.
import { renderAmount } from "../payment/money.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import type { Compared } from "../recovery/compare.ts";
import { FINDING_KINDS, type Finding, type FindingKind, isToDecide } from "../recovery/comparison.ts";

const HEADINGS = ["finding", "operation", "amount", "merchant's reference", "transaction", "reference", "where"];

export function recoveryFindingAsJson(finding: Finding, { id, merchantId }: ProcessorRecord) {
  const { kind, here, there, lacks } = finding;
  return {
    kind,
    operation: there?.operation ?? here?.type ?? null,
    processor_id: id,
    merchant_id: merchantId,
    merchant_transaction_id: there?.merchantTransactionId ?? null,
    transaction_id: here?.transactionId ?? there?.transactionId ?? null,
    event_id: here?.eventId ?? there?.eventId ?? null,
    reference: there?.reference ?? null,
    amount: there?.amount != null ? renderAmount(there.amount) : here && renderAmount(here.amount),
    currency: there?.currency ?? null,
    at: there?.at?.toISOString() ?? (here && new Date(here.sentAt).toISOString()),
    card_number: there?.card?.mask ?? null,
    outcome_here: here && (here.outcome ?? "open"),
    approved_there: there?.approved ?? null,
    file: there?.file ?? null,
    line: there?.line ?? null,
    to_decide: isToDecide(kind),
    ...(lacks !== undefined && { lacks }),
    advice: lacks === undefined ? FINDING_KINDS[kind] : `${FINDING_KINDS[kind]}; missing: ${lacks}`,
  };
}

export const headings = HEADINGS;

export function recoveryFindingAsRow(finding: Finding, record: ProcessorRecord): readonly string[] {
  const one = recoveryFindingAsJson(finding, record);
  return [
    one.kind,
    one.operation ?? "-",
    `${one.amount ?? "-"} ${one.currency ?? record.currency}`,
    one.merchant_transaction_id ?? "-",
    one.transaction_id ?? "-",
    one.reference ?? "-",
    one.line === null ? "-" : one.file === null ? "asked" : `${one.file}:${one.line}`,
  ];
}

/** What there is, and what to do about it. */
export function inSentences({ findings, totals }: Compared, { merchantId }: ProcessorRecord): string {
  const { bookings, equal, lost_declined, lost_reversed, others, archived, broken } = totals;
  const kinds = [...new Set(findings.map(({ kind }) => kind))];
  const of = (kind: FindingKind) => findings.filter((one) => one.kind === kind);
  const lines = [
    `${bookings} bookings: ${equal} are the same here.`,
    ...kinds.map((kind) => `${of(kind).length} ${kind}: ${FINDING_KINDS[kind]}${lackIn(of(kind))}.`),
  ];
  if (lost_declined > 0) lines.push(`${lost_declined} were declined there and are absent here: no money moved.`);
  if (lost_reversed > 0) lines.push(`${lost_reversed} were taken back there and are absent here: no money is held.`);
  if (others > 0) lines.push(`${others} are of other accounts or records.`);
  if (archived > 0) lines.push(`${archived} are of archived transactions, and were not compared.`);
  if (broken > 0) lines.push(`${broken} malformed lines were not compared.`);
  const told = of("lost").length + of("open-booked").length;
  if (told > 0)
    lines.push(
      `Tell merchant ${merchantId} of these ${told} operations before the release. A charge that it repeats with its idempotency key is not ` +
        "charged again, once it is adopted under the gateway's own transaction id. Another request that it repeats may be carried out again: see docs/recovery.md.",
    );
  if (!findings.some(({ kind }) => isToDecide(kind))) lines.push("Nothing is left to decide.");
  return lines.join("\n");
}

function lackIn(findings: readonly Finding[]): string {
  const lacks = [...new Set(findings.flatMap(({ lacks }) => lacks ?? []))];
  return lacks.length === 0 ? "" : ` (missing: ${lacks.join("; ")})`;
}
