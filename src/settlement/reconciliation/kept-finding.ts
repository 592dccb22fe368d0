// A finding of a reconciliation as it is kept: of books and of reports in one form, with amounts as texts. Pure.

import { exponentOf, ofMinorUnits, renderMinorUnits } from "../../payment/currency.ts";
import { amountOf, renderAmount } from "../../payment/money.ts";
import type { BookLine } from "../../processors/books.ts";
import { type Exact, exactOf, renderExact } from "../../processors/exact-amount.ts";
import type { ReportLine } from "../../processors/settlement-report.ts";
import type { Operation } from "./operations.ts";
import { type Finding, type FindingKind, isDifference } from "./reconcile.ts";
import {
  DISPUTE_FINDINGS,
  isReportDifference,
  type KnownDispute,
  type ReportFinding,
  type ReportFindingKind,
} from "./report-finding.ts";
import type { BatchSums } from "./report-sums.ts";

/** `unbalanced`: the lines of a batch that must add up to nothing leave something. */
export const KEPT_KINDS = [
  "missing-here",
  "missing-there",
  "other-operation",
  "other-amount",
  "other-currency",
  "other-outcome",
  "booked-twice",
  "reversal-refused",
  "settled-twice",
  "reported-twice",
  "unbalanced",
  "wrong-sum",
  "wrong-sign",
  "unaccounted",
  "archived",
  ...DISPUTE_FINDINGS,
  "pending",
  "not-closed",
  "chargeback",
] as const satisfies readonly (FindingKind | ReportFindingKind | "unbalanced")[];
export type KeptKind = (typeof KEPT_KINDS)[number];

export interface Here {
  /** A dispute: what is withdrawn because of it, on record. */
  readonly operation: Operation["type"] | "dispute";
  readonly amount: string;
  readonly currency: string;
  /** Null: not known yet. */
  readonly outcome: Operation["outcome"];
  /** ISO 8601. */
  readonly sent_at: string;
}

export interface There {
  /** In the file, from 1; null of a whole batch. */
  readonly line: number | null;
  readonly amount: string;
  readonly currency: string;
  /** The processor's, in books. */
  readonly code: string | null;
  /** In reports. */
  readonly batch_id: string | null;
  readonly net: string | null;
  readonly net_currency: string | null;
}

export interface KeptFinding {
  readonly kind: KeptKind;
  readonly difference: boolean;
  readonly operation: string;
  readonly reference: string | null;
  readonly transactionId: string | null;
  readonly sequence: number | null;
  readonly here: Here | null;
  readonly there: There | null;
}

/** A finding, and what it comes to on each side. */
export interface Weighed {
  readonly finding: KeptFinding;
  /** Without a sign. */
  readonly here: Exact | null;
  readonly there: Exact | null;
}

/** Undefined for what is only counted. */
export function ofBooks({ kind, operation, reference, here, there }: Finding, currency: string): Weighed | undefined {
  if (kind === "near-midnight" || kind === "too-recent") return undefined;
  const { transactionId = there?.transactionId ?? null, sequence = null } = here ?? {};
  const shown = { here: here && operationHere(here, currency), there: there && bookLine(there) };
  return {
    finding: { ...{ kind, difference: isDifference(kind), operation, reference, transactionId, sequence }, ...shown },
    here: here && exactOf(here.amount),
    there: there && there.amount * 10n ** BigInt(6 - exponentOf(there.currency)),
  };
}

/** Undefined for what is only counted. */
export function ofReport(found: ReportFinding, currency: string): Weighed | undefined {
  const { kind, here, there, dispute = null } = found;
  if (kind === "near-midnight" || kind === "too-recent") return undefined;
  const { transactionId = there?.about?.transactionId ?? dispute?.transactionId ?? null, sequence = null } = here ?? {};
  const operation = plain(saidOf(found));
  const named = { operation, reference: there && orNull(there.id), transactionId, sequence };
  return {
    finding: {
      ...{ kind, difference: isReportDifference(kind), ...named },
      ...{ here: sideHere(found, currency), there: there && reportLine(there) },
    },
    here: dispute ? exactOf(heldBy(found, dispute).amount) : here && exactOf(here.amount),
    there: there && positive(there.gross),
  };
}

/** A batch that should leave nothing. */
export function ofUnbalanced({ batch, currency, left }: BatchSums): Weighed {
  const sum = { amount: renderExact(left), currency, net: renderExact(left), net_currency: currency };
  return {
    finding: {
      ...{ kind: "unbalanced", difference: true, operation: "batch", reference: null, transactionId: null },
      ...{ sequence: null, here: null, there: { line: null, code: null, batch_id: orNull(batch), ...sum } },
    },
    here: null,
    there: positive(left),
  };
}

/** The processor's word, or what it should have been about. */
export function saidOf({ here, there, movement }: ReportFinding): string {
  if (there === null && movement !== undefined) return movement.amount < 0n ? "chargeback" : "chargeback-reversed";
  return there?.said ?? here?.type ?? "";
}

/** Of a line about a dispute that is on record, the dispute; else the operation. */
export function sideHere(found: ReportFinding, currency: string): Here | null {
  const { here, dispute } = found;
  if (!dispute) return here && operationHere(here, currency);
  const held = heldBy(found, dispute);
  return {
    ...{ operation: "dispute", amount: renderAmount(held.amount), currency: held.currency, outcome: null },
    sent_at: held.at.toISOString(),
  };
}

/** What is withdrawn, or what a movement that the report lacks moved. */
function heldBy({ there, movement }: ReportFinding, { withdrawn, currency, openedAt }: KnownDispute) {
  if (there !== null || movement === undefined) return { amount: withdrawn, currency, at: openedAt };
  const { amount, happenedAt } = movement;
  return { amount: amountOf(amount < 0n ? -amount : amount), currency: movement.currency, at: happenedAt };
}

const operationHere = ({ type, amount, outcome, sentAt }: Operation, currency: string): Here => ({
  ...{ operation: type, amount: renderAmount(amount), currency, outcome },
  sent_at: new Date(sentAt).toISOString(),
});

const bookLine = (there: BookLine): There => ({
  ...{ line: there.line, amount: amountInBooks(there), currency: plain(there.currency), code: plain(there.code) },
  ...{ batch_id: null, net: null, net_currency: null },
});

const reportLine = ({ line, batch, gross, currency, net, netCurrency }: ReportLine): There => ({
  ...{ line, amount: renderExact(gross), currency: plain(currency), code: null, batch_id: orNull(batch) },
  ...{ net: renderExact(net), net_currency: plain(netCurrency) },
});

/** As the API writes amounts; with three decimals where two cannot say it. */
export function amountInBooks({ amount, currency }: Pick<BookLine, "amount" | "currency">): string {
  const ours = ofMinorUnits(amount, currency);
  return ours === undefined ? renderMinorUnits(amount, currency) : renderAmount(ours);
}

const positive = (exact: Exact): Exact => (exact < 0n ? -exact : exact);

const MOST_CHARACTERS = 255;
/** PostgreSQL keeps no U+0000, and no one reads more. */
const plain = (text: string): string =>
  text
    .replace(/\p{Cc}/gu, " ")
    .slice(0, MOST_CHARACTERS)
    .toWellFormed();
const orNull = (text: string | null): string | null => (text === null ? null : plain(text));
