// A dispute: a payer's bank asks about a payment, or takes its money back. It is known by reports, of the processor or of an
// operator, and what they add up to does not depend on the order in which they came, or on how often. Pure.

import { isDeepStrictEqual } from "node:util";
import { type Amount, ZERO } from "./money.ts";

/** How far it has gone, the first before the others. */
export const DISPUTE_STAGES = ["inquiry", "chargeback", "second_chargeback", "pre_arbitration", "arbitration"] as const;
export type DisputeStage = (typeof DISPUTE_STAGES)[number];

/** Open: somebody has to do something. */
export const OPEN_STATES = ["needs_response", "under_review"] as const;
/** `closed`: ended without a winner, such as an inquiry that became no chargeback. */
export const DISPUTE_OUTCOMES = ["won", "lost", "closed"] as const;
export const DISPUTE_STATES = [...OPEN_STATES, ...DISPUTE_OUTCOMES] as const;
export type OpenState = (typeof OPEN_STATES)[number];
export type DisputeOutcome = (typeof DISPUTE_OUTCOMES)[number];
export type DisputeState = OpenState | DisputeOutcome;

/** What a processor charged for a dispute, or gave back of it, at one time. */
export interface DisputeFee {
  /** The processor's name for this movement. Who says it again says the same. */
  readonly name: string;
  /** Hundredths; below zero it was given back. */
  readonly amount: bigint;
  /** ISO 4217, of the account at the processor. */
  readonly currency: string;
}

/** What somebody says about a dispute. What it does not say is absent, and stays as it was. */
export interface DisputeReport {
  /** Its place in the dispute's course, by whoever reports: a later word wins over an earlier one, whichever came first. */
  readonly order: number;
  /** When it happened. */
  readonly at: Date;
  readonly stage?: DisputeStage;
  readonly state?: DisputeState;
  readonly disputed?: { readonly amount: Amount; readonly currency: string };
  /** What the processor holds of the merchant's money because of it, in the currency of the dispute. */
  readonly withdrawn?: Amount;
  /** What the processor charged for it, by itself: those that this report names. */
  readonly fees?: readonly DisputeFee[];
  /** The same in all, as an operator entered it. */
  readonly feeInAll?: { readonly amount: Amount; readonly currency: string };
  /** In words. */
  readonly reason?: string;
  /** The card network's. */
  readonly reasonCode?: string;
  /** Null: there is no such time. */
  readonly respondBy?: Date | null;
}

/** A report on record. */
export interface KnownReport extends DisputeReport {
  /** In the order in which the gateway got them, from 1 without gaps. */
  readonly number: number;
  /** The id of the processor's message; null: an operator said so. */
  readonly source: string | null;
  /** When the gateway knew; never before the one with the number before. */
  readonly knownAt: Date;
}

/** What the reports add up to. */
export interface DisputeSummary {
  readonly stage: DisputeStage;
  readonly state: DisputeState;
  readonly amount: Amount;
  /** ISO 4217, which need not be the transaction's. */
  readonly currency: string;
  readonly withdrawn: Amount;
  /** What the processor charged for it and did not give back. Null: none is known, or they are in several currencies. */
  readonly fee: { readonly amount: bigint; readonly currency: string } | null;
  readonly reason: string | null;
  readonly reasonCode: string | null;
  readonly respondBy: Date | null;
  /** When it began, by whoever reported it. */
  readonly openedAt: Date;
}

/** So many reports a dispute has at most: its course is walked again with each. */
export const MOST_REPORTS = 200;

/** Of each thing the last word in the dispute's course. */
export function summaryOf(reports: readonly KnownReport[]): DisputeSummary {
  const course = reports.toSorted(inCourse);
  const last = <Name extends keyof DisputeReport>(name: Name): DisputeReport[Name] | undefined =>
    course.findLast((report) => report[name] !== undefined)?.[name];
  const disputed = last("disputed");
  if (disputed === undefined) throw new Error("broken dispute: no report says how much is disputed");
  const state = last("state") ?? "needs_response";
  return {
    stage: stageOf(last("stage") ?? "chargeback", state),
    state,
    ...disputed,
    withdrawn: last("withdrawn") ?? ZERO,
    fee: onlyOf(feesOf(reports)),
    reason: last("reason") ?? null,
    reasonCode: last("reasonCode") ?? null,
    respondBy: last("respondBy") ?? null,
    openedAt: new Date(Math.min(...reports.map(({ at }) => at.getTime()))),
  };
}

/**
 * By currency, in all. The processor's fees are added up by their names, so that it does not matter how often or by whom one is reported.
 * What an operator enters counts instead, until the processor names a fee that was not known by then.
 */
function feesOf(reports: readonly KnownReport[]): ReadonlyMap<string, bigint> {
  const named = new Map<string, DisputeFee>();
  let entered: DisputeReport["feeInAll"];
  for (const { fees = [], feeInAll } of reports) {
    entered = feeInAll ?? entered;
    for (const fee of fees) {
      if (!named.has(fee.name)) entered = undefined;
      named.set(fee.name, named.get(fee.name) ?? fee);
    }
  }
  if (entered !== undefined) return new Map([[entered.currency, entered.amount]]);
  const sums = new Map<string, bigint>();
  for (const { amount, currency } of named.values()) sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  return sums;
}

