// One event from its durable intent to its durable outcome: ask the processor, write what became of it together with the
// caller's answer.

import {
  type EventPlace,
  JournalUnavailable,
  JournalUncertain,
  type KeyClaim,
  type StoredAnswer,
} from "../journal/journal.ts";
import type { Event, Transaction } from "../payment/transaction.ts";
import type { Answer } from "../processors/processor.ts";
import { type End, endOf, type Render } from "./answer.ts";
import { ask } from "./ask.ts";
import { concludedBy, conclusionOf, outcomeOf } from "./outcome.ts";
import type { Parts } from "./parts.ts";
import type { ProcessorAtWork } from "./processors-at-work.ts";

export interface Step {
  /** Its newest event is the intent. */
  readonly transaction: Transaction;
  readonly atWork: ProcessorAtWork;
  readonly question: (signal: AbortSignal) => Promise<Answer>;
  readonly claim: KeyClaim | null;
  readonly render: Render;
  /** After this end another step follows, which will give the caller's answer. */
  readonly goesOn?: (end: End) => boolean;
}

/** The outcome is known and could not be made durable in time. It is tried on; the caller has to look. */
export class OutcomeNotRecorded extends Error {}

export async function carryOut(
  parts: Parts,
  step: Step,
): Promise<{ readonly end: End; readonly answer: StoredAnswer }> {
  const { journal, clock, underWay } = parts;
  const { transaction, atWork, claim, render } = step;
  const event = newestOf(transaction);
  const place = { merchantId: transaction.merchantId, transactionId: transaction.id, sequence: event.sequence };

  const reply = await ask(atWork.timeoutMs, step.question);
  if (reply.kind === "unanswered")
    parts.log.warn({ event: event.id, type: event.type, why: reply.why }, "the processor did not answer");
  const outcome = outcomeOf(event.type, reply, atWork.record.schedule, clock.now());
  const end = endOf(outcome ? concludedBy(transaction, event.sequence, outcome) : transaction, atWork);
  const answer = render(end);
  const keyedAnswer = claim && !step.goesOn?.(end) ? { key: claim.key, ...answer } : null;

  if (outcome === undefined) {
    await durably(parts, place, () => journal.defer(place, "repeat", clock.now(), keyedAnswer));
    underWay.remove(place);
    return { end, answer };
  }
  const conclusion = conclusionOf(transaction, event, outcome, atWork.record.schedule, keyedAnswer);
  const written = await durably(parts, place, () => journal.conclude(conclusion));
  underWay.remove(place);
  return written === "concluded" ? { end, answer } : whatStands(parts, step, event);
}

/** Another node took this one for dead and concluded the event: its outcome stands. */
async function whatStands(parts: Parts, { transaction, atWork, render }: Step, event: Event) {
  const stored = await parts.journal.find(transaction.merchantId, transaction.id);
  const stands = stored?.events[event.sequence - 1]?.outcome;
  if (!stands) throw new Error("broken invariant: concluded, and without an outcome");
  const end = endOf(concludedBy(transaction, event.sequence, stands), atWork);
  return { end, answer: render(end) };
}

async function durably<T>(parts: Parts, place: EventPlace, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (fault) {
    if (!(fault instanceof JournalUncertain || fault instanceof JournalUnavailable)) throw fault;
    parts.owed.add(async () => {
      await write();
      parts.underWay.remove(place);
    });
    throw new OutcomeNotRecorded("the outcome is known and not yet durable", { cause: fault });
  }
}

export function newestOf(transaction: Transaction): Event {
  return transaction.events.at(-1) ?? transaction.events[0];
}
