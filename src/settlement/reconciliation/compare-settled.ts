// What a processor's report says of the money of one transaction, against what the gateway has of it. Pure: operations and lines
// come in, findings come out. Such a report has settled money only, of many days: that something is not in it says nothing.

import { amountOf } from "../../payment/money.ts";
import { isChargeType } from "../../payment/transaction.ts";
import { exactOf } from "../../processors/exact-amount.ts";
import type { ReportLine } from "../../processors/settlement-report.ts";
import { lineFault } from "./check-line.ts";
import { compareDisputes } from "./compare-disputes.ts";
import { operationsNamed } from "./named-operation.ts";
import type { Operation } from "./operations.ts";
import type { KnownDispute, OurLine, ReportFinding, ReportFindingKind } from "./report-finding.ts";

export interface AccountOfReport {
  /** ISO 4217, of the record. */
  readonly currency: string;
  readonly namesCaptures: boolean;
}

export interface ComparedTransaction {
  readonly findings: readonly ReportFinding[];
  /** Ids of the events whose money the report has. */
  readonly settled: ReadonlySet<string>;
}

/**
 * @param lines of this transaction, all that the report has
 * @param operations of this transaction, all of them
 * @param disputes of this transaction, all that are on record
 * @param archived this transaction is in an archive, and its operations with it
 */
export function compareTransaction(
  lines: readonly OurLine[],
  operations: readonly Operation[],
  account: AccountOfReport,
  disputes: readonly KnownDispute[] = [],
  archived = false,
): ComparedTransaction {
  const transaction = new Transaction(lines, operations, account);
  const inTurn = lines.toSorted(namedCapturesFirst(operations));
  const findings = inTurn.flatMap((line) => {
    const found = archived ? ofArchived(line) : transaction.compare(line);
    // A line of another amount does not add up for that reason.
    return found.some(({ kind }) => kind === "other-amount") ? found : [...found, ...addsUp(line, operations)];
  });
  const disputed = compareDisputes(lines.filter(isAboutDispute), operations, disputes, account.currency, archived);
  return { findings: [...findings, ...disputed], settled: transaction.settled };
}

const ofArchived = (line: OurLine): readonly ReportFinding[] =>
  isAboutDispute(line) ? [] : [{ kind: "archived", here: null, there: line }];

const isAboutDispute = ({ kind }: ReportLine): boolean => kind === "chargeback" || kind === "chargeback-reversed";

function addsUp(line: OurLine, operations: readonly Operation[]): readonly ReportFinding[] {
  const kind = lineFault(line);
  const here = operations.find(({ eventId }) => eventId === line.about.eventId) ?? operations[0] ?? null;
  return kind === undefined ? [] : [{ kind, here, there: line }];
}

/** A line that names its capture has it, whatever others of the same amount there are. */
function namedCapturesFirst(operations: readonly Operation[]) {
  const auths = new Set(operations.flatMap(({ type, eventId }) => (type === "auth" ? [eventId] : [])));
  const rank = ({ about }: OurLine) => (auths.has(about.eventId) ? 1 : 0);
  return (one: OurLine, other: OurLine) => rank(one) - rank(other);
}

class Transaction {
  readonly settled = new Set<string>();
  /** By event and direction: a charge that was not answered may be captured and refunded there. */
  readonly #seen = new Map<string, number>();
  readonly #lines: readonly OurLine[];
  readonly #operations: readonly Operation[];
  readonly #account: AccountOfReport;
  readonly #named: ReadonlyMap<OurLine, Operation>;

  constructor(lines: readonly OurLine[], operations: readonly Operation[], account: AccountOfReport) {
    this.#lines = lines;
    this.#operations = operations;
    this.#account = account;
    this.#named = operationsNamed(lines, operations);
  }

  compare(line: OurLine): readonly ReportFinding[] {
    const named = this.#named.get(line);
    switch (line.kind) {
      case "captured":
        return this.#money(line, named?.type === "auth" ? this.#captureOf(line) : named, ["sale", "capture"]);
      case "refunded":
        if (isMadeElsewhere(named)) return [{ kind: "missing-here", here: null, there: line }];
        return this.#money(line, named, ["refund", "void", "sale", "auth"]);
      case "undone":
        if (isMadeElsewhere(named)) return [{ kind: "missing-here", here: null, there: line }];
        return this.#isOnceTooOften(line)
          ? [{ kind: "settled-twice", here: named ?? null, there: line }]
          : undone(line, named);
      case "capture-failed":
        return this.#isOnceTooOften(line)
          ? [{ kind: "settled-twice", here: named ?? null, there: line }]
          : undone(line, named);
      // Compared together.
      case "chargeback":
      case "chargeback-reversed":
      case "released":
      case "fee":
      case "payout":
      case "reserve":
        return [];
      case "other":
        return [{ kind: "unaccounted", here: named ?? null, there: line }];
    }
  }

