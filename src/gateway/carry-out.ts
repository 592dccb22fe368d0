// Takes an event from its intent to its outcome: asks the processor, then writes the outcome together with the caller's response,
// and with the intent of the next step if there is one.

import type {
  Concluded,
  Conclusion,
  EventPlace,
  KeyClaim,
  KeyedResponse,
  Remedy,
  StoredResponse,
} from "../journal/journal.ts";
import { throughOperation } from "../payment/as-of.ts";
import { type Challenge, nextLook } from "../payment/challenge.ts";
import { repeatLimits, tryingLeftMs } from "../payment/going-on.ts";
import type { FirstOutcome } from "../payment/outcome.ts";
import { type Event, isCharge, newestOf, type Transaction, withEvent } from "../payment/transaction.ts";
import type { Answer } from "../processors/processor.ts";
import { endUnasked, leaveUnasked, placeOf, remedyOf } from "./append.ts";
import { ask, firstInquiry, inquire, isTelling } from "./ask.ts";
import { keyed, type Rendered, rendered, restored } from "./kept-response.ts";
import { concludedBy, conclusionOf, outcomeOf, withoutNext } from "./outcome.ts";
import { factsOf, type Parts } from "./parts.ts";
import type { ProcessorAtWork } from "./processors-at-work.ts";
import { type End, endOf, type Render } from "./result.ts";

/** Where a payer is sent if the processor wants a challenge. */
export interface Checkout extends Pick<Challenge, "checkoutUrl" | "expiresAt"> {
  /** The gateway's address for payers who come back from the processor. */
  readonly comesBackTo: string;
}

export interface Step {
  /** Its newest event is the intent. */
  readonly transaction: Transaction;
  readonly atWork: ProcessorAtWork;
  readonly question: (signal: AbortSignal) => Promise<Answer>;
  readonly claim: KeyClaim | null;
  readonly render: Render;
  readonly checkout?: Checkout;
  /**
   * The intent of the step that follows this end and will give the caller's answer.
   * @param told at once; or later, when the processor was asked what became of it
   */
  readonly next?: (end: End, told: "at once" | "later") => Event | undefined;
}

export interface CarriedOut {
  readonly end: End;
  readonly response: StoredResponse;
  /** With the intent of the next step: it is durable, and to be carried out. */
  readonly goesOn?: Transaction;
}

/** The outcome is known and could not be made durable in time. Writing goes on in the background; the caller has to look it up. */
export class OutcomeNotRecorded extends Error {}

export async function carryOut(parts: Parts, step: Step): Promise<CarriedOut> {
  const event = newestOf(step.transaction);
  const { reply, told } = await askOnce(parts, step, event);
  const challenge = challengeOf(step, event, reply);
  if (challenge !== undefined) return leaveOpen(parts, step, event, "await", challenge);
  const outcome = outcomeOf(
    { transaction: step.transaction, event },
    reply,
    step.atWork.record.schedule,
    parts.clock.now(),
  );
  if (outcome !== undefined) return conclude(parts, step, event, outcome, told);
  return leaveOpen(parts, step, event, reply.kind === "pending" ? "await" : remedyOf(event));
}

/** Undefined: no payer can be sent to one. */
function challengeOf({ checkout }: Step, event: Event, reply: Answer): Challenge | undefined {
  if (reply.kind !== "action-required" || !isCharge(event) || !reply.page || !checkout) return undefined;
  const { checkoutUrl, expiresAt } = checkout;
  return { checkoutUrl, expiresAt, page: reply.page };
}

/** Silence is inquired about where that is possible, so that the caller is told what became of it. */
async function askOnce(
  parts: Parts,
  { transaction, atWork, question }: Step,
  event: Event,
): Promise<{ readonly reply: Answer; readonly told: "at once" | "later" }> {
  const reply = await ask(atWork.timeoutMs, question, transaction.card.mask);
  if (isCharge(event)) parts.failing.note(event.processorId, reply);
  if (reply.kind !== "unanswered") {
    if (reply.kind !== "not-sent") parts.processors.answered(event.processorId);
    return { reply, told: "at once" };
  }
  parts.log.warn({ ...factsOf(event), type: event.type, why: reply.why }, "the processor did not answer");
  const found = await inquire(atWork, transaction, event);
  return { reply: found && isTelling(found) ? found : reply, told: "later" };
}

/** Nobody knows yet how it ended: the resolver finds out. @param challenge that the payer has to pass first */
async function leaveOpen(
  parts: Parts,
  step: Step,
  event: Event,
  remedy: Remedy,
  challenge?: Challenge,
): Promise<CarriedOut> {
  const { atWork, claim, render } = step;
  const { journal, clock, inFlight } = parts;
  const transaction = challenge ? withEvent(step.transaction, { ...event, challenge }) : step.transaction;
  const end = endOf(transaction, atWork);
  const whole = rendered(parts, end, render);
  const place = placeOf(transaction, event);
  const dueAt = challenge
    ? nextLook(challenge, clock.now(), 0)
    : remedy === "await"
      ? firstInquiry(atWork, clock.now())
      : clock.now();
  const keyedResponse = keyed(claim, whole);
  const write = () =>
    challenge
      ? journal.openChallenge(place, challenge, dueAt, keyedResponse)
      : journal.defer(place, remedy, dueAt, keyedResponse);
  await durably(parts, write, async () => {
    await write();
    inFlight.remove(place);
  });
  inFlight.remove(place);
  return { end, response: keyedResponse ? await firstUnder(parts, step, keyedResponse) : whole.response };
}

