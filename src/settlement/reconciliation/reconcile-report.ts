// Reconciles a processor's report of settled money with the journal: reads all of it, looks up the transactions that it names,
// and tells what it finds. The lines of ours are held in memory, since those of one transaction stand anywhere.

import type { Sql } from "../../journal/database.ts";
import type { BrokenLine } from "../../processors/books.ts";
import {
  NoReport,
  type ReportLine,
  type ReportLines,
  type SettlementReportReader,
} from "../../processors/settlement-report.ts";
import { lineFault } from "./check-line.ts";
import { type AccountOfReport, compareTransaction, mustBeThere } from "./compare-settled.ts";
import { type FeeOfDispute, feesOf } from "./dispute-fees.ts";
import { type DayOfReport, missingDisputes, ReportedDisputes } from "./missing-disputes.ts";
import type { Operation } from "./operations.ts";
import { disputesNamed, disputesOn } from "./read-disputes.ts";
import { type Account, archivedOf, ofOtherMerchants, operationsOf, operationsSent } from "./read-operations.ts";
import { within } from "./reconcile.ts";
import { isReportDifference, type OurLine, type ReportFinding } from "./report-finding.ts";
import { type BatchSums, ReportSums } from "./report-sums.ts";

export interface Report extends AccountOfReport {
  readonly account: Account;
  readonly lines: ReportLines;
  /** `2030-05-15`, UTC: all money of this day must be in it. */
  readonly day: string | undefined;
  /** Whether each batch is whole, with its payout. */
  readonly balances: boolean;
  /** Less than this may be left of one. */
  readonly leftOf?: SettlementReportReader["leftOf"];
}

export interface ToldOfReport {
  found(finding: ReportFinding): Promise<void> | void;
  broken(line: BrokenLine): void;
}

export interface ReportCounts {
  lines: number;
  /** Of ours, compared with an operation. */
  compared: number;
  broken: number;
  /** Not of this processor record: payments made elsewhere, or by another record with the same account, whoever's. */
  others: number;
  differences: number;
  pending: number;
  notClosed: number;
  chargebacks: number;
  nearMidnight: number;
  tooRecent: number;
}

export interface Reconciled {
  readonly counts: ReportCounts;
  readonly batches: readonly BatchSums[];
  /** Those that are to be whole and are not. Each is a difference. */
  readonly unbalanced: readonly BatchSums[];
  /** Of disputes on record, what their lines say that was charged. */
  readonly fees: readonly FeeOfDispute[];
}

/** By how much the processor's clock may differ from ours. */
const CLOCK_SKEW_MS = 300_000;
const DAY_MS = 86_400_000;
const LOOKED_UP_AT_ONCE = 500;
/** In memory some 300 bytes each. */
const MOST_OF_OURS = 1_000_000;

/** @throws NoReport if the file is no report, or too long a one */
export async function reconcileReport(sql: Sql, report: Report, now: Date, told: ToldOfReport): Promise<Reconciled> {
  const counts: ReportCounts = {
    ...{ lines: 0, compared: 0, broken: 0, others: 0, differences: 0 },
    ...{ pending: 0, notClosed: 0, chargebacks: 0, nearMidnight: 0, tooRecent: 0 },
  };
  const sums = new ReportSums();
  const found = async (finding: ReportFinding) => {
    count(counts, finding);
    await told.found(finding);
  };
  const { ours, disputed } = await readLines(report.lines, counts, sums, { found, broken: told.broken });
  for (const some of portions(disputed)) await assign(sql, report.account, some, ours, counts, found);
  const settled = new Set<string>();
  const fees: FeeOfDispute[] = [];
  const reported = new ReportedDisputes();
  for (const some of portions([...ours.keys()])) {
    const byTransaction = await lookUp(sql, report.account, some);
    const unknown = some.filter((id) => !byTransaction.has(id));
    const elsewhere = await ofOtherMerchants(sql, report.account, unknown);
    const archived = await archivedOf(sql, report.account, unknown);
    const disputes = await disputesOn(sql, report.account, some);
    for (const id of some) {
      const lines = ours.get(id) ?? [];
      const { operations, ofOthers } = byTransaction.get(id) ?? { operations: [], ofOthers: elsewhere.has(id) };
      if (operations.length === 0 && ofOthers) counts.others += lines.length;
      else {
        counts.compared += lines.length;
        const compared = compareTransaction(lines, operations, report, disputes.get(id), archived.has(id));
        for (const finding of compared.findings) {
          await found(finding);
          reported.add(finding);
          fees.push(...feesOf(finding));
        }
        for (const eventId of compared.settled) settled.add(eventId);
      }
    }
  }
  if (report.day !== undefined) {
    const day = dayOf(report.day, now);
    for await (const finding of missingThere(sql, report.account, day, settled)) await found(finding);
    for await (const finding of missingDisputes(sql, report.account, day, reported)) await found(finding);
  }
  const batches = sums.batches();
  const leaves = ({ left, currency }: BatchSums) => (left < 0n ? -left : left) >= (report.leftOf?.(currency) ?? 1n);
  const unbalanced = report.balances ? batches.filter(leaves) : [];
  counts.differences += unbalanced.length;
  return { counts, batches, unbalanced, fees };
}

