// At the end of a run the providers pay out, and their reports are compared with the journal by what `faregate reconcile` does.

import { adyenKind } from "../../src/processors/adyen/adyen.ts";
import type { ReportLines } from "../../src/processors/settlement-report.ts";
import { stripeKind } from "../../src/processors/stripe/stripe.ts";
import { reconcileReport } from "../../src/settlement/reconciliation/reconcile-report.ts";
import { isReportDifference, type ReportFinding } from "../../src/settlement/reconciliation/report-finding.ts";
import { simulatorRecord } from "../conformance/simulator-record.ts";
import type { Booked } from "./accounts.ts";
import { APPROVED } from "./check/evidence.ts";
import { type Finding, finding } from "./check/finding.ts";
import type { House } from "./house.ts";
import type { ProviderHost } from "./providers.ts";

export async function reconcile(house: House): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const host of house.providers) findings.push(...(await reconcileOne(house, host)));
  return findings;
}

async function reconcileOne({ sql, records, merchantId }: House, host: ProviderHost): Promise<readonly Finding[]> {
  const { provider, settings } = host;
  const processorId = records.atProviders[provider] ?? "";
  const reader = provider === "adyen" ? adyenKind.report : stripeKind.report;
  if (reader === undefined) throw new Error(`${provider} has no reports`);
  const record = { ...simulatorRecord(settings), kind: provider };
  const paidOut = await host.payOut();
  const asked = { payout: paidOut };
  const lines: ReportLines =
    reader.ask?.(record, asked, AbortSignal.timeout(LONGEST_MS)) ?? reader.read(inOnePiece(paidOut), record);
  const findings: Finding[] = [];
  const found = (one: ReportFinding) => {
    if (isReportDifference(one.kind)) findings.push(finding("differs", `${provider} reports: ${shown(one)}`));
  };
  const broken = ({ line, fault }: { readonly line: number; readonly fault: string }) =>
    void findings.push(finding("differs", `${provider}'s report, line ${line}: ${fault}`));
  const report = {
    ...{ account: { merchantId, processorId }, currency: "USD", namesCaptures: reader.namesCaptures },
    ...{ lines, day: undefined, balances: reader.balances(reader.ask ? asked : "file") },
  };
  const { counts, unbalanced } = await reconcileReport(sql, report, new Date(), { found, broken });
  if (movedMoney(host.booked()) && counts.compared === 0)
    findings.push(finding("differs", `${provider}'s report names nothing of ours`));
  for (const { batch, left } of unbalanced)
    findings.push(finding("differs", `${provider}'s batch ${batch} leaves ${left}`));
  return findings;
}

/** What was taken back may have been so before any money moved. */
function movedMoney(booked: readonly Booked[]): boolean {
  const done = booked.filter(({ code }) => code === APPROVED);
  const takenBack = new Set(
    done.filter(({ operation }) => operation === "reversal" || operation === "void").map((line) => line.transaction),
  );
  return done.some(
    ({ operation, transaction }) => (operation === "sale" || operation === "capture") && !takenBack.has(transaction),
  );
}

const LONGEST_MS = 60_000;

async function* inOnePiece(text: string): AsyncGenerator<string> {
  yield text;
}

const shown = ({ kind, here, there }: ReportFinding): string =>
  `${kind}: ${there ? `${there.said} ${there.id} ${there.gross}` : "nothing"} there, ${here ? `${here.type} ${here.eventId} ${here.amount}` : "nothing"} here`;