function onlyOf(fees: ReadonlyMap<string, bigint>): DisputeSummary["fee"] {
  const [[currency, amount] = [], ...others] = fees;
  return currency === undefined || amount === undefined || others.length > 0 ? null : { amount, currency };
}

/** An inquiry is neither won nor lost: there was a chargeback that nobody told of. */
const stageOf = (stage: DisputeStage, state: DisputeState): DisputeStage =>
  stage === "inquiry" && (state === "won" || state === "lost") ? "chargeback" : stage;

/** At the same place the operator's word stands, who has seen the processor's. */
function inCourse(one: KnownReport, other: KnownReport): number {
  if (one.order !== other.order) return one.order - other.order;
  if (one.source === null || other.source === null)
    return one.source === other.source ? one.number - other.number : one.source === null ? 1 : -1;
  return one.source < other.source ? -1 : 1;
}

/** The place of what an operator says: behind everything that is known by then. */
export const orderOfOperator = (known: readonly KnownReport[]): number =>
  known.reduce((most, { order }) => Math.max(most, order), 0);

/** After each report, in the order in which they came. */
export const historyOf = (reports: readonly KnownReport[]): readonly DisputeSummary[] =>
  reports.map((_, index) => summaryOf(reports.slice(0, index + 1)));

/** When what the reports add up to changed last. */
export function changedAt(reports: readonly KnownReport[]): Date {
  const history = historyOf(reports);
  const index = history.findLastIndex((one, at) => !isDeepStrictEqual(one, history[at - 1]));
  const report = reports[index];
  if (report === undefined) throw new Error("broken dispute: nothing was reported");
  return report.knownAt;
}

export type DisputeNews = "opened" | "updated" | DisputeOutcome;
export const DISPUTE_NEWS: readonly DisputeNews[] = ["opened", "updated", ...DISPUTE_OUTCOMES];

/**
 * What a merchant is told after a report, first things first.
 * @param before undefined: it is the first report
 */
export function newsOfDispute(before: DisputeSummary | undefined, after: DisputeSummary): readonly DisputeNews[] {
  if (before !== undefined && isDeepStrictEqual(before, after)) return [];
  const outcome = outcomeOf(after);
  const ended = outcome !== null && outcome !== (before && outcomeOf(before)) ? [outcome] : [];
  if (before === undefined) return ["opened", ...ended];
  return ended.length > 0 ? ended : ["updated"];
}

/** Null while it is open. */
export const outcomeOf = ({ state }: Pick<DisputeSummary, "state">): DisputeOutcome | null =>
  DISPUTE_OUTCOMES.find((outcome) => outcome === state) ?? null;

/** A refund now might give back what the payer's bank takes, or has taken. */
export const mayPayTwice = (dispute: Pick<DisputeSummary, "state" | "withdrawn">): boolean =>
  outcomeOf(dispute) === null || dispute.withdrawn > ZERO;

/** Money that a dispute moved. */
export interface DisputeMovement {
  /** What is disputed, or what the processor charges for the dispute. */
  readonly kind: "chargeback" | "dispute_fee";
  /** Of the report that made it known. */
  readonly number: number;
  /** When it happened, by whoever reported it. */
  readonly happenedAt: Date;
  readonly at: Date;
  readonly currency: string;
  /** Hundredths; below zero it left the merchant. */
  readonly amount: bigint;
  /** It gives back what an earlier one took. */
  readonly reversing: boolean;
}

/**
 * In the order in which they were known: what is withdrawn or charged, and what is given back. Those of one kind add up to what is
 * withdrawn now, or to the fees.
 */
export function disputeMovementsOf(reports: readonly KnownReport[]): readonly DisputeMovement[] {
  let [held, currency] = [0n, ""];
  let fees: ReadonlyMap<string, bigint> = new Map();
  return historyOf(reports).flatMap((summary, index) => {
    const report = reports[index];
    if (report === undefined) throw new Error("broken dispute: a summary of no report");
    const { number, at: happenedAt, knownAt: at } = report;
    const moved =
      summary.currency === currency
        ? [{ currency, amount: held - summary.withdrawn }]
        : [
            { currency, amount: held },
            { currency: summary.currency, amount: -summary.withdrawn },
          ];
    [held, currency] = [summary.withdrawn, summary.currency];
    const now = feesOf(reports.slice(0, index + 1));
    const charged = [...new Set([...fees.keys(), ...now.keys()])].map((one) => ({
      currency: one,
      amount: (fees.get(one) ?? 0n) - (now.get(one) ?? 0n),
    }));
    fees = now;
    return [
      ...moved.map((one) => ({ kind: "chargeback" as const, ...one })),
      ...charged.map((one) => ({ kind: "dispute_fee" as const, ...one })),
    ]
      .filter(({ amount }) => amount !== 0n)
      .map((one) => ({ at, number, happenedAt, ...one, reversing: one.amount > 0n }));
  });
}
