// faregate reconcile, for processors that report what they have settled: from a file, or asked for.

import { type FeeNoted, noteFee } from "../journal/disputes.ts";
import type { Backoffice } from "../merchants/backoffice.ts";
import { findProcessorRecord } from "../merchants/processor-lookup.ts";
import type { Processor } from "../merchants/processor-schema.ts";
import { MOST_REPORTS } from "../payment/dispute.ts";
import type { BrokenLine } from "../processors/books.ts";
import type { Asked, ReportLines, SettlementReportReader } from "../processors/settlement-report.ts";
import { ofReport, ofUnbalanced } from "../settlement/reconciliation/kept-finding.ts";
import { type Reconciled, type ReportCounts, reconcileReport } from "../settlement/reconciliation/reconcile-report.ts";
import type { ReportFinding } from "../settlement/reconciliation/report-finding.ts";
import { asPrinted, Run } from "../settlement/reconciliation/run.ts";
import { newId } from "../uuid.ts";
import { refuseUnopened } from "./command-secrets.ts";
import { advised, rowOf } from "./finding.ts";
import { jsonText, progress, write } from "./print.ts";
import { Refused } from "./refused.ts";
import {
  batchesAsJson,
  REPORT_HEADINGS,
  reportFindingAsJson,
  reportFindingAsRow,
  reportInSentences,
} from "./report-finding.ts";

export interface SettledGiven {
  readonly json?: true;
  readonly day?: string;
  readonly payout?: string;
  /** Of the file; undefined: the processor is asked. */
  readonly text: AsyncIterable<string> | undefined;
  /** Its name; null: it came by stdin, or there is none. */
  readonly file: string | null;
  readonly broken: (line: BrokenLine) => void;
}

const DEADLINE_MS = 600_000;

export async function reconcileSettled(
  office: Backoffice,
  processor: Processor,
  reader: SettlementReportReader,
  given: SettledGiven,
): Promise<ReportCounts> {
  const asked = askedFor(processor, reader, given);
  const report = {
    account: { merchantId: processor.merchant_id, processorId: processor.id },
    currency: processor.currency,
    namesCaptures: reader.namesCaptures,
    balances: reader.balances(asked),
    ...(reader.leftOf && { leftOf: reader.leftOf }),
    day: given.day,
    lines: await linesOf(office, processor, reader, given, asked),
  };
  const { json, broken, day = null, payout = null, file } = given;
  const { currency } = processor;
  const run = new Run({ ...report.account, ...{ source: "report", currency, day, payout, file } });
  const kinds = new Set<string>();
  let headed = false;
  const found = async (raw: ReportFinding) => {
    run.add(ofReport(raw, currency));
    kinds.add(raw.kind);
    const transactionId = raw.here?.transactionId ?? raw.there?.about?.transactionId ?? raw.dispute?.transactionId;
    const there = raw.there && (await asPrinted(office.sql, processor.merchant_id, transactionId, raw.there));
    const finding = { ...raw, there };
    if (json) return write(`${jsonText(reportFindingAsJson(finding, currency))}\n`);
    if (finding.kind === "near-midnight" || finding.kind === "too-recent") return; // only counted: they may be many
    if (!headed) await write(`${rowOf(REPORT_HEADINGS)}\n`);
    headed = true;
    await write(`${rowOf(reportFindingAsRow(finding, currency))}\n`);
  };
  const now = office.clock.now();
  const reconciled = await reconcileReport(office.sql, report, now, { found, broken });
  const { counts, batches, unbalanced } = reconciled;
  for (const batch of unbalanced) run.add(ofUnbalanced(batch));
  if (unbalanced.length > 0) kinds.add("unbalanced");
  const id = newId(now);
  const sums = { id, sums: counts, batches: batchesAsJson(batches), unbalanced: batchesAsJson(unbalanced) };
  await write(
    json ? `${jsonText(sums)}\n` : `${headed ? "\n" : ""}${advised(kinds)}${reportInSentences(reconciled)}\n`,
  );
  // After what was found is told: it stands even if it cannot be kept.
  await run.keep(office.sql, { id, now }, counts, batchesAsJson(batches));
  await noteFees(office, reconciled.fees);
  return counts;
}

/** Of each dispute, those that are not known yet. */
async function noteFees({ sql, clock }: Backoffice, fees: Reconciled["fees"]): Promise<void> {
  const noted: Record<FeeNoted, number> = { new: 0, known: 0, "too-many": 0 };
  for (const { disputeId, fee } of fees) noted[await noteFee(sql, disputeId, fee, clock.now())]++;
  if (noted.new > 0) progress(`Added to the ledger: ${noted.new} ${noted.new === 1 ? "fee" : "fees"} of disputes.`);
  if (noted["too-many"] > 0)
    progress(`Not added: ${noted["too-many"]} fees of disputes that have ${MOST_REPORTS} reports already.`);
}

function askedFor(
  { kind }: Processor,
  { ask }: SettlementReportReader,
  { text, day, payout }: SettledGiven,
): Asked | "file" {
  if (text !== undefined) {
    if (payout !== undefined) throw new Refused("--payout fetches the report from the processor: leave out the file");
    return "file";
  }
  if (ask === undefined) throw new Refused(`name the file: reports of the kind ${kind} cannot be fetched`);
  if (payout !== undefined && day !== undefined) throw new Refused("give either --day or --payout");
  if (payout !== undefined) return { payout };
  if (day !== undefined) return { day };
  throw new Refused("name a file, or give --day or --payout to fetch the report from the processor");
}

async function linesOf(
  { sql, secrets }: Backoffice,
  processor: Processor,
  reader: SettlementReportReader,
  { text }: SettledGiven,
  asked: Asked | "file",
): Promise<ReportLines> {
  if (text !== undefined) return reader.read(text, processor);
  const record = await findProcessorRecord(sql, processor.id, secrets);
  if (record === undefined || reader.ask === undefined || asked === "file")
    throw new Refused(`there is no processor ${processor.id}`, { code: "not-found" });
  refuseUnopened(record.id, record.unopened);
  return reader.ask(record, asked, AbortSignal.timeout(DEADLINE_MS));
}
