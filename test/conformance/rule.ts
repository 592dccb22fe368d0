// One rule of the conformance suite is one test on one freshly opened subject.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import type { News } from "../../src/payment/news.ts";
import { Secret } from "../../src/payment/secret.ts";
import type { ChargeType } from "../../src/payment/transaction.ts";
import type {
  Answer,
  ChargeQuestion,
  FollowUpQuestion,
  TimeoutReversalAnswer,
  TimeoutReversalQuestion,
} from "../../src/processors/processor.ts";
import { Asking } from "./asking.ts";
import { type ChargeGiven, chargeQuestion } from "./questions.ts";
import type { Cannot, Condition, Open, OwnToken, Subject } from "./subject.ts";

/** What charges are made with: card numbers, or the processor's own tokens for the same cards. */
export type ChargedBy = "number" | "own token";

export class Trial extends Asking {
  readonly subject: Subject;
  readonly #chargedBy: ChargedBy;

  constructor(subject: Subject, chargedBy: ChargedBy) {
    super(subject.processor);
    this.subject = subject;
    this.#chargedBy = chargedBy;
  }

  /** A charge in the subject's currency, of the card that is approved or of the one that is declined. */
  question(
    type: ChargeType,
    given: ChargeGiven = {},
    card: "approvedCard" | "declinedCard" = "approvedCard",
  ): ChargeQuestion {
    const { number, cvv } = this.subject[card];
    const charge = chargeQuestion(type, { number, cvv, currency: this.subject.currency, ...given });
    if (this.#chargedBy === "number") return charge;
    const { token, customer } = this.ownToken(card);
    const kept = { token: new Secret("processor token", token), customer } as const;
    const { brand, cvv: sent } = charge.instrument;
    return { ...charge, instrument: { kind: "processor-token", ...kept, cvv: sent, brand } };
  }

  ownToken(card: "approvedCard" | "declinedCard"): OwnToken {
    const { ownTokens } = this.subject;
    assert.ok(ownTokens, "what describes tokens brings some of its own");
    return ownTokens[card];
  }

  /** As the gateway asks: what only accepts is pending. */
  asks(question: FollowUpQuestion, deadlineMs?: number): Promise<Answer> {
    return super.followUp(question, deadlineMs);
  }

  /** One that only accepts has its end by the notification that follows. */
  override async followUp(question: FollowUpQuestion, deadlineMs?: number): Promise<Answer> {
    const answer = await super.followUp(question, deadlineMs);
    if (answer.kind !== "pending" || this.subject.sent === undefined) return answer;
    const news = await this.#newsOf(question.reference, "question");
    assert.ok(news.kind === "succeeded" || news.kind === "failed", inspect(news));
    return news.kind === "failed" ? { ...news, kind: "declined" } : { ...news, kind: "approved" };
  }

  /** Nothing is confirmed before the notification says so. */
  override async timeoutReversal(
    question: TimeoutReversalQuestion,
    deadlineMs?: number,
  ): Promise<TimeoutReversalAnswer> {
    const answer = await super.timeoutReversal(question, deadlineMs);
    if (answer.kind !== "pending" || this.subject.sent === undefined) return answer;
    const news = await this.#newsOf(question.reference, "reversal");
    return news.kind === "reversed" ? { kind: "confirmed" } : answer;
  }

  async #newsOf(reference: string, of: "question" | "reversal"): Promise<News> {
    const message = await this.subject.sent?.(reference, of);
    const received = message && (await this.receive(message));
    assert.ok(received?.kind === "genuine" && received.notifications[0], inspect(received));
    assert.equal(received.notifications[0].about?.reference, reference);
    return received.notifications[0].news;
  }

  /** Skips the rule where nobody can be asked what became of a question. */
  needInquiries(): void {
    if (this.processor.inquire === undefined) throw new NotTried("it cannot be inquired of");
  }

  /** What the rule cannot be tried without; where the subject has none, the rule is skipped and says so. */
  need<T>(wanted: T | Cannot): T {
    if (isCannot(wanted)) throw new NotTried(wanted.cannot);
    return wanted;
  }

  /** One of these, if there are any. */
  needCapability(...capabilities: readonly (keyof Subject["processor"]["capabilities"])[]): void {
    if (capabilities.length > 0 && !capabilities.some((capability) => this.processor.capabilities[capability]))
      throw new NotTried(`it has no capability ${capabilities.join(" or ")}`);
  }
}

export type Rule = (name: string, condition: Condition, check: (trial: Trial) => Promise<void>) => void;

/** Registers rules as tests of what `open` opens. What cannot be tried is reported as skipped, with the reason. */
export const rulesOf =
  (open: Open, chargedBy: ChargedBy = "number"): Rule =>
  (name, condition, check) => {
    test(name, async (t) => {
      const subject = await open(condition);
      if (isCannot(subject)) return t.skip(subject.cannot);
      try {
        await check(new Trial(subject, chargedBy));
      } catch (fault) {
        if (!(fault instanceof NotTried)) throw fault;
        t.skip(fault.message);
      } finally {
        await subject.end();
      }
    });
  };

class NotTried extends Error {}

const isCannot = (given: unknown): given is Cannot => typeof given === "object" && given !== null && "cannot" in given;
