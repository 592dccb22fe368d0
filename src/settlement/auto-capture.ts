// The automatic capture: every open authorization of a processor record at its time of day, in the same way as a merchant's capture.
// It works in portions. If a node dies, another continues; nothing is captured twice, since only one capture gets the next
// sequence in a transaction. What could not be sent rests for a while, and is tried again for the same time.

import { setTimeout as sleep } from "node:timers/promises";
import { append } from "../gateway/append.ts";
import { lacksCardNumber } from "../gateway/card-numbers.ts";
import { OutcomeNotRecorded } from "../gateway/carry-out.ts";
import { carryOutFollowUp, newEvent } from "../gateway/follow-up.ts";
import { leaseOf, underLease } from "../gateway/lease.ts";
import type { Parts } from "../gateway/parts.ts";
import { isReachable, type ProcessorAtWork } from "../gateway/processors-at-work.ts";
import type { Render } from "../gateway/result.ts";
import type { DueCapture, OpenAuthorizations } from "../journal/auto-capture-rows.ts";
import { connectionLost } from "../journal/database.ts";
import { QueueFull } from "../journal/group-commit.ts";
import { JournalUnavailable, JournalUncertain } from "../journal/journal.ts";
import {
  decideAutoCapture,
  mayBeUnsent,
  restAfterUnsent,
  SHORTEST_REST_MS,
  unsentCaptures,
} from "../payment/auto-capture.ts";
import { nextAfter } from "../payment/settlement.ts";
import type { Transaction } from "../payment/transaction.ts";
import { atOnce } from "../shares/at-once.ts";
import { ShareUsedUp } from "../shares/turns.ts";
import { type Look, type Progress, progressOf } from "./capture-progress.ts";
import { Hearing } from "./hearing.ts";
import { pace } from "./pace.ts";

/** Small, so that what is in it is gone before it counts as long-lived for the garbage collector. */
const PORTION = 32;
/** Of one record: while one is taken from the database, the other goes on. */
const PORTIONS_AT_ONCE = 2;
/** Of one portion: enough for a processor that takes its time. */
const AT_ONCE = 8;
/** On one node: the rest of the machine is for sales. */
const MOST_PER_SECOND = 2_200;
const RECORDS_AT_ONCE = 4;
const PAUSE_MS = 200;

/** Of all records that one node captures at a time. */
export const capturePace = (): (() => Promise<void>) => pace(MOST_PER_SECOND);

/**
 * Everything that is due by the clock, to its end, also where a processor does not answer: for a clock that is moved, beside which nothing
 * rests. What falls due as time passes is due-captures.ts.
 * @param stopping ends it early: what was not looked at stays due
 * @throws a record's fault, after the other records
 */
export async function captureWhatIsDue(
  parts: Parts,
  open: OpenAuthorizations,
  stopping = new AbortController().signal,
): Promise<void> {
  const faults: unknown[] = [];
  const mayBegin = capturePace();
  await atOnce(RECORDS_AT_ONCE, await open.due(parts.clock.now()), async (due) => {
    const hearing = new Hearing(Number.POSITIVE_INFINITY);
    const conduct = { stopping, mayBegin, hearing, rests: false };
    await captureRecord(parts, open, due, conduct).catch((fault) => faults.push(fault));
  });
  if (faults.length > 0) throw faults[0];
}

interface Conduct {
  readonly stopping: AbortSignal;
  readonly mayBegin: () => Promise<void>;
  readonly hearing: Hearing;
  /** Whether what could not be sent is tried again for the same time; otherwise it is at the next. */
  readonly rests: boolean;
}

/**
 * Until none of its time is left, and then its next time is noted; or until it is stopped, its processor is silent, or all that is left
 * rests.
 */
export async function captureRecord(
  parts: Parts,
  open: OpenAuthorizations,
  due: DueCapture,
  conduct: Conduct,
): Promise<void> {
  const { stopping, hearing } = conduct;
  const atWork = await parts.processors.find(due.merchantId, due.processorId);
  const progress = progressOf(parts, due);
  try {
    // After a pause. No capture is spent on finding out: each that is not sent is an event.
    if (hearing.doubtful) hearing.note(await hearing.ask(() => isReachable(atWork, stopping)));
    // At its next time it is tried anew: it may say so for ever and take captures all the same.
    if (hearing.silent && conduct.rests && isNextTimeOver(due, atWork, parts.clock.now())) hearing.beginAnew();
    if (hearing.silent) return;
    await open.gather(due, stopping);
    while (!stopping.aborted) {
      await captureOpen(parts, open, { due, atWork, progress, ...conduct });
      if (hearing.silent) return;
      if (!(await open.leasedByOthers(due))) return await putOff(parts, open, { due, atWork, ...conduct });
      await sleep(PAUSE_MS);
    }
  } finally {
    progress.end(hearing.silent);
  }
}

/** One portion after the other, until there is nothing to take; each by the record's settings as they are then. */
async function captureOpen(parts: Parts, open: OpenAuthorizations, work: RecordWork): Promise<void> {
  let left = true;
  let released = false;
  const ends = () => work.stopping.aborted || work.hearing.silent;
  const portions = function* () {
    while (left && !ends()) yield work.hearing.doubtful ? 1 : PORTION;
  };
  do {
    left = true;
    released = false;
    await atOnce(PORTIONS_AT_ONCE, portions(), async (most) => {
      // A processor whose settings changed is closed after a while, and this may take longer.
      const atWork = await parts.processors.find(work.due.merchantId, work.due.processorId);
      const taken = await open.lease(work.due, most, work.rests ? parts.clock.now() : undefined);
      left = taken.length > 0;
      // The other portion may have found nothing to take in the meantime, and ended.
      if (left) released = (await capturePortion(parts, open, { ...work, atWork }, taken)) || released;
    });
  } while (released && !ends());
}

