// Asking a processor under a deadline, for an operation or for what became of one. Whatever goes wrong after the question may
// have left is "unanswered": silence, a fault of ours, an answer that comes too late.

import { keptWords } from "../payment/kept-response.ts";
import type { Event, Transaction } from "../payment/transaction.ts";
import type {
  Answer,
  InquiryAnswer,
  NoAnswer,
  TimeoutReversalAnswer,
  VerificationAnswer,
} from "../processors/processor.ts";
import type { ProcessorAtWork } from "./processors-at-work.ts";
import { inquiryQuestion } from "./questions.ts";

type AnyAnswer = InquiryAnswer | TimeoutReversalAnswer | VerificationAnswer;
type Unanswered = { readonly kind: "unanswered"; readonly why: string };

/** @param cardMask of the charge's card: its number is masked in why there is no answer */
export function ask<A extends AnyAnswer>(
  timeoutMs: number,
  question: (signal: AbortSignal) => Promise<A>,
  cardMask: string | undefined,
): Promise<A | Unanswered> {
  return new Promise((resolve) => {
    const deadline = new AbortController();
    let over = false;
    const timer = setTimeout(() => {
      over = true;
      deadline.abort();
      // A question that has not left by now says so at once, and is no doubt.
      setImmediate(() => resolve({ kind: "unanswered", why: `no answer within ${timeoutMs} ms` }));
    }, timeoutMs);
    void answerTo(question, deadline.signal, cardMask).then((answer) => {
      clearTimeout(timer);
      if (!over || answer.kind === "not-sent") resolve(answer);
    });
  });
}

async function answerTo<A extends AnyAnswer>(
  question: (signal: AbortSignal) => Promise<A>,
  signal: AbortSignal,
  cardMask: string | undefined,
): Promise<A | Unanswered> {
  try {
    return inKeptWords(await question(signal), cardMask);
  } catch (fault) {
    return inKeptWords(unansweredBy(fault), cardMask);
  }
}

/** Why there is no answer is logged, and shown to operators. */
const inKeptWords = <A extends AnyAnswer>(answer: A, cardMask: string | undefined): A =>
  "why" in answer ? { ...answer, why: keptWords(answer.why, cardMask) } : answer;

const unansweredBy = (fault: unknown): Unanswered => ({
  kind: "unanswered",
  why: fault instanceof Error ? fault.message : "fault while asking",
});

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const LONGEST_PAUSE_MS = 900_000;

/** Undefined: this processor cannot be asked. */
export async function inquire(
  { processor, timeoutMs }: ProcessorAtWork,
  transaction: Transaction,
  event: Event,
): Promise<InquiryAnswer | undefined> {
  const asked = processor.inquire?.bind(processor);
  const question = inquiryQuestion(transaction, event);
  return asked && ask(timeoutMs, (signal) => asked(question, signal), transaction.card.mask);
}

/** Whether it says how things stand; otherwise they are as they were. */
export const isTelling = (found: InquiryAnswer): found is Exclude<Answer, NoAnswer> =>
  found.kind !== "unanswered" && found.kind !== "not-sent" && found.kind !== "unknown";

/** Of what was accepted. One that cannot be asked tells its end by itself; in a day somebody may look why it did not. */
export const firstInquiry = ({ processor }: ProcessorAtWork, now: Date): Date =>
  new Date(now.getTime() + (processor.inquire === undefined ? DAY_MS : SECOND_MS));

export const pauseOfWaiting = ({ processor }: ProcessorAtWork, attempts: number): number =>
  processor.inquire === undefined ? DAY_MS : Math.min(SECOND_MS * 2 ** Math.min(attempts, 10), LONGEST_PAUSE_MS);
