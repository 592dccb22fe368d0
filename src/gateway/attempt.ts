// One attempt to resolve an event: ask the processor, and record what it says. Nothing is guessed.

import type { Remedy } from "../journal/journal.ts";
import type { UnresolvedEvent } from "../journal/unresolved.ts";
import { type Challenge, followsFromChallenge, isExpired, nextLook } from "../payment/challenge.ts";
import { type Asked, followsFrom } from "../payment/doubt.ts";
import { keptWords } from "../payment/kept-response.ts";
import { isGivenUp } from "../payment/news.ts";
import type { FirstOutcome } from "../payment/outcome.ts";
import { type Event, isCharge, type Transaction, withEvent } from "../payment/transaction.ts";
import type { Answer, InquiryAnswer } from "../processors/processor.ts";
import { placeOf } from "./append.ts";
import { ask, inquire, pauseOfWaiting } from "./ask.ts";
import { askFollowUp, askTimeoutReversal } from "./card-numbers.ts";
import { concludeDurably } from "./carry-out.ts";
import { carryOutFollowUp } from "./follow-up.ts";
import { concludedBy, conclusionOf, neverAnswered, neverAuthenticated, outcomeOf } from "./outcome.ts";
import { factsOf, type Parts } from "./parts.ts";
import type { ProcessorAtWork } from "./processors-at-work.ts";
import { followUpQuestion } from "./questions.ts";
import type { Render } from "./result.ts";
import { refundAfterVoid } from "./reverse.ts";

/**
 * - `answered`: the event has its outcome now, or the processor confirmed that no money of a charge is held or taken
 * - `needless`: it had an end before anybody was asked
 * - `waiting`: the processor has accepted it, and has no end to tell yet
 * - `undecided`: the processor answered neither yes nor no, or no to a repeat, which so many times are worth another attempt
 * - `left-to-operator`: nobody is asked any more
 * - `unanswered`: nothing is known that was not known before
 */
export type Attempted =
  | { readonly kind: "answered"; readonly confirmed: boolean }
  | { readonly kind: "needless" }
  | { readonly kind: "waiting"; readonly asked: boolean; readonly why: string; readonly pauseMs: number }
  | { readonly kind: "undecided"; readonly why: string; readonly repeats: number }
  | { readonly kind: "left-to-operator"; readonly pauseMs: number }
  | { readonly kind: "unanswered"; readonly why: string };

/** By somebody else, while the processor was asked: what follows from that end is another question. */
type AlreadyEnded = "already-ended";

/** An event without an end, and who is to be asked about it. */
interface Open {
  readonly transaction: Transaction;
  readonly event: Event;
  readonly atWork: ProcessorAtWork;
  /** This attempt is the n-th. */
  readonly attempts: number;
}

export async function attemptToResolve(parts: Parts, due: UnresolvedEvent, render: Render): Promise<Attempted> {
  const transaction = await parts.journal.find(due.merchantId, due.transactionId);
  const event = transaction?.events[due.sequence - 1];
  if (transaction === undefined || event === undefined) throw new Error("broken journal: an unresolved event is gone");
  const atWork = await parts.processors.find(due.merchantId, event.processorId);
  const open: Open = { transaction, event, atWork, attempts: due.attempts };
  if (event.outcome !== null) {
    if (!isGivenUp(event.outcome)) return { kind: "needless" };
    return due.remedy === "operator" ? LEFT_TO_OPERATOR : reverseCharge(parts, open);
  }
  const found = await inquire(atWork, transaction, event);
  // A charge of which its processor says neither yes nor no is taken back.
  if (event.challenge !== undefined) {
    const attempted = await afterChallenge(parts, open, event.challenge, found, render);
    return attempted === "already-ended" ? attemptToResolve(parts, due, render) : attempted;
  }
  const tells = found !== undefined && found.kind !== "unknown" && !(found.kind === "undecided" && isCharge(event));
  const attempted = tells
    ? await endBy(parts, open, "inquiry", found, render)
    : await remedy(parts, open, due.remedy, found !== undefined, render);
  return attempted === "already-ended" ? attemptToResolve(parts, due, render) : attempted;
}

/** The payer has to authenticate, or the challenge has expired. @param found undefined: the processor cannot be asked */
function afterChallenge(
  parts: Parts,
  open: Open,
  challenge: Challenge,
  found: InquiryAnswer | undefined,
  render: Render,
): Attempted | Promise<Attempted | AlreadyEnded> {
  const now = parts.clock.now();
  switch (followsFromChallenge(found?.kind, isExpired(challenge, now))) {
    case "ends":
      if (found?.kind !== "approved" && found?.kind !== "declined") throw new Error("broken invariant: no end");
      return endBy(parts, open, "inquiry", found, render);
    case "given-up":
      return giveUpCharge(parts, open, neverAuthenticated(open, now));
    case "asked-again":
      return { kind: "unanswered", why: found && "why" in found ? found.why : "the processor does not answer" };
    case "waits": {
      const pauseMs = nextLook(challenge, now, open.attempts).getTime() - now.getTime();
      return { kind: "waiting", asked: found !== undefined, why: "the payer has to authenticate", pauseMs };
    }
  }
}

