// What merchants were told, what the gateway's journal has and what the processors' books have, compared when all is over. Pure.

import type { Booked, JournalEvent } from "../torture/accounts.ts";
import type { Told } from "./shop.ts";

interface Accounts {
  readonly told: readonly Told[];
  readonly events: readonly JournalEvent[];
  readonly booked: readonly Booked[];
}

export interface Verdict {
  /** Told as approved or booked as approved, and not so in the journal. */
  readonly lost: readonly string[];
  /** Approved in the journal more often than booked, or booked more often than it was asked for. */
  readonly doubled: readonly string[];
  /** Told as approved, and taken back at the processor by the gateway itself. */
  readonly reversedWrongly: readonly string[];
  /**
   * Transactions that the journal lost, and of which nothing is held: authorized and voided. Stripe shows a void by the payment's state alone,
   * as a timeout reversal, so they are not adopted (docs/recovery.md).
   */
  readonly released: readonly string[];
  /** Without an outcome. */
  readonly open: readonly string[];
}

const APPROVED = "00";

/** All operations of all histories. */
export function verdictOf({ told, events, booked }: Accounts): Verdict {
  const approved = events.filter(({ outcome, failedLate }) => outcome?.kind === "approved" && failedLate === null);
  const done = booked.filter(({ code }) => code === APPROVED);
  const takenBack = done.filter(({ operation }) => operation === "reversal");
  const reversed = new Set(takenBack.map(({ reference }) => reference));
  // A charge that was taken back is none: the gateway has it as unanswered.
  const standing = done.filter(({ operation, reference }) => operation !== "reversal" && !reversed.has(reference));
  const [shop, journal, books] = [
    counted(told.map(({ transaction, type, amount }) => `${transaction} ${kindOf(type)} ${amount}`)),
    counted(approved.map(({ transactionId, type, amount }) => `${transactionId} ${kindOf(type)} ${amount}`)),
    counted(standing.map(({ transaction, operation, amount }) => `${transaction} ${kindOf(operation)} ${amount}`)),
  ];
  const released = releasedOf(events, standing);
  const of = (what: string) => !released.has(what.split(" ")[0] ?? "");
  const more = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>) =>
    [...one].flatMap(([what, times]) =>
      times > (other.get(what) ?? 0) ? [`${what}: ${times} and ${other.get(what) ?? 0}`] : [],
    );
  const charged = new Set(takenBack.map(({ transaction }) => transaction));
  return {
    lost: [
      ...more(shop, journal)
        .filter(of)
        .map((what) => `told and in the journal: ${what}`),
      ...more(books, journal)
        .filter(of)
        .map((what) => `in the books and in the journal: ${what}`),
    ],
    doubled: more(journal, books).map((what) => `in the journal and in the books: ${what}`),
    reversedWrongly: told
      .filter(({ transaction, type }) => (type === "sale" || type === "auth") && charged.has(transaction))
      .map(({ transaction }) => transaction),
    released: [...released],
    open: events.filter(({ outcome }) => outcome === null).map(({ transactionId, type }) => `${transactionId} ${type}`),
  };
}

function releasedOf(events: readonly JournalEvent[], standing: readonly Booked[]): ReadonlySet<string> {
  const known = new Set(events.map(({ transactionId }) => transactionId));
  const absent = Map.groupBy(
    standing.filter(({ transaction }) => !known.has(transaction)),
    ({ transaction }) => transaction,
  );
  const isReleased = (lines: readonly Booked[]) =>
    lines.length === 2 &&
    lines.some(({ operation }) => operation === "auth") &&
    lines.some(({ operation, amount }) => operation === "void" && amount === lines[0]?.amount);
  return new Set([...absent].flatMap(([transaction, lines]) => (isReleased(lines) ? [transaction] : [])));
}

/** Stripe refunds what is voided. */
const kindOf = (type: string): string => (type === "void" || type === "refund" ? "void or refund" : type);

function counted(all: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}
