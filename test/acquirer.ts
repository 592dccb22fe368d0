// A processor with books: the simulator judges, and here is kept what it was asked, what it answered and what money that
// moved. Asked again under the same reference it gives the first answer again, and its line can be disturbed.

import { setTimeout as sleep } from "node:timers/promises";
import type { Transaction } from "../src/payment/transaction.ts";
import type {
  Answer,
  ChargeQuestion,
  FollowUpQuestion,
  Processor,
  TimeoutReversalAnswer,
  TimeoutReversalQuestion,
} from "../src/processors/processor.ts";
import { decline } from "../src/processors/simulator/processor-response.ts";

/**
 * What becomes of a question: it is answered; its answer is lost, or comes after the deadline; the question itself is lost;
 * the connection is refused; something between declines it with 96; or our own side breaks.
 */
export type Line = "answers" | "loses answer" | "answers late" | "loses question" | "refuses" | "turns away" | "breaks";

/** One question as it was put, and the answer that was given to it then. */
export interface Asked {
  readonly processorId: string;
  readonly type: ChargeQuestion["type"] | FollowUpQuestion["type"] | "reversal";
  readonly reference: string;
  readonly transactionId: string;
  readonly amount: bigint;
  readonly line: Line;
  readonly given: Answer["kind"] | TimeoutReversalAnswer["kind"] | "fault";
  readonly askedBy: Asker;
}

/** Whoever is at the other end of a line: one node, say. */
export interface Asker {
  /** Asked once for each question, before it leaves. */
  readonly line?: (processorId: string, type: Asked["type"]) => Line;
  /** Waited for before a question arrives and before its answer does. */
  readonly way?: () => Promise<void>;
  /** What the harmless question finds out, if it is not the processor's own word. */
  readonly reachable?: () => boolean;
}

/** One operation as it stands in the books, whatever its asker was told. */
export interface Entry {
  readonly type: ChargeQuestion["type"] | FollowUpQuestion["type"];
  readonly reference: string;
  readonly transactionId: string;
  readonly amount: bigint;
  readonly shares: FollowUpQuestion["shares"];
  readonly answer: Answer;
  /** A charge that was taken back: nothing of it is held or taken. */
  readonly reversed: boolean;
}

export interface Acquirer {
  /** The processor as this asker reaches it. */
  wrap(processorId: string, processor: Processor, asker?: Asker): Processor;
  readonly asked: readonly Asked[];
  entry(reference: string): Entry | undefined;
  entriesOf(transactionId: Transaction["id"]): readonly Entry[];
}

export function acquirer(): Acquirer {
  const asked: Asked[] = [];
  const entries = new Map<string, Entry>();
  const reversedBefore = new Set<string>();

  const carry = async <A extends Answer | TimeoutReversalAnswer>(
    processorId: string,
    askedBy: Asker,
    question: TimeoutReversalQuestion | ChargeQuestion | FollowUpQuestion,
    type: Asked["type"],
    signal: AbortSignal,
    arrive: () => Promise<A>,
  ): Promise<A> => {
    const { line = () => "answers", way = async () => undefined } = askedBy;
    const disturbed = line(processorId, type);
    const note = (given: Asked["given"]) => {
      const { reference, transactionId, amount } = question;
      asked.push({ processorId, type, reference, transactionId, amount, line: disturbed, given, askedBy });
    };
    const lost = { kind: "unanswered", why: disturbed } as A;
    if (disturbed === "refuses") {
      note("not-sent");
      return { kind: "not-sent", why: "the connection was refused" } as A;
    }
    await way();
    if (disturbed === "loses question") {
      note("unanswered");
      return lost;
    }
    if (disturbed === "turns away") {
      note(TURNED_AWAY.kind);
      return (type === "reversal" ? lost : TURNED_AWAY) as A;
    }
    const answer = await arrive();
    if (disturbed === "breaks") {
      note("fault");
      throw new Error("the line broke");
    }
    await way();
    note(disturbed === "answers" && !signal.aborted ? answer.kind : "unanswered");
    if (disturbed === "answers late") while (!signal.aborted) await sleep(5);
    return disturbed === "loses answer" ? lost : answer;
  };

  const book = async (
    question: ChargeQuestion | FollowUpQuestion,
    shares: FollowUpQuestion["shares"],
    judge: () => Promise<Answer>,
  ): Promise<Answer> => {
    const before = entries.get(question.reference);
    if (before !== undefined) return before.answer;
    // Confirmed means: no money of it is held or taken, now or later.
    if (reversedBefore.has(question.reference)) return { kind: "unanswered", why: "it was taken back before it came" };
    const { type, reference, transactionId, amount } = question;
    const answer = await judge();
    // It may have been asked again, or taken back, while it was judged.
    const reversed = reversedBefore.has(reference);
    const entry = entries.get(reference) ?? { type, reference, transactionId, amount, shares, answer, reversed };
    entries.set(reference, entry);
    return entry.answer;
  };

  const wrap = (processorId: string, processor: Processor, asker: Asker = {}): Processor => ({
    capabilities: processor.capabilities,
    keepsCardNumber: processor.keepsCardNumber,
    requires: processor.requires,
    takes: (brand) => processor.takes(brand),
    cannotExpress: (asked) => processor.cannotExpress(asked),
    charge: (question, signal) =>
      carry(processorId, asker, question, question.type, signal, () =>
        book(question, null, () => processor.charge(question, deadlineOf(question))),
      ),
    followUp: (question, signal) =>
      carry(processorId, asker, question, question.type, signal, () =>
        book(question, question.shares, () => processor.followUp(question, NO_DEADLINE)),
      ),
    timeoutReversal: (question, signal) =>
      carry(processorId, asker, question, "reversal", signal, async () => {
        const entry = entries.get(question.reference);
        if (entry === undefined) reversedBefore.add(question.reference);
        else entries.set(question.reference, { ...entry, reversed: true });
        return processor.timeoutReversal(question, NO_DEADLINE);
      }),
    health: async (signal) => {
      const { reachable } = asker;
      return reachable === undefined ? processor.health(signal) : { reachable: reachable(), detail: "" };
    },
    close: () => processor.close(),
  });

  return {
    wrap,
    asked,
    entry: (reference) => entries.get(reference),
    entriesOf: (transactionId) => [...entries.values()].filter((entry) => entry.transactionId === transactionId),
  };
}

const TURNED_AWAY: Answer = decline("96", "no reference: nothing was booked");

/** What has left its asker arrives, whether he waits for the answer or not. */
const NO_DEADLINE = new AbortController().signal;

/** The silent card is given up at once, since nobody here has the time to wait for its deadline. */
function deadlineOf({ instrument }: ChargeQuestion): AbortSignal {
  if (instrument.kind !== "card" || !SILENT_CARDS.includes(instrument.number.reveal())) return NO_DEADLINE;
  const deadline = new AbortController();
  setImmediate(() => deadline.abort());
  return deadline.signal;
}
const SILENT_CARDS = ["4000000000000408", "4000000000000689"];