/** @param wasAsked the processor, which does not know of it */
function remedy(
  parts: Parts,
  open: Open,
  by: Remedy,
  wasAsked: boolean,
  render: Render,
): Attempted | Promise<Attempted | AlreadyEnded> {
  switch (by) {
    case "await":
      return waiting(open, wasAsked ? "the processor does not know it" : "the processor tells its end by itself");
    case "repeat":
      return repeatFollowUp(parts, open, render);
    case "reverse":
      return giveUpCharge(parts, open, neverAnswered(open, parts.clock.now()));
    case "operator":
      return LEFT_TO_OPERATOR;
  }
}

/** What was accepted is told by a notification; should that be lost, it is asked for once more. */
const UNTIL_TOLD_MS = 86_400_000;
const LEFT_TO_OPERATOR = { kind: "left-to-operator", pauseMs: UNTIL_TOLD_MS } as const;

const waiting = ({ atWork, attempts }: Open, why: string): Attempted => ({
  kind: "waiting",
  asked: atWork.processor.inquire !== undefined,
  why,
  pauseMs: pauseOfWaiting(atWork, attempts),
});

/** About an hour: so long a switch that is out of order may decline repeats. */
const DECLINED_REPEATS = 60;

/** How the first sending ended is not known: its amount stays reserved until there is evidence, or an operator enters how it ended. */
function declinedInDoubt(
  { processorResponse: { code, message } }: Exclude<Answer, { why: string }>,
  { transaction }: Open,
): Attempted {
  const why = `a repeat was declined, which does not say how the first sending ended: ${code} ${message}`;
  return { kind: "undecided", why: keptWords(why, transaction.card.mask), repeats: DECLINED_REPEATS };
}

/** The charge is given up before it is taken back: should its gateway live after all, its answer comes too late. */
async function giveUpCharge(parts: Parts, open: Open, outcome: FirstOutcome): Promise<Attempted> {
  const { transaction, event } = open;
  const place = placeOf(transaction, event);
  parts.inFlight.add(place, outcome.at);
  try {
    await parts.journal.conclude(conclusionOf(transaction, event, outcome, undefined));
  } finally {
    parts.inFlight.remove(place);
  }
  const stored = await parts.journal.find(transaction.merchantId, transaction.id);
  const written = stored?.events[event.sequence - 1]?.outcome;
  return written && isGivenUp(written) ? reverseCharge(parts, open) : { kind: "needless" };
}

async function reverseCharge(parts: Parts, { transaction, event, atWork }: Open): Promise<Attempted> {
  const answer = await ask(
    atWork.timeoutMs,
    (signal) => askTimeoutReversal(parts, transaction, event, atWork, signal),
    transaction.card.mask,
  );
  if (answer.kind === "pending") return { kind: "waiting", asked: true, why: answer.why, pauseMs: UNTIL_TOLD_MS };
  if (answer.kind === "undecided") return answer;
  if (answer.kind !== "confirmed") return { kind: "unanswered", why: answer.why };
  parts.log.info(factsOf(event), "an unanswered charge was reversed");
  return { kind: "answered", confirmed: true };
}

async function repeatFollowUp(parts: Parts, open: Open, render: Render): Promise<Attempted | AlreadyEnded> {
  const { transaction, event, atWork } = open;
  const question = followUpQuestion(transaction, event, parts.clock.now());
  const answer = await ask(
    atWork.timeoutMs,
    (signal) => askFollowUp(parts, transaction, atWork, question, signal),
    transaction.card.mask,
  );
  return endBy(parts, open, "repeat", answer, render);
}

async function endBy(
  parts: Parts,
  open: Open,
  asked: Asked,
  answer: Answer,
  render: Render,
): Promise<Attempted | AlreadyEnded> {
  switch (answer.kind) {
    case "not-sent":
    case "unanswered":
      return { kind: "unanswered", why: answer.why };
    case "undecided":
      return { kind: "undecided", why: answer.why, repeats: answer.repeats };
    case "pending":
      return waiting(open, answer.why);
    default:
      if (followsFrom(asked, open.event.type, answer) === "in-doubt") return declinedInDoubt(answer, open);
      if (!(await endOpen(parts, open, answer, render))) return "already-ended";
      return answer.kind === "action-required" && isCharge(open.event)
        ? reverseCharge(parts, open)
        : { kind: "answered", confirmed: false };
  }
}

/**
 * Writes the end of an event that was left open, and goes on where a reversal's void leaves something to refund.
 * @returns false if it had an end already, which stands: a charge that was given up meanwhile is still to be taken back
 */
export async function endOpen(
  parts: Parts,
  { transaction, event, atWork }: Omit<Open, "attempts">,
  answer: Answer,
  render: Render,
): Promise<boolean> {
  const outcome = outcomeOf({ transaction, event }, answer, atWork.record.schedule, parts.clock.now());
  if (outcome === undefined) throw new Error("broken invariant: an answer without an outcome");
  const ended = concludedBy(transaction, event.sequence, outcome);
  const next = refundAfterVoid(parts, ended, atWork);
  const conclusion = conclusionOf(transaction, event, outcome, atWork.record.schedule);
  const written = await concludeDurably(parts, event, { ...conclusion, ...(next && { next }) });
  if (written === "already-concluded") return false;
  parts.log.info({ ...factsOf(event), outcome: outcome.kind }, "an unanswered operation was resolved");
  if (next && written === "concluded") {
    const begun = { kind: "begun", transaction: withEvent(ended, next), atWork } as const;
    await carryOutFollowUp(parts, begun, { claim: null, render });
  }
  return true;
}