  /** Of what failed, as often as it went out in this report, or once if that was in another one. */
  #isOnceTooOften(line: OurLine): boolean {
    const here = this.#named.get(line);
    const seen = `${line.kind} ${here?.eventId ?? line.about.eventId}`;
    const before = this.#seen.get(seen) ?? 0;
    this.#seen.set(seen, before + 1);
    const there = this.#linesOf(line.kind === "undone" ? "refunded" : "captured", here).length;
    return before >= Math.max(there, 1);
  }

  #linesOf(kind: ReportLine["kind"], here: Operation | undefined): readonly OurLine[] {
    return this.#lines.filter((line) => line.kind === kind && this.#named.get(line) === here);
  }

  #money(line: OurLine, here: Operation | undefined, types: readonly Operation["type"][]): readonly ReportFinding[] {
    if (here === undefined) return [{ kind: "missing-here", here: null, there: line }];
    const finding = (kind: ReportFindingKind): ReportFinding => ({ kind, here, there: line });
    if (!types.includes(here.type)) return [finding("other-operation")];
    const seen = `${line.kind} ${here.eventId}`;
    const before = this.#seen.get(seen) ?? 0;
    if (before > this.#askedAgain(line, here)) return [finding("settled-twice")];
    this.#seen.set(seen, before + 1);
    this.settled.add(here.eventId);
    const kinds: ReportFindingKind[] = [];
    if (line.currency !== this.#account.currency) kinds.push("other-currency");
    else if (line.gross !== this.#expected(line, here)) kinds.push("other-amount");
    const outcome = this.#outcome(line, here);
    return [...kinds, ...(outcome === undefined ? [] : [outcome])].map(finding);
  }

  /** How often a charge that was not answered was refunded anew, since the refund before had failed. */
  #askedAgain({ kind }: OurLine, here: Operation): number {
    return kind === "refunded" && here.outcome === "unanswered" ? this.#linesOf("undone", here).length : 0;
  }

  #expected(line: OurLine, here: Operation): bigint {
    if (line.kind === "captured") return exactOf(here.amount);
    return here.type === "void" ? -this.#takenBackBy(here) : -exactOf(here.amount);
  }

  /** Of what a void covers, the part that was captured before: the rest was only held. */
  #takenBackBy({ sequence, amount }: Operation): bigint {
    const before = this.#operations.filter((one) => one.sequence < sequence && one.outcome === "approved");
    const moved = before.reduce((sum, one) => sum + (DIRECTION[one.type] ?? 0n) * one.amount, 0n);
    const captured = moved < amount ? moved : amount;
    return exactOf(amountOf(captured < 0n ? 0n : captured));
  }

  /** By its amount: of two equal ones either will do. Where there is but one left, the line is about that. */
  #captureOf(line: OurLine): Operation | undefined {
    if (this.#account.namesCaptures) return undefined;
    const open = this.#operations.filter(({ type, eventId }) => type === "capture" && !this.settled.has(eventId));
    const taken = open.filter(({ outcome }) => outcome === "approved");
    const equal = (one: Operation) => exactOf(one.amount) === line.gross;
    return taken.find(equal) ?? open.find(equal) ?? (taken.length === 1 ? taken[0] : undefined);
  }

  #outcome(line: OurLine, here: Operation): ReportFindingKind | undefined {
    switch (here.outcome) {
      case "approved":
        return undefined;
      case null:
        return "pending";
      case "declined":
        // A refund that was accepted first: its money went out, and came back when it failed.
        return line.kind === "refunded" && this.#has("undone", here) ? undefined : "other-outcome";
      case "already-settled":
      case "not-sent":
        return "other-outcome";
      case "unanswered":
        return line.kind === "captured" && !this.#has("refunded", here) ? "not-closed" : undefined;
      case "failed-after-all":
        if (this.#isMadeAgain(line, here)) return "other-outcome";
        return this.#has("undone", here) || this.#has("capture-failed", here) ? undefined : "not-closed";
    }
  }

  /** Its money moved after it had failed, or under another name than the one that failed. */
  #isMadeAgain({ operation, at }: OurLine, here: Operation): boolean {
    const { type, processorName, endedAt } = here;
    const hasOneName = type === "capture" || type === "refund";
    if (hasOneName && operation !== undefined && processorName !== undefined && operation !== processorName)
      return true;
    if (at === undefined) return false;
    const failures = [...this.#linesOf("undone", here), ...this.#linesOf("capture-failed", here)];
    const failedAt = failures.map((line) => line.at ?? Number.POSITIVE_INFINITY);
    return at > (failures.length > 0 ? Math.max(...failedAt) : (endedAt ?? Number.POSITIVE_INFINITY) + ANY_ZONE_MS);
  }

  #has(kind: ReportLine["kind"], here: Operation): boolean {
    return this.#linesOf(kind, here).length > 0;
  }
}

/** By how much a report's time zone may differ from UTC, with a margin. */
const ANY_ZONE_MS = 86_400_000;

/** What takes money back under the name of its charge was made elsewhere, unless that charge was not answered. */
const isMadeElsewhere = (named: Operation | undefined): boolean =>
  named !== undefined && isChargeType(named.type) && named.outcome !== "unanswered" && named.outcome !== null;

const DIRECTION: Readonly<Partial<Record<Operation["type"], bigint>>> = { sale: 1n, capture: 1n, refund: -1n };

function undone(line: OurLine, here: Operation | undefined): readonly ReportFinding[] {
  if (here === undefined) return [{ kind: "missing-here", here: null, there: line }];
  const finding = (kind: ReportFindingKind): ReportFinding => ({ kind, here, there: line });
  const whole = here.type === "refund" || here.type === "sale" || here.type === "capture";
  const size = line.gross < 0n ? -line.gross : line.gross;
  if (whole && size !== exactOf(here.amount)) return [finding("other-amount")];
  if (here.outcome === null) return [finding("pending")];
  return here.outcome === "approved" ? [finding("other-outcome")] : [];
}

/**
 * Whether a report that has all money of a time must have this operation's.
 * @param operations of its transaction
 */
export function mustBeThere(here: Operation, operations: readonly Operation[]): boolean {
  // The gateway knows when it was told, and not on which day it was made.
  if (here.byProcessor !== undefined) return false;
  if (here.outcome !== "approved" || !MOVES_MONEY.includes(here.type)) return false;
  // What was voided may have come to nothing there, or have been taken and given back.
  return !operations.some(({ type, outcome }) => type === "void" && outcome !== "declined" && outcome !== "not-sent");
}

const MOVES_MONEY: readonly Operation["type"][] = ["sale", "capture", "refund"];
