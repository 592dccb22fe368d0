// The host's books against the journal: nothing is booked of which the journal knows nothing, and for each transaction the
// journal's sum is what the host holds or has taken.

import { isCharge } from "../../../src/payment/transaction.ts";
import type { Booked, JournalEvent } from "../accounts.ts";
import { APPROVED, type Evidence } from "./evidence.ts";
import { type Finding, finding } from "./finding.ts";

export function checkBooks(evidence: Evidence): readonly Finding[] {
  const unknown = evidence.booked
    .filter((booked) => evidence.eventOf(booked) === undefined)
    .map((booked) =>
      finding("differs", `a ${booked.operation} ${booked.reference} of which the journal knows nothing`),
    );
  return [...unknown, ...checkSums(evidence), ...checkOrders(evidence)];
}

function checkSums({ booked, byTransaction, books }: Evidence): readonly Finding[] {
  const theirs = Map.groupBy(booked, ({ transaction }) => transaction);
  return [...byTransaction].flatMap(([id, events]) => {
    const ours = journalBalance(events.filter(({ processorId }) => books.has(processorId)));
    const host = hostBalance(theirs.get(id) ?? []);
    return ours === host ? [] : [finding("differs", `transaction ${id}: ${ours} in the journal, ${host} in the books`)];
  });
}

/** In hundredths: what is held or taken of the cardholder's money by what the journal says. */
const journalBalance = (events: readonly JournalEvent[]): bigint =>
  sum(
    events
      .filter(({ outcome, failedLate }) => outcome?.kind === "approved" && failedLate === null)
      .map((event) => (isCharge(event) ? event.amount : event.type === "capture" ? 0n : -event.amount)),
  );

/** The same by the lines of the books alone. */
function hostBalance(lines: readonly Booked[]): bigint {
  const done = lines.filter(({ code }) => code === APPROVED);
  const reversed = new Set(done.flatMap(({ operation, reference }) => (operation === "reversal" ? [reference] : [])));
  return sum(
    done.map(({ operation, reference, amount }) => {
      if (operation === "sale" || operation === "auth") return reversed.has(reference) ? 0n : amount;
      return operation === "void" || operation === "refund" ? -amount : 0n;
    }),
  );
}

/** An order is a key of a client's: of all its charges one at most may stand in the books. */
function checkOrders({ byTransaction, byKey, requests, entriesOf }: Evidence): readonly Finding[] {
  return requests.flatMap(({ key, operation }) => {
    const events = byTransaction.get(byKey.get(key)?.transactionId ?? "") ?? [];
    if (operation !== "sale" && operation !== "auth") return [];
    const standing = events.filter(isCharge).filter((event) => {
      const { operations = [], reversals = [] } = entriesOf(event) ?? {};
      return operations.some(({ code }) => code === APPROVED) && reversals.length === 0;
    });
    return standing.length > 1 ? [finding("doubled", `order ${key}: ${standing.length} charges stand`)] : [];
  });
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
