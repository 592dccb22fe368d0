// Each outcome of the journal against the host's books: what is approved is booked once with the same amount, what is
// declined was declined there, of what was not sent there is no trace, and what was never answered is taken back.

import { isCharge } from "../../../src/payment/transaction.ts";
import type { Booked, JournalEvent, JournalOutcome } from "../accounts.ts";
import { APPROVED, type Entries, type Evidence, NOTHING_THERE, shown } from "./evidence.ts";
import { type Finding, finding } from "./finding.ts";

export function checkOutcomes(evidence: Evidence): readonly Finding[] {
  return evidence.events.flatMap((event) => {
    if (event.outcome === null) return [finding("open", `${shown(event)} has no outcome`)];
    const entries = evidence.entriesOf(event);
    if (entries === undefined) return [];
    return [...doubled(event, entries), ...byOutcome(evidence, event, event.outcome, entries)];
  });
}

function doubled(event: JournalEvent, { operations, reversals }: Entries): readonly Finding[] {
  return [operations, reversals]
    .filter(({ length }) => length > 1)
    .map((all) => finding("doubled", `${shown(event)} is booked ${all.length} times`));
}

function byOutcome(
  { books }: Evidence,
  event: JournalEvent,
  outcome: JournalOutcome,
  entries: Entries,
): readonly Finding[] {
  const [entry] = entries.operations;
  const guessed = (why: string) => [finding("guessed", `${shown(event)}: ${why}`)];
  switch (outcome.kind) {
    case "approved":
      if (entry?.code !== (event.failedLate ?? APPROVED))
        return guessed(`the host has ${entry ? entry.code : "nothing"}`);
      return [
        ...differences(event, outcome, entry, books.get(event.processorId)?.voidsByRefund === true),
        ...takenBack(event, entries),
      ];
    case "declined":
    case "already-settled":
      // Its own kind had nothing to ask the host with, or an operator has looked into the books.
      if (outcome.code === NOT_THE_HOSTS && entry?.code !== APPROVED) return takenBack(event, entries);
      if (entry === undefined || entry.code === APPROVED || entry.code !== outcome.code)
        return guessed(`the host has ${entry ? entry.code : "nothing"}`);
      return takenBack(event, entries);
    case "not-sent":
      if (entry === undefined && entries.reversals.every(({ code }) => code === NOTHING_THERE)) return [];
      return guessed("the host has been asked");
    case "unanswered":
      return isCharge(event) ? unanswered(event, entries) : guessed("only a charge may end so");
  }
}

/** `adyen`, where a void is of what was captured in parts; and what an operator enters. */
const NOT_THE_HOSTS = "NO";

function differences(
  event: JournalEvent,
  outcome: JournalOutcome,
  entry: Booked,
  voidsByRefund: boolean,
): readonly Finding[] {
  const refundsIt = voidsByRefund && event.type === "void" && entry.operation === "refund";
  const wrong = [
    entry.operation !== event.type && !refundsIt && `booked as ${entry.operation}`,
    entry.amount !== event.amount && `booked with ${entry.amount} instead of ${event.amount}`,
    entry.transaction !== event.transactionId && `booked for ${entry.transaction}`,
    entry.id !== outcome.processorTransactionId && `booked under ${entry.id}`,
    isCharge(event) && entry.authCode !== outcome.authCode && `booked with auth code ${entry.authCode}`,
  ].filter((each) => each !== false);
  return wrong.map((why) => finding("differs", `${shown(event)}: ${why}`));
}

const takenBack = (event: JournalEvent, { reversals }: Entries): readonly Finding[] =>
  reversals.length === 0 ? [] : [finding("differs", `${shown(event)} was taken back at the host`)];

/** Silence is never a no: the host has confirmed that it is taken back, whether or not it had come, or that there is nothing. */
function unanswered(event: JournalEvent, { operations: [charge], reversals: [reversal] }: Entries): readonly Finding[] {
  if (reversal?.code === NOTHING_THERE && charge?.code !== APPROVED) return [];
  if (reversal?.code !== APPROVED)
    return [finding("open", `${shown(event)} is not taken back; the host has ${charge?.code ?? "nothing"}`)];
  const wrong = [
    reversal.amount !== event.amount && `taken back with ${reversal.amount} instead of ${event.amount}`,
    charge?.code === APPROVED && charge.at > reversal.at && "approved after it was taken back",
    charge?.code === APPROVED && charge.amount !== event.amount && `booked with ${charge.amount}`,
  ].filter((each) => each !== false);
  return wrong.map((why) => finding("differs", `${shown(event)}: ${why}`));
}
