// The port of whoever looks on while operations run: figures and traces. What is looked at knows nothing of it. The journal and the
// processors are wrapped where they are put together (watched-ports.ts).

import type { Conclusion } from "../journal/journal.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import type { EventType } from "../payment/transaction.ts";

export interface Watch {
  /** A step begins. What comes back is to be called once, when it has ended. */
  begin(step: Step): End;
  /** An outcome is durable. */
  concluded(conclusion: Conclusion): void;
}

export type Step = JournalStep | Question;

export interface JournalStep {
  /** As the journal calls what it writes. */
  readonly name: "open" | "append" | "conclude" | "defer";
}

export interface Question {
  readonly name: "ask";
  readonly operation: EventType | "reversal" | "inquiry" | "verification";
  readonly record: Pick<ProcessorRecord, "id" | "kind">;
}

/** @param result the kind of a processor's answer, or what the journal said; `fault` if it threw */
export type End = (result: string) => void;

/** Several look on. */
export const together = (watches: readonly Watch[]): Watch => ({
  begin: (step) => {
    const ends = watches.map((watch) => watch.begin(step));
    return (result) => {
      for (const end of ends) end(result);
    };
  },
  concluded: (conclusion) => {
    for (const watch of watches) watch.concluded(conclusion);
  },
});
