// One rule of the conformance suite is one test on one freshly opened subject.

import { test } from "node:test";
import type { ChargeType } from "../../src/payment/transaction.ts";
import { Asking } from "./asking.ts";
import { type ChargeGiven, chargeQuestion } from "./questions.ts";
import type { Cannot, Condition, Open, Subject } from "./subject.ts";

export class Trial extends Asking {
  readonly subject: Subject;

  constructor(subject: Subject) {
    super(subject.processor);
    this.subject = subject;
  }

  /** A charge in the subject's currency, of the card that is approved or of the one that is declined. */
  question(type: ChargeType, given: ChargeGiven = {}, card: "approvedCard" | "declinedCard" = "approvedCard") {
    const { number, cvv } = this.subject[card];
    return chargeQuestion(type, { number, cvv, currency: this.subject.currency, ...given });
  }

  /** What the rule cannot be tried without; where the subject has none, the rule is skipped and says so. */
  need<T>(wanted: T | Cannot): T {
    if (isCannot(wanted)) throw new NotTried(wanted.cannot);
    return wanted;
  }

  needCapability(capability: keyof Subject["processor"]["capabilities"]): void {
    if (!this.processor.capabilities[capability]) throw new NotTried(`it has no capability ${capability}`);
  }
}

export type Rule = (name: string, condition: Condition, check: (trial: Trial) => Promise<void>) => void;

/** Registers rules as tests of what `open` opens. What cannot be tried is reported as skipped, with the reason. */
export const rulesOf =
  (open: Open): Rule =>
  (name, condition, check) => {
    test(name, async (t) => {
      const subject = await open(condition);
      if (isCannot(subject)) return t.skip(subject.cannot);
      try {
        await check(new Trial(subject));
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
