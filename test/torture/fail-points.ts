// The named steps of the money path at which a gateway can be told to kill itself, as the system would: between two
// writes, or between a write and the wire. They stand between the use cases and their parts, so the code of the money path
// knows nothing of them.

import type { Parts } from "../../src/gateway/parts.ts";
import type { ProcessorAtWork } from "../../src/gateway/processors-at-work.ts";
import type { Conclusion, Journal } from "../../src/journal/journal.ts";
import type { TraceNumberStore } from "../../src/journal/trace-numbers.ts";
import type { Processor } from "../../src/processors/processor.ts";

export const FAIL_POINTS = [
  "before the intent",
  "after the intent",
  "before the trace number",
  "after the trace number",
  "after sending",
  "after the answer",
  "before the outcome",
  "after the outcome, before the client is answered",
  "before it is left open",
  "after it is left open",
  "before a reversal is sent",
  "after a reversal is confirmed",
  "before an operation is repeated",
  "after an operation is repeated",
  "before the refund of a reversal is written",
  "between the void and the refund of a reversal",
  "between two processors",
  "before the intent of an automatic capture",
  "after the intent of an automatic capture",
  "before a late answer is stored",
  "after an inquiry",
  "before a notification is kept",
] as const;
export type FailPoint = (typeof FAIL_POINTS)[number];

export interface Arming {
  readonly point: FailPoint;
  /** How often it is passed unharmed before. */
  readonly passes: number;
}

type Reach = (point: FailPoint) => void;

/** @param die is called when the armed point is reached for the last time, and does not return */
export function failPoints(die: (point: FailPoint) => void) {
  let armed: { readonly point: FailPoint; left: number } | undefined;
  const reach: Reach = (point) => {
    if (armed?.point === point && --armed.left < 0) die(point);
  };
  /** Intents that this process wrote; whatever else it asks about, it repeats. */
  const own = new Set<string>();
  return {
    arm: (arming: Arming | null) => {
      armed = arming === null ? undefined : { point: arming.point, left: arming.passes };
    },
    refit: (parts: Parts): Parts => ({
      ...parts,
      journal: aroundJournal(parts.journal, reach, own),
      processors: {
        ...parts.processors,
        of: async (merchantId) => (await parts.processors.of(merchantId)).map((one) => around(one, reach, own)),
        find: async (merchantId, id) => around(await parts.processors.find(merchantId, id), reach, own),
      },
    }),
    refitTraceNumbers: (store: TraceNumberStore): TraceNumberStore => aroundTraceNumbers(store, reach),
  };
}

function aroundJournal(journal: Journal, reach: Reach, own: Set<string>): Journal {
  return {
    ...journal,
    open: async (intent, ...rest) => {
      own.add(intent.events[0].id);
      reach("before the intent");
      const opened = await journal.open(intent, ...rest);
      reach("after the intent");
      return opened;
    },
    append: async (merchantId, transactionId, event, claim, ...rest) => {
      own.add(event.id);
      const automatic = claim === null && event.type === "capture";
      reach(automatic ? "before the intent of an automatic capture" : "before the intent");
      const appended = await journal.append(merchantId, transactionId, event, claim, ...rest);
      reach(automatic ? "after the intent of an automatic capture" : "after the intent");
      return appended;
    },
    conclude: async (conclusion, ...rest) => {
      if (conclusion.next !== undefined) own.add(conclusion.next.id);
      const [before, after] = concludingPoints(conclusion);
      reach(before);
      const concluded = await journal.conclude(conclusion, ...rest);
      reach(after);
      return concluded;
    },
    defer: async (...given) => {
      reach("before it is left open");
      await journal.defer(...given);
      reach("after it is left open");
    },
    storeResponse: (...given) => {
      reach("before a late answer is stored");
      return journal.storeResponse(...given);
    },
  };
}

function concludingPoints({ next }: Conclusion): readonly [before: FailPoint, after: FailPoint] {
  if (next === undefined) return ["before the outcome", "after the outcome, before the client is answered"];
  return next.type === "refund"
    ? ["before the refund of a reversal is written", "between the void and the refund of a reversal"]
    : ["before the outcome", "between two processors"];
}

const around = (atWork: ProcessorAtWork, reach: Reach, own: Set<string>): ProcessorAtWork => ({
  ...atWork,
  processor: aroundProcessor(atWork.processor, reach, own),
});

function aroundProcessor(processor: Processor, reach: Reach, own: Set<string>): Processor {
  const inquire = processor.inquire?.bind(processor);
  const receive = processor.receive?.bind(processor);
  return {
    capabilities: processor.capabilities,
    keepsCardNumber: processor.keepsCardNumber,
    requires: processor.requires,
    takes: (brand) => processor.takes(brand),
    cannotExpress: (asked) => processor.cannotExpress(asked),
    charge: async (question, signal) => {
      reach("before the trace number");
      const answer = await processor.charge(question, signal);
      reach("after the answer");
      return answer;
    },
    followUp: async (question, signal) => {
      const repeated = !own.has(question.reference);
      reach(repeated ? "before an operation is repeated" : "before the trace number");
      const answer = await processor.followUp(question, signal);
      reach(repeated ? "after an operation is repeated" : "after the answer");
      return answer;
    },
    timeoutReversal: async (question, signal) => {
      reach("before a reversal is sent");
      const answer = await processor.timeoutReversal(question, signal);
      if (answer.kind === "confirmed") reach("after a reversal is confirmed");
      return answer;
    },
    ...(inquire && {
      inquire: async (question, signal) => {
        const found = await inquire(question, signal);
        reach("after an inquiry");
        return found;
      },
    }),
    ...(receive && {
      receive: async (message) => {
        const received = await receive(message);
        reach("before a notification is kept");
        return received;
      },
    }),
    health: (signal) => processor.health(signal),
    close: () => processor.close(),
  };
}

function aroundTraceNumbers(store: TraceNumberStore, reach: Reach): TraceNumberStore {
  return {
    ...store,
    of: (record) => {
      const numbers = store.of(record);
      return {
        ...numbers,
        assign: async (...given) => {
          const assigned = await numbers.assign(...given);
          reach("after the trace number");
          // The question leaves by what follows in this turn.
          setImmediate(() => setImmediate(() => reach("after sending")));
          return assigned;
        },
      };
    },
  };
}
