// Kinds whose processors are watched while they are asked: what, by which record, how long, and what they said.

import type { ProcessorRecord } from "../payment/processor-record.ts";
import type { ProcessorKinds } from "../processors/kind.ts";
import type { Processor } from "../processors/processor.ts";
import type { Question, Watch } from "./watch.ts";

/** The same kinds, as the watch sees them. */
export const watchedKinds = (kinds: ProcessorKinds, watch: Watch): ProcessorKinds =>
  new Map(
    [...kinds].map(([name, kind]) => [
      name,
      { ...kind, open: (record, parts) => watchedProcessor(kind.open(record, parts), record, watch) },
    ]),
  );

function watchedProcessor(processor: Processor, record: ProcessorRecord, watch: Watch): Processor {
  const watched =
    <Asked, Answer extends { readonly kind: string }>(
      operationOf: (question: Asked) => Question["operation"],
      ask: (question: Asked, signal: AbortSignal) => Promise<Answer>,
    ) =>
    (question: Asked, signal: AbortSignal): Promise<Answer> => {
      const end = watch.begin({ name: "ask", operation: operationOf(question), record });
      const answer = ask(question, signal);
      untilDeadline(answer, signal, end);
      return answer;
    };
  const { inquire, receive, check } = processor;
  return {
    capabilities: processor.capabilities,
    keepsCardNumber: processor.keepsCardNumber,
    requires: processor.requires,
    takes: (brand) => processor.takes(brand),
    charge: watched(
      ({ type }) => type,
      (question, signal) => processor.charge(question, signal),
    ),
    followUp: watched(
      ({ type }) => type,
      (question, signal) => processor.followUp(question, signal),
    ),
    timeoutReversal: watched(
      () => "reversal",
      (question, signal) => processor.timeoutReversal(question, signal),
    ),
    ...(inquire && { inquire: watched(() => "inquiry", inquire.bind(processor)) }),
    ...(receive && { receive: receive.bind(processor) }),
    ...(check && { check: check.bind(processor) }),
    health: (signal) => processor.health(signal),
    close: () => processor.close(),
  };
}

/** Nobody waits for an answer that comes after its deadline: by then it is none. */
function untilDeadline(
  answer: Promise<{ readonly kind: string }>,
  signal: AbortSignal,
  end: (kind: string) => void,
): void {
  const tooLate = () => end("unanswered");
  const inTime = (kind: string) => {
    signal.removeEventListener("abort", tooLate);
    if (!signal.aborted) end(kind);
  };
  signal.addEventListener("abort", tooLate, { once: true });
  answer.then(
    ({ kind }) => inTime(kind),
    () => inTime("fault"),
  );
}
