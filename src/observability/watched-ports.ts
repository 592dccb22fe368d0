// The journal and the kinds of processors as a watch sees them: each write, and each question with its answer. Reads are not watched:
// they are counted with the request that waits for them.

import type { PostgresJournal } from "../journal/postgres-journal.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import type { ProcessorKinds } from "../processors/kind.ts";
import type { Processor } from "../processors/processor.ts";
import type { JournalStep, Question, Watch } from "./watch.ts";

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
  const watchedReturn =
    (ask: NonNullable<Processor["returned"]>): NonNullable<Processor["returned"]> =>
    (question, brought, signal) => {
      const end = watch.begin({ name: "ask", operation: "inquiry", record });
      const answer = ask(question, brought, signal);
      untilDeadline(answer, signal, end);
      return answer;
    };
  const { inquire, returned, receive, whose, notificationOf, describeToken, verify, check } = processor;
  return {
    capabilities: processor.capabilities,
    keepsCardNumber: processor.keepsCardNumber,
    requires: processor.requires,
    takes: (brand) => processor.takes(brand),
    cannotExpress: (asked) => processor.cannotExpress(asked),
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
    ...(returned && { returned: watchedReturn(returned.bind(processor)) }),
    ...(receive && { receive: receive.bind(processor) }),
    ...(whose && { whose: whose.bind(processor) }),
    ...(notificationOf && { notificationOf: notificationOf.bind(processor) }),
    ...(describeToken && { describeToken: describeToken.bind(processor) }),
    ...(verify && { verify: watched(() => "verification", verify.bind(processor)) }),
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

/** The same journal, as the watch sees it. */
export function watchedJournal(journal: PostgresJournal, watch: Watch): PostgresJournal {
  const watched =
    <Given extends readonly unknown[], Result>(
      name: JournalStep["name"],
      write: (...given: Given) => Promise<Result>,
    ): ((...given: Given) => Promise<Result>) =>
    async (...given) => {
      const end = watch.begin({ name });
      try {
        const result = await write(...given);
        end(typeof result === "string" ? result : "written");
        return result;
      } catch (fault) {
        end("fault");
        throw fault;
      }
    };
  const conclude = watched("conclude", journal.conclude);
  return {
    ...journal,
    open: watched("open", journal.open),
    append: watched("append", journal.append),
    defer: watched("defer", journal.defer),
    openChallenge: watched("defer", journal.openChallenge),
    conclude: async (conclusion) => {
      const concluded = await conclude(conclusion);
      if (["concluded", "conflict", "limit-reached"].includes(concluded)) watch.concluded(conclusion);
      return concluded;
    },
  };
}