/** A notification may have ended it meanwhile, and another node told its end under the same key: then that is the answer. */
async function firstUnder(
  parts: Parts,
  { transaction, render }: Step,
  response: KeyedResponse,
): Promise<StoredResponse> {
  const { merchantId, id } = transaction;
  try {
    const kept = await parts.journal.storeResponse(merchantId, response);
    return await restored(parts, { merchantId, transactionId: id }, kept, render);
  } catch (fault) {
    throw new OutcomeNotRecorded("the answer is on record, and could not be read", { cause: fault });
  }
}

async function conclude(
  parts: Parts,
  step: Step,
  event: Event,
  outcome: FirstOutcome,
  told: "at once" | "later",
): Promise<CarriedOut> {
  const { transaction, atWork, claim, render } = step;
  const ended = concludedBy(transaction, event.sequence, outcome);
  const end = endOf(ended, atWork);
  const conclusion = conclusionOf(transaction, event, outcome, atWork.record.schedule);
  let rest: { readonly whole: Rendered; readonly next: Event | undefined };
  try {
    rest = { whole: rendered(parts, end, render), next: step.next?.(end, told) };
  } catch (fault) {
    // What the processor said is on record whatever goes wrong here.
    const written = await concludeDurably(parts, event, conclusion);
    if (written === "taken-over") await putBack(parts, placeOf(transaction, event), event);
    throw fault;
  }
  const { whole, next } = rest;
  const { response } = whole;
  const keyedResponse = keyed(claim, whole);
  const following = next && { next, ...(isCharge(next) && boundsOfNext(ended, parts.clock.now())) };
  const written = await concludeDurably(parts, event, { ...conclusion, keyedResponse, ...following });
  switch (written) {
    case "concluded":
      return { end, response, ...(next && { goesOn: withEvent(ended, next) }) };
    case "conflict":
    case "limit-reached":
      return { end, response };
    case "taken-over":
      return leaveOpen(parts, step, event, remedyOf(event));
    case "already-concluded":
      return whatStands(parts, step, event);
  }
}

/** Of a charge that goes on. */
function boundsOfNext(ended: Transaction, now: Date): Pick<Conclusion, "limits" | "nextWithinMs"> {
  const limits = repeatLimits(ended);
  return { nextWithinMs: tryingLeftMs(ended, now), ...(limits && { limits }) };
}

/** Another node took this one for dead and concluded the event: its outcome stands, and what it made of the operation. */
async function whatStands(
  parts: Parts,
  { transaction, atWork, claim, render }: Step,
  event: Event,
): Promise<CarriedOut> {
  const { merchantId, id } = transaction;
  try {
    const stored = await parts.journal.find(merchantId, id);
    if (stored === undefined) throw new Error("broken invariant: a concluded event is gone");
    const end = endOf(throughOperation(stored, event.sequence), atWork);
    const whole = rendered(parts, end, render);
    const keyedResponse = end.kind === "pending" ? null : keyed(claim, whole);
    if (keyedResponse === null) return { end, response: whole.response };
    const kept = await parts.journal.storeResponse(merchantId, keyedResponse);
    return { end, response: await restored(parts, { merchantId, transactionId: id }, kept, render) };
  } catch (fault) {
    throw new OutcomeNotRecorded("the outcome is on record, and could not be read", { cause: fault });
  }
}

/**
 * Writes an outcome, and the intent of the next step with it. What cannot be written now goes to the retry queue. Then a charge does not go
 * on, since its card is gone; a reversal does, since nobody else gives the money back.
 * @throws OutcomeNotRecorded
 */
export async function concludeDurably(parts: Parts, event: Event, conclusion: Conclusion): Promise<Concluded> {
  const { journal, inFlight } = parts;
  const { next } = conclusion;
  const alone = next === undefined ? conclusion : withoutNext(conclusion);
  const nextPlace = next && { ...alone, sequence: next.sequence };
  // It may be written much later, also where the event is an older one that is being resolved.
  inFlight.add(alone, conclusion.outcome.at);
  if (next && nextPlace) inFlight.add(nextPlace, next.createdAt);
  const later = async () => {
    const goesOn = next !== undefined && !isCharge(next);
    const written = await journal.conclude(goesOn ? conclusion : alone);
    if (written === "taken-over") await putBack(parts, alone, event);
    if (next && nextPlace) await (goesOn ? leaveUnasked : endUnasked)(parts, nextPlace, next.id);
    inFlight.remove(alone);
  };
  const unresolved = async () => {
    await putBack(parts, alone, event);
    if (nextPlace) inFlight.remove(nextPlace);
  };
  const written = await durably(parts, () => journal.conclude(conclusion), later, unresolved);
  if (nextPlace && written !== "concluded") inFlight.remove(nextPlace);
  if (written !== "taken-over") inFlight.remove(alone);
  return written;
}

/** Another node took the event over, and may be sending it: how it ends is found out, as without an answer. */
async function putBack({ journal, clock, inFlight }: Parts, place: EventPlace, event: Event): Promise<void> {
  await journal.defer(place, remedyOf(event), clock.now(), null);
  inFlight.remove(place);
}

async function durably<T>(
  parts: Parts,
  write: () => Promise<T>,
  later: () => Promise<void>,
  giveUp?: () => Promise<void>,
): Promise<T> {
  try {
    return await write();
  } catch (fault) {
    parts.retryQueue.add(later, giveUp);
    throw new OutcomeNotRecorded("the outcome is known and not yet durable", { cause: fault });
  }
}
