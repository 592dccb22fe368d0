// What processors tell by themselves: verified by the kind and written down before it is acknowledged, and applied afterwards
// by whichever node comes to it, for each transaction in the order in which it came.

import type { Sql } from "../journal/database.ts";
import {
  applyMadeAgain,
  applyMadeToPayment,
  type EndedWait,
  heardBeside,
  keepNotifications,
  leaseNotifications,
  type NewNotification,
  noteApplied,
  putOffNotification,
  putOffUntried,
  type Result,
  renewNotification,
  type WaitingNotification,
} from "../journal/notifications.ts";
import { dueNow, isUnresolved, takeBackAgain, withhold } from "../journal/unresolved.ts";
import { merchantOfProcessor } from "../merchants/processor-lookup.ts";
import { type Add, consequenceOf, OTHER_MODE } from "../payment/consequence.ts";
import { tryingLeftMs } from "../payment/going-on.ts";
import { takenBack } from "../payment/made-by-processor.ts";
import { type Ended, type EventNews, isGivenUp, type Made } from "../payment/news.ts";
import { chargeOf, type Event, isCharge, succeeded, type Transaction } from "../payment/transaction.ts";
import type { Answer, IncomingMessage, ProcessorNotification, Received } from "../processors/processor.ts";
import { isUuid } from "../uuid.ts";
import { addEnded, failLate } from "./add-ended.ts";
import { placeOf } from "./append.ts";
import { endOpen } from "./attempt.ts";
import { pauseAfter } from "./circuit-breaker.ts";
import { applyDispute, asksProcessor, ofNothingHere, type PutOff } from "./disputes.ts";
import { every } from "./every.ts";
import { keptNotification } from "./kept-notification.ts";
import { leaseOf, underLease } from "./lease.ts";
import { LookUps } from "./look-ups.ts";
import { applyMade } from "./made-by-processor.ts";
import type { Parts } from "./parts.ts";
import type { Render } from "./result.ts";

const EVERY_MS = 1_000;
const AT_ONCE = 32;
const LEASE = leaseOf(10_000);

export interface Receiving {
  /** Resolves when what was told is durable. Undefined: there is no such processor, or none that tells anything. */
  receive(processorId: string, message: IncomingMessage): Promise<Received | undefined>;
}

/** What processors tell by themselves, taken in by whichever node it reaches. */
export function receiving(parts: Parts, sql: Sql): Receiving {
  return {
    receive: async (processorId, message) => {
      const merchantId = isUuid(processorId) ? await merchantOfProcessor(sql, processorId) : undefined;
      if (merchantId === undefined) return undefined;
      const { processor } = await parts.processors.find(merchantId, processorId);
      if (processor.receive === undefined) return undefined;
      const received = await processor.receive(message);
      if (received.kind === "genuine")
        await keepNotifications(
          sql,
          { merchantId, processorId },
          await Promise.all(received.notifications.map((one) => keptOf(parts, merchantId, one))),
          parts.clock.now(),
        );
      return received;
    },
  };
}

/** Without the number of the card that it is about. */
async function keptOf({ journal }: Parts, merchantId: string, one: ProcessorNotification): Promise<NewNotification> {
  const { about } = one;
  const transaction =
    about && isUuid(about.transactionId) ? await journal.find(merchantId, about.transactionId) : undefined;
  return keptNotification(one, transaction?.card.mask);
}

/** @param render of what a reversal goes on with */
export function startApplying(parts: Parts, sql: Sql, render: Render): { stop(): Promise<void> } {
  const lookUps = new LookUps();
  const rounds = every(EVERY_MS, parts.log, async () => {
    if (parts.halted()) return "pause";
    const applied = await applyDue(parts, sql, render, lookUps);
    return applied > 0 ? "at once" : "pause";
  });
  return {
    stop: async () => {
      await rounds.stop();
      await lookUps.ended();
    },
  };
}

