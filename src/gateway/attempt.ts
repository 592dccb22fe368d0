// One attempt to end an event that was left open: the processor is asked, and what it says is written down. Nothing here
// guesses.

import type { UnresolvedEvent } from "../journal/unresolved.ts";
import { type Event, type Transaction, withEvent } from "../payment/transaction.ts";
import type { Render } from "./answer.ts";
import { ask } from "./ask.ts";
import { askFollowUp, askTimeoutReversal } from "./card-numbers.ts";
import { concludeDurably } from "./carry-out.ts";
import { carryOutFollowUp } from "./follow-up.ts";
import { concludedBy, conclusionOf, neverAnswered, outcomeOf } from "./outcome.ts";
import type { Parts } from "./parts.ts";
import { followUpQuestion } from "./questions.ts";
import { refundAfterVoid } from "./reverse.ts";

/**
 * - `answered`: the event has its outcome now, or the processor confirmed that no money of a charge is held or taken
 * - `needless`: it had an end before anybody was asked
 * - `unanswered`: nothing is known that was not known before
 */
export type Attempted =
  | { readonly kind: "answered"; readonly confirmed: boolean }
  | { readonly kind: "needless" }
  | { readonly kind: "unanswered"; readonly why: string };

export async function attemptToResolve(parts: Parts, due: UnresolvedEvent, render: Render): Promise<Attempted> {
  const transaction = await parts.journal.find(due.merchantId, due.transactionId);
  const event = transaction?.events[due.sequence - 1];
  if (transaction === undefined || event === undefined) throw new Error("broken journal: an unresolved event is gone");
  return due.remedy === "reverse"
    ? reverseCharge(parts, transaction, event)
    : repeatFollowUp(parts, transaction, event, render);
}

async function reverseCharge(parts: Parts, transaction: Transaction, event: Event): Promise<Attempted> {
  const { merchantId, id: transactionId } = transaction;
  if (event.outcome === null) {
    // The charge is given up before it is taken back: should its gateway live after all, its answer comes too late.
    await parts.journal.conclude(
      conclusionOf(transaction, event, neverAnswered({ transaction, event }, parts.clock.now()), undefined),
    );
    const stored = await parts.journal.find(merchantId, transactionId);
    if (stored?.events[event.sequence - 1]?.outcome?.kind !== "unanswered") return { kind: "needless" };
  } else if (event.outcome.kind !== "unanswered") return { kind: "needless" };
  const atWork = await parts.processors.find(merchantId, event.processorId);
  const answer = await ask(atWork.timeoutMs, (signal) => askTimeoutReversal(parts, transaction, event, atWork, signal));
  if (answer.kind !== "confirmed") return { kind: "unanswered", why: answer.why };
  parts.log.info({ event: event.id }, "an unanswered charge was reversed");
  return { kind: "answered", confirmed: true };
}

async function repeatFollowUp(
  parts: Parts,
  transaction: Transaction,
  event: Event,
  render: Render,
): Promise<Attempted> {
  if (event.outcome !== null) return { kind: "needless" };
  const atWork = await parts.processors.find(transaction.merchantId, event.processorId);
  const question = followUpQuestion(transaction, event, parts.clock.now());
  const answer = await ask(atWork.timeoutMs, (signal) => askFollowUp(parts, transaction, atWork, question, signal));
  // One that was not sent now was sent before, perhaps.
  if (answer.kind === "not-sent" || answer.kind === "unanswered") return { kind: "unanswered", why: answer.why };
  const outcome = outcomeOf({ transaction, event }, answer, atWork.record.schedule, parts.clock.now());
  if (outcome === undefined) throw new Error("broken invariant: an answer without an outcome");
  const ended = concludedBy(transaction, event.sequence, outcome);
  const next = refundAfterVoid(parts, ended, atWork);
  const conclusion = conclusionOf(transaction, event, outcome, atWork.record.schedule);
  const written = await concludeDurably(parts, event, { ...conclusion, ...(next && { next }) });
  parts.log.info({ event: event.id, outcome: outcome.kind }, "an unanswered operation was resolved");
  if (next && written === "concluded") {
    const begun = { kind: "begun", transaction: withEvent(ended, next), atWork } as const;
    await carryOutFollowUp(parts, begun, { claim: null, render });
  }
  return { kind: "answered", confirmed: false };
}
