// Ends what was left open: charges that were never answered are reversed until the processor confirms it, other operations
// are asked again under their own reference until there is an outcome (decisions F1 to F3). Nothing here guesses.

import type { Sql } from "../journal/database.ts";
import { type Backlog, backlogOf, type UnresolvedEvent } from "../journal/nodes.ts";
import { removeOldKeys } from "../journal/old-keys.ts";
import { type Event, type Transaction, withEvent } from "../payment/transaction.ts";
import type { Render } from "./answer.ts";
import { ask } from "./ask.ts";
import { concludeDurably } from "./carry-out.ts";
import { every } from "./every.ts";
import { carryOutFollowUp } from "./follow-up.ts";
import { concludedBy, conclusionOf, neverAnswered, outcomeOf } from "./outcome.ts";
import type { Parts } from "./parts.ts";
import { followUpQuestion, reversalQuestion } from "./questions.ts";
import { refundAfterVoid } from "./reverse.ts";

const EVERY_MS = 1_000;
const REMOVE_KEYS_EVERY_MS = 60_000;
const AT_ONCE = 16;
/** Longer than any processor's deadline, so that no two nodes ask about the same event at the same time. */
const LEASE_MS = 180_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export interface Resolver {
  stop(): Promise<void>;
}

export function startResolver(parts: Parts, pool: Sql, node: number, render: Render): Resolver {
  const backlog = backlogOf(pool, node);
  // Signs of life do not wait for a processor that is silent.
  const life = every(EVERY_MS, parts.log, async () => {
    await showLife(parts, backlog);
    return "pause";
  });
  const work = every(EVERY_MS, parts.log, async () => {
    const looked = await resolveDue(parts, backlog, render);
    return looked === AT_ONCE ? "at once" : "pause";
  });
  const keys = every(REMOVE_KEYS_EVERY_MS, parts.log, async () =>
    (await removeOldKeys(pool, parts.clock.now())) ? "at once" : "pause",
  );
  return {
    stop: async () => {
      await Promise.all([life.stop(), work.stop(), keys.stop()]);
    },
  };
}

/** One sign of life, and a look whether others have stopped giving theirs. */
export async function showLife(parts: Parts, backlog: Backlog): Promise<void> {
  await backlog.showLife(parts.underWay.clearBefore(parts.clock.now()));
  const found = await backlog.takeOverFromDeadNodes(parts.clock.now());
  if (found > 0) parts.log.warn({ events: found }, "events without an outcome were found after a stop");
}

/** One round. @returns how many events were looked at, at most as many as are at once */
export async function resolveDue(parts: Parts, backlog: Backlog, render: Render): Promise<number> {
  await parts.owed.tryAgain();
  const due = await backlog.takeDue(parts.clock.now(), LEASE_MS, AT_ONCE);
  await Promise.all(due.map((event) => resolveOne(parts, backlog, event, render)));
  return due.length;
}

const pauseAfter = (attempts: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts, 10), LONGEST_PAUSE_MS);

async function resolveOne(parts: Parts, backlog: Backlog, due: UnresolvedEvent, render: Render): Promise<void> {
  try {
    const transaction = await parts.journal.find(due.merchantId, due.transactionId);
    const event = transaction?.events[due.sequence - 1];
    if (transaction === undefined || event === undefined)
      throw new Error("broken journal: an unresolved event is gone");
    const done =
      due.remedy === "reverse"
        ? await reverseCharge(parts, transaction, event)
        : await repeatFollowUp(parts, transaction, event, render);
    if (done) await backlog.resolved(due);
    else await backlog.putOff(due, new Date(parts.clock.now().getTime() + pauseAfter(due.attempts)));
  } catch (fault) {
    // Its lease ends by itself, and it is taken again.
    parts.log.warn(
      { transaction: due.transactionId, sequence: due.sequence, fault: String(fault) },
      "an event could not be resolved yet",
    );
  }
}

/** @returns whether the processor confirmed that no money of this charge is held or taken, or none needs to be */
async function reverseCharge(parts: Parts, transaction: Transaction, event: Event): Promise<boolean> {
  const { merchantId, id: transactionId } = transaction;
  if (event.outcome === null) {
    // The charge is given up before it is taken back: should its gateway live after all, its answer comes too late.
    await parts.journal.conclude(
      conclusionOf(transaction, event, neverAnswered({ transaction, event }, parts.clock.now()), undefined),
    );
    const stored = await parts.journal.find(merchantId, transactionId);
    if (stored?.events[event.sequence - 1]?.outcome?.kind !== "unanswered") return true;
  } else if (event.outcome.kind !== "unanswered") return true;
  const { processor, timeoutMs } = await parts.processors.find(merchantId, event.processorId);
  const answer = await ask(timeoutMs, (signal) => processor.reverse(reversalQuestion(transaction, event), signal));
  if (answer.kind === "confirmed") parts.log.info({ event: event.id }, "an unanswered charge was reversed");
  return answer.kind === "confirmed";
}

/** @returns whether the event has an outcome */
async function repeatFollowUp(parts: Parts, transaction: Transaction, event: Event, render: Render): Promise<boolean> {
  if (event.outcome !== null) return true;
  const atWork = await parts.processors.find(transaction.merchantId, event.processorId);
  const question = followUpQuestion(transaction, event, parts.clock.now());
  const answer = await ask(atWork.timeoutMs, (signal) => atWork.processor.followUp(question, signal));
  // It was sent before, perhaps.
  if (answer.kind === "not-sent") return false;
  const outcome = outcomeOf({ transaction, event }, answer, atWork.record.schedule, parts.clock.now());
  if (outcome === undefined) return false;
  const ended = concludedBy(transaction, event.sequence, outcome);
  const next = refundAfterVoid(parts, ended, atWork);
  const conclusion = conclusionOf(transaction, event, outcome, atWork.record.schedule);
  const written = await concludeDurably(parts, event, { ...conclusion, ...(next && { next }) });
  parts.log.info({ event: event.id, outcome: outcome.kind }, "an unanswered operation was resolved");
  if (next && written === "concluded") {
    const begun = { kind: "begun", transaction: withEvent(ended, next), atWork } as const;
    await carryOutFollowUp(parts, begun, { claim: null, render });
  }
  return true;
}
