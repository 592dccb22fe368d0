// Asking a processor what became of an event, where it can be asked.

import type { Event, Transaction } from "../payment/transaction.ts";
import type { Answer, InquiryAnswer } from "../processors/processor.ts";
import { ask } from "./ask.ts";
import type { ProcessorAtWork } from "./processors-at-work.ts";

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const LONGEST_PAUSE_MS = 900_000;

/** Undefined: this processor cannot be asked. */
export async function inquire(
  { processor, timeoutMs }: ProcessorAtWork,
  { id: transactionId, currency }: Transaction,
  { id: reference, type, amount }: Event,
): Promise<InquiryAnswer | undefined> {
  if (processor.inquire === undefined) return undefined;
  const question = { type, reference, transactionId, amount, currency };
  return ask(timeoutMs, async (signal): Promise<InquiryAnswer> => {
    const answer = await processor.inquire?.(question, signal);
    return answer ?? { kind: "unknown" };
  });
}

/** It leaves things as they were. */
export const isSilence = (found: InquiryAnswer): found is Exclude<InquiryAnswer, KnownAnswer> =>
  found.kind === "unanswered" || found.kind === "not-sent" || found.kind === "unknown";

type KnownAnswer = Exclude<Answer, { readonly kind: "unanswered" | "not-sent" }>;

/** Of what was accepted. One that cannot be asked tells its end by itself; in a day somebody may look why it did not. */
export const firstInquiry = ({ processor }: ProcessorAtWork, now: Date): Date =>
  new Date(now.getTime() + (processor.inquire === undefined ? DAY_MS : SECOND_MS));

export const pauseOfWaiting = ({ processor }: ProcessorAtWork, attempts: number): number =>
  processor.inquire === undefined ? DAY_MS : Math.min(SECOND_MS * 2 ** Math.min(attempts, 10), LONGEST_PAUSE_MS);