/** One round, which does not wait for processors that have to be asked. @returns how many came to an end */
async function applyDue(parts: Parts, sql: Sql, render: Render, lookUps: LookUps): Promise<number> {
  const now = () => parts.clock.now();
  const due = await leaseNotifications(sql, now(), LEASE.ms, AT_ONCE);
  const ends = due.map(async (one) => {
    const end = await applyOrPutOff(parts, sql, one, { render, mayAsk: false });
    if (end !== "asks") return end;
    const renew = () => renewNotification(sql, one, now(), LEASE.ms);
    const work = () => underLease(LEASE, renew, () => applyOrPutOff(parts, sql, one, { render, mayAsk: true }));
    const turnMs = lookUps.begin(one.processorId, work);
    if (turnMs !== undefined) await putOffUntried(sql, one, new Date(now().getTime() + turnMs));
    return "waits";
  });
  // A fault of one ends no round while others are at work yet: when it is stopped, the database is closed after the round.
  const all = await Promise.allSettled(ends);
  for (const end of all) if (end.status === "rejected") throw end.reason;
  return all.filter((end) => end.status === "fulfilled" && end.value === "ended").length;
}

interface Conduct {
  readonly render: Render;
  /** Whether a processor may be asked, which may keep it waiting. */
  readonly mayAsk: boolean;
}

/** @returns `asks`: nothing was done, since a processor would be asked */
async function applyOrPutOff(
  parts: Parts,
  sql: Sql,
  one: WaitingNotification,
  conduct: Conduct,
): Promise<"ended" | "waits" | "asks"> {
  const facts = { processor: one.processorId, notification: one.id };
  try {
    if (!conduct.mayAsk && (await asksProcessor(parts, one))) return "asks";
    const applied = await apply(parts, sql, one, conduct);
    if (applied === "asks") return applied;
    if ("until" in applied) {
      await putOffNotification(sql, one, applied.until);
      return "waits";
    }
    const { result, why = null, ended = null } = applied;
    await noteApplied(sql, one, result, why, parts.clock.now(), ended);
    // That money has settled is what everybody waits for.
    const level = one.news.kind === "settled" ? "info" : "warn";
    if (result === "kept") parts.log[level]({ ...facts, why }, "a notification is for the operator to look at");
    return "ended";
  } catch (fault) {
    parts.log.warn({ ...facts, fault: String(fault) }, "a notification could not be applied yet");
    await putOffNotification(sql, one, new Date(parts.clock.now().getTime() + pauseAfter(one.attempts)));
    return "waits";
  }
}

/** Adds what the processor did by itself, once: by its name, whichever node comes to it. The operator is told. */
async function addedBy(
  parts: Parts,
  transaction: Transaction,
  about: Event,
  { event, news, why, instead }: Add,
  again: () => Promise<Applied | PutOff | "asks">,
): Promise<Applied | PutOff | "asks"> {
  const answer = { ...news, kind: "approved" } as const;
  if (!(await addEnded(parts, transaction, about.processorId, event, answer, why))) return again();
  // Its own event is still open.
  const rest = instead ? await again() : ({ result: "kept" } as const);
  if (rest === "asks" || "until" in rest) return rest;
  return { ...rest, result: "kept", why };
}

interface Applied {
  readonly result: Result;
  readonly why?: string;
  /** The event that has its end now. */
  readonly ended?: EndedWait;
}

