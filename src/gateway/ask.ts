// Asking a processor under a deadline. Whatever goes wrong after the question may have left is "unanswered": silence, a
// fault of ours, an answer that comes too late.

import type { InquiryAnswer, TimeoutReversalAnswer } from "../processors/processor.ts";

type AnyAnswer = InquiryAnswer | TimeoutReversalAnswer;
type Unanswered = { readonly kind: "unanswered"; readonly why: string };

export async function ask<A extends AnyAnswer>(
  timeoutMs: number,
  question: (signal: AbortSignal) => Promise<A>,
): Promise<A | Unanswered> {
  const deadline = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<Unanswered>((resolve) => {
    timer = setTimeout(() => {
      resolve({ kind: "unanswered", why: `no answer within ${timeoutMs} ms` });
      deadline.abort();
    }, timeoutMs);
  });
  try {
    const asked = (async () => question(deadline.signal))();
    return await Promise.race([asked.catch(unansweredBy), silence]);
  } finally {
    clearTimeout(timer);
  }
}

const unansweredBy = (fault: unknown): Unanswered => ({
  kind: "unanswered",
  why: fault instanceof Error ? fault.message : "fault while asking",
});
