// Asking a processor as the gateway does, under a deadline. Whatever the rule at hand, no question may outlive its
// deadline, throw, or bring the card number or the CVV back.

import assert from "node:assert/strict";
import { inspect } from "node:util";
import type {
  ChargeQuestion,
  FollowUpQuestion,
  IncomingMessage,
  InquiryAnswer,
  InquiryQuestion,
  Processor,
  Received,
  TimeoutReversalQuestion,
} from "../../src/processors/processor.ts";

/** What a promise may take to end after its deadline. Wide, because test machines are slow. */
const PROMPT_MS = 3_000;
/** Tells an answer from a hang, also on a machine that is busy with something else. */
const PATIENCE_MS = 60_000;

export class Asking {
  readonly processor: Processor;
  readonly #secrets = new Set<string>();

  constructor(processor: Processor) {
    this.processor = processor;
  }

  charge(question: ChargeQuestion, deadlineMs = PATIENCE_MS) {
    const { instrument } = question;
    this.#secrets.add((instrument.kind === "card" ? instrument.number : instrument.token).reveal());
    if (instrument.cvv) this.#secrets.add(instrument.cvv.reveal());
    return this.#ask((signal) => this.processor.charge(question, signal), deadlineMs);
  }

  followUp(question: FollowUpQuestion, deadlineMs = PATIENCE_MS) {
    return this.#ask((signal) => this.processor.followUp(question, signal), deadlineMs);
  }

  timeoutReversal(question: TimeoutReversalQuestion, deadlineMs = PATIENCE_MS) {
    return this.#ask((signal) => this.processor.timeoutReversal(question, signal), deadlineMs);
  }

  /** Only of one that can be inquired of. */
  inquire(question: InquiryQuestion, deadlineMs = PATIENCE_MS): Promise<InquiryAnswer> {
    return this.#ask(async (signal) => {
      const answer = await this.processor.inquire?.(question, signal);
      assert.ok(answer, "it can be inquired of");
      return answer;
    }, deadlineMs);
  }

  async receive(message: IncomingMessage): Promise<Received> {
    const received = await this.processor.receive?.(message);
    assert.ok(received, "it takes notifications");
    assertTellsNoSecret(received, this.#secrets);
    return received;
  }

  health(deadlineMs = PATIENCE_MS) {
    return this.#ask((signal) => this.processor.health(signal), deadlineMs);
  }

  async #ask<A>(question: (signal: AbortSignal) => Promise<A>, deadlineMs: number): Promise<A> {
    const deadline = new AbortController();
    if (deadlineMs <= 0) deadline.abort();
    const timers: NodeJS.Timeout[] = [];
    const overdue = new Promise<never>((_, reject) => {
      const late = new Error(`no end ${PROMPT_MS} ms after a deadline of ${deadlineMs} ms`);
      // From when it is told: on a busy machine that is late, too.
      const tell = () => {
        deadline.abort();
        timers.push(setTimeout(() => reject(late), PROMPT_MS));
      };
      timers.push(setTimeout(tell, deadlineMs));
    });
    try {
      const answer = await Promise.race([question(deadline.signal), overdue]);
      assertTellsNoSecret(answer, this.#secrets);
      return answer;
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  }
}

/** Searches what JSON and the debugger see of an answer; a CVV counts where it stands as a word of its own. */
function assertTellsNoSecret(answer: unknown, secrets: Iterable<string>): void {
  const json = JSON.stringify(answer, (_, value) => (typeof value === "bigint" ? String(value) : value));
  const seen = `${json} ${inspect(answer, { depth: null, showHidden: true })}`;
  for (const secret of secrets) {
    const word = secret.length > 4 ? new RegExp(secret) : new RegExp(`(?<![0-9A-Za-z])${secret}(?![0-9A-Za-z])`);
    // Not assert.doesNotMatch, whose message would print the secret.
    assert.ok(!word.test(seen), "the answer carries the card number or the CVV");
  }
}