function count(counts: ReportCounts, { kind }: ReportFinding): void {
  if (isReportDifference(kind)) counts.differences++;
  else if (kind === "pending") counts.pending++;
  else if (kind === "not-closed") counts.notClosed++;
  else if (kind === "chargeback") counts.chargebacks++;
  else if (kind === "too-recent") counts.tooRecent++;
  else counts.nearMidnight++;
}

interface Read {
  /** Lines about transactions of ours, by transaction. */
  readonly ours: Map<string, OurLine[]>;
  /** Lines about disputes of which the processor names no payment of ours. */
  readonly disputed: readonly ReportLine[];
}

async function readLines(
  lines: ReportLines,
  counts: ReportCounts,
  sums: ReportSums,
  told: Pick<ToldOfReport, "found" | "broken">,
): Promise<Read> {
  const ours = new Map<string, OurLine[]>();
  const disputed: ReportLine[] = [];
  const ids = new Set<string>();
  let held = 0;
  const bound = () => {
    if (++held > MOST_OF_OURS) throw new NoReport(`it has more than ${MOST_OF_OURS} lines of this gateway`);
  };
  const take = async (line: ReportLine) => {
    if (line.id !== null && ids.has(line.id)) return told.found({ kind: "reported-twice", here: null, there: line });
    if (line.id !== null) ids.add(line.id);
    sums.add(line);
    if (isOurs(line)) {
      bound();
      return hold(ours, line);
    }
    if (CHARGEBACKS.includes(line.kind)) {
      bound();
      disputed.push(line);
    } else if (OF_PAYMENTS.includes(line.kind)) counts.others++;
    const kind = line.kind === "other" ? "unaccounted" : lineFault(line);
    if (kind !== undefined) return told.found({ kind, here: null, there: line });
  };
  for await (const some of lines)
    for (const line of some) {
      counts.lines++;
      if ("fault" in line) {
        counts.broken++;
        told.broken(line);
      } else if ("foreign" in line) counts.others++;
      else await take(line);
    }
  return { ours, disputed };
}

function hold(ours: Map<string, OurLine[]>, line: OurLine): void {
  const before = ours.get(line.about.transactionId);
  if (before) before.push(line);
  else ours.set(line.about.transactionId, [line]);
}

/** Lines about disputes go to the payment that the dispute is on record for. */
async function assign(
  sql: Sql,
  account: Account,
  lines: readonly ReportLine[],
  ours: Map<string, OurLine[]>,
  counts: ReportCounts,
  found: ToldOfReport["found"],
): Promise<void> {
  const { own, elsewhere } = await disputesNamed(sql, account, [
    ...new Set(lines.flatMap(({ dispute }) => dispute ?? [])),
  ]);
  for (const line of lines) {
    const about = own.get(line.dispute ?? "");
    if (about !== undefined) hold(ours, { ...line, about });
    else if (elsewhere.has(line.dispute ?? "")) counts.others++;
    else await found({ kind: "unknown-dispute", here: null, there: line });
  }
}

const isOurs = (line: ReportLine): line is OurLine => line.about !== null;

/** Fees and payouts are nobody's payment. */
const OF_PAYMENTS: readonly ReportLine["kind"][] = ["captured", "refunded", "undone", "capture-failed"];
/** Judged also where the processor does not say of which payment. */
const CHARGEBACKS: readonly ReportLine["kind"][] = ["chargeback", "chargeback-reversed"];

interface Found {
  readonly operations: Operation[];
  /** Of another processor record. */
  ofOthers: boolean;
}

async function lookUp(sql: Sql, account: Account, ids: readonly string[]): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>();
  for (const { operation, processorId } of await operationsOf(sql, account, ids)) {
    const one = found.get(operation.transactionId) ?? { operations: [], ofOthers: false };
    if (processorId === account.processorId) one.operations.push(operation);
    else one.ofOthers = true;
    found.set(operation.transactionId, one);
  }
  return found;
}

function dayOf(day: string, now: Date): DayOfReport {
  const from = Date.parse(`${day}T00:00:00Z`);
  const until = Math.min(from + DAY_MS, now.getTime());
  return { from, until, over: from + DAY_MS <= now.getTime(), clockSkewMs: CLOCK_SKEW_MS };
}

/** Money of the day that the report does not have. */
async function* missingThere(
  sql: Sql,
  account: Account,
  day: DayOfReport,
  settled: ReadonlySet<string>,
): AsyncGenerator<ReportFinding> {
  const { from } = day;
  for await (const some of operationsSent(sql, account, from - CLOCK_SKEW_MS, from + DAY_MS + CLOCK_SKEW_MS)) {
    const absent = some.filter((one) => !settled.has(one.eventId) && mustBeThere(one, []));
    for (const portion of portions(absent)) {
      const whole = await lookUp(sql, account, [...new Set(portion.map(({ transactionId }) => transactionId))]);
      for (const here of portion) {
        if (!mustBeThere(here, whole.get(here.transactionId)?.operations ?? [])) continue;
        const kind = within(here.sentAt, here.endedAt, day, "missing-there");
        if (kind !== undefined) yield { kind, here, there: null };
      }
    }
  }
}

function* portions<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += LOOKED_UP_AT_ONCE) yield all.slice(from, from + LOOKED_UP_AT_ONCE);
}
