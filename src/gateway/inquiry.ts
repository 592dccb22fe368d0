// Asking a processor what became of an event, where it can be asked.

import type { Event, Transaction } from "../payment/transaction.ts";
import type { Answer, InquiryAnswer, NoAnswer } from "../processors/processor.ts";
import { ask } from "./ask.ts";
import type { ProcessorAtWork } from "./processors-at-work.ts";
import { inquiryQuestion } from "./questions.ts";

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
  return asked && ask(timeoutMs, (signal) => asked(question, signal));
}

/** Whether it says how things stand; otherwise they are as they were. */
export const isTelling = (found: InquiryAnswer): found is Exclude<Answer, NoAnswer> =>
  found.kind !== "unanswered" && found.kind !== "not-sent" && found.kind !== "unknown";

/** Of what was accepted. One that cannot be asked tells its end by itself; in a day somebody may look why it did not. */
export const firstInquiry = ({ processor }: ProcessorAtWork, now: Date): Date =>
  new Date(now.getTime() + (processor.inquire === undefined ? DAY_MS : SECOND_MS));

export const pauseOfWaiting = ({ processor }: ProcessorAtWork, attempts: number): number =>
  processor.inquire === undefined ? DAY_MS : Math.min(SECOND_MS * 2 ** Math.min(attempts, 10), LONGEST_PAUSE_MS);