/** Safe to do twice. @returns put off if its own answer, or that to its reversal, has to come first */
async function apply(
  parts: Parts,
  sql: Sql,
  one: WaitingNotification,
  conduct: Conduct,
): Promise<Applied | PutOff | "asks"> {
  const { merchantId, processorId, about, news } = one;
  if (news.kind === "dispute") return applyDispute(parts, sql, one, news);
  if (news.kind === "other-mode") return { result: "kept", why: OTHER_MODE };
  if (news.kind === "made") return applyMade(parts, sql, one, news);
  const transaction = about ? await parts.journal.find(merchantId, about.transactionId) : undefined;
  const event = transaction?.events.find(({ id }) => id === about?.reference);
  if (transaction === undefined || event === undefined || event.processorId !== processorId)
    return ofNothingHere(parts, sql, one, event, about, "it is about nothing that this processor was asked");
  const heard = await heardBeside(sql, one);
  const consequence = consequenceOf(transaction, event, news, heard);
  const reopened = reopens(event, news);
  const madeAgain = async () => {
    if (reopened !== undefined) await applyMadeAgain(sql, one, transaction.id, reopened, parts.clock.now());
    const payment = reopened === undefined ? paymentNamedBy(event, news) : paymentOf(transaction, event, news);
    if (payment !== null) await applyMadeToPayment(sql, one, payment, parts.clock.now());
  };
  switch (consequence.kind) {
    case "end": {
      if (await mayGoOn(parts, sql, transaction, event, consequence.news)) return tooEarly(parts);
      // A refund follows, unless nothing is left of it.
      const reversalFails = event.type === "void" && event.reversal && consequence.news.kind === "failed";
      if (reversalFails && !conduct.mayAsk) return "asks";
      // What an operator saw at the processor, a question that is on its way may change: its answer comes first.
      if (consequence.news.entered && !(await withhold(sql, placeOf(transaction, event), parts.clock.now(), LEASE.ms)))
        return tooEarly(parts);
      const atWork = await parts.processors.find(merchantId, processorId);
      // It had an end by then: what follows from that one is to be seen.
      if (!(await endOpen(parts, { transaction, event, atWork }, answerOf(consequence.news), conduct.render)))
        return apply(parts, sql, one, conduct);
      await madeAgain();
      return { result: "applied", ended: { ...placeOf(transaction, event), reversed: false } };
    }
    case "add": {
      const added = await addedBy(parts, transaction, event, consequence, () => apply(parts, sql, one, conduct));
      await madeAgain();
      return added;
    }
    case "still-charged":
      // An operator has entered that it was taken back, so nobody asks for that any more.
      if (heard.some(({ kind, entered }) => kind === "reversed" && entered))
        await takeBackAgain(sql, placeOf(transaction, event), processorId, parts.clock.now());
      // Where it was asked to be taken back before it was there, it would be asked for again in a day, and may be captured by then.
      if (!(await dueNow(sql, placeOf(transaction, event), parts.clock.now()))) return tooEarly(parts);
      return { result: "kept", why: consequence.why };
    case "reversed":
      return { result: "applied", ended: { ...placeOf(transaction, event), reversed: true } };
    case "taken-back":
      return applyMade(parts, sql, one, takenBack(consequence.charge));
    case "late-failure":
      await failLate(parts, transaction, consequence.event, consequence.news);
      await madeAgain();
      return consequence.goesOn ? apply(parts, sql, one, conduct) : { result: "applied" };
    case "known":
      // Whoever took in the same before may have stopped before this.
      await madeAgain();
      return { result: "known" };
    case "kept":
      return { result: "kept", why: consequence.why };
  }
}

/** What the processor did to the transaction by itself, and came to nothing by what was on record until these news: undefined for none. */
function reopens(event: Event, news: EventNews): Made["type"] | "all" | undefined {
  // A charge that was none by our books.
  if (news.kind === "succeeded" && isCharge(event))
    return succeeded(event) || isGivenUp(event.outcome) ? undefined : "all";
  // What is held again by our books may have expired since.
  return news.kind === "failed" && !news.refused ? "void" : undefined;
}

const paymentOf = (transaction: Transaction, event: Event, news: EventNews): string | null =>
  paymentNamedBy(event, news) ?? chargeOf(transaction).outcome?.processorResponse.transactionId ?? null;

/** The processor's name for the payment, by which it may have told of it before it told whose it is. */
const paymentNamedBy = (event: Event, news: EventNews): string | null =>
  news.kind === "succeeded" && isCharge(event) ? news.processorResponse.transactionId : null;

const tooEarly = ({ clock }: Parts): PutOff => ({ until: new Date(clock.now().getTime() + EVERY_MS) });

/**
 * Whether somebody waits for the processor's answer to this charge, and may ask another one when it is a decline. Whoever waits no
 * longer has written an outcome or left it to the resolver.
 */
const mayGoOn = async (
  { clock }: Parts,
  sql: Sql,
  transaction: Transaction,
  event: Event,
  { kind }: Ended,
): Promise<boolean> =>
  kind === "failed" &&
  isCharge(event) &&
  tryingLeftMs(transaction, clock.now()) > 0 &&
  !(await isUnresolved(sql, placeOf(transaction, event)));

function answerOf(news: Ended): Answer {
  if (news.kind === "failed") return { ...news, kind: "declined" };
  return { ...news, kind: "approved" };
}