async function putOff(
  { clock }: Parts,
  open: OpenAuthorizations,
  { due, atWork, rests }: Omit<RecordWork, "progress">,
) {
  const time = atWork.record.schedule.auto_capture_at;
  const now = clock.now();
  // While it rested its next time may have come, too, and there are authorizations of that time.
  const from = rests || now < due.dueAt ? due.dueAt : now;
  // A record that is not captured any more has no row, so there is nothing to put off.
  if (time !== null) await open.putOff(due, nextAfter(from, time));
}

function isNextTimeOver({ dueAt }: DueCapture, { record }: ProcessorAtWork, now: Date): boolean {
  const time = record.schedule.auto_capture_at;
  return time !== null && now >= nextAfter(dueAt, time);
}

interface RecordWork extends Conduct {
  readonly due: DueCapture;
  readonly atWork: ProcessorAtWork;
  readonly progress: Progress;
}

/** @returns whether some were released untouched */
async function capturePortion(
  parts: Parts,
  open: OpenAuthorizations,
  work: RecordWork,
  taken: readonly Transaction[],
): Promise<boolean> {
  const { due, progress, stopping, mayBegin, hearing } = work;
  // If another node has it after all, both look at it, and the journal lets one of them by.
  const renew = () => open.renew(due, idsOf(taken));
  let away: unknown;
  const look = async (transaction: Transaction): Promise<Look> => {
    await mayBegin();
    if (away !== undefined || stopping.aborted || hearing.silent) return "left";
    try {
      return await captureOne(parts, transaction, work);
    } catch (fault) {
      if (notNow(fault)) away = fault;
      else parts.log.error({ transaction: transaction.id, fault: String(fault) }, "an authorization was not captured");
      return notNow(fault) ? "left" : "tried";
    }
  };
  const looks = await underLease(leaseOf(open.leaseMs), renew, () => atOnce(AT_ONCE, taken, look));
  progress.add(looks);
  const looked = (...kinds: readonly Look[]) =>
    idsOf(taken.filter((_, index) => kinds.includes(looks[index] ?? "left")));
  const left = looked("left");
  const resting = taken.flatMap(({ id }, index) => {
    const until = looks[index];
    return until instanceof Date ? [{ id, until }] : [];
  });
  await open.release(due, { over: looked("captured", "over"), tried: looked("pending", "tried"), resting, left });
  if (away !== undefined) throw away;
  return left.length > 0;
}

const idsOf = (transactions: readonly Transaction[]): string[] => transactions.map(({ id }) => id);

/** The database is away, or there is no place for one more write now: whoever waits a second may have more luck. */
const notNow = (fault: unknown): boolean =>
  fault instanceof JournalUnavailable ||
  fault instanceof JournalUncertain ||
  fault instanceof OutcomeNotRecorded ||
  fault instanceof QueueFull ||
  fault instanceof ShareUsedUp ||
  connectionLost(fault);

async function captureOne(parts: Parts, transaction: Transaction, work: RecordWork): Promise<Look> {
  const { atWork, hearing, stopping, due } = work;
  const reachable = () => hearing.ask(() => isReachable(atWork, stopping));
  const restingFor = (ms: number) => new Date(parts.clock.now().getTime() + ms);
  const now = parts.clock.now();
  const decision = decideAutoCapture(transaction, atWork.capabilities, now);
  if (decision.kind === "refused") {
    if (decision.refusals[0].name !== "operation-in-flight") return "over";
    // What the merchant has in flight may come to nothing.
    const rests = work.rests && mayBeUnsent(transaction, due.dueAt, now) && !isNextTimeOver(due, atWork, now);
    return rests ? restingFor(SHORTEST_REST_MS) : "tried";
  }
  if (await lacksCardNumber(parts, transaction, atWork)) {
    parts.log.error(
      { transaction: transaction.id },
      "an authorization cannot be captured: its card number is not kept",
    );
    return "over";
  }
  const unsent = unsentCaptures(transaction, due.dueAt);
  // No other capture is spent on one that could not be sent, until its processor can be reached.
  if (work.rests && unsent > 0 && !(await reachable())) {
    if (isNextTimeOver(due, atWork, parts.clock.now())) return "tried";
    hearing.giveUp();
    return restingFor(SHORTEST_REST_MS);
  }
  const event = newEvent(parts, transaction, decision, { ipAddress: null }, false);
  const appended = await append(parts, transaction, event, null);
  // Somebody was faster: it is looked at once more.
  if (appended === undefined) return "left";
  const begun = { kind: "begun", transaction: appended, atWork } as const;
  const { answers } = parts.processors;
  const answersBefore = answers(event.processorId);
  const { end } = await carryOutFollowUp(parts, begun, { claim: null, render: NOBODY_WAITS });
  const unknown = end.kind === "pending" || end.kind === "not-sent";
  // What the processor has only accepted is an answer, too.
  let heard = !unknown || answers(event.processorId) !== answersBefore;
  // What was not sent may be the fault of this transaction alone, so before it is taken for silence the processor is asked.
  if (!heard && end.kind === "not-sent" && hearing.doubtful) heard = await reachable();
  hearing.note(heard);
  if (end.kind === "approved") return "captured";
  const restMs = work.rests && end.kind === "not-sent" ? restAfterUnsent(unsent + 1) : undefined;
  if (restMs !== undefined) return restingFor(restMs);
  // A pending one is asked about until it has an outcome.
  return end.kind === "pending" ? "pending" : "tried";
}

const NOBODY_WAITS: Render = () => ({ status: 200, body: "" });
