// An approved charge, and the follow-ups of it as the gateway puts them: in the batch of the subject's own clock.

import { type Amount, sum } from "../../src/payment/money.ts";
import { defaultSchedule, settlementTimes } from "../../src/payment/settlement.ts";
import type { ChargeType, FollowUpType } from "../../src/payment/transaction.ts";
import type { CapturedPart, FollowUpQuestion } from "../../src/processors/processor.ts";
import { responseOf } from "./processor-response.ts";
import { type ChargeGiven, type FollowUpGiven, followUpQuestion } from "./questions.ts";
import type { Trial } from "./rule.ts";

export interface ChargeToFollow {
  readonly transactionId: string;
  /** Captured money counts as captured now. */
  question(type: FollowUpType, given?: FollowUpGiven): FollowUpQuestion;
  /** The processor response of a follow-up that must be approved. A capture adds to what settles. */
  approve(type: FollowUpType, given?: FollowUpGiven): Promise<void>;
}

export async function approvedCharge(trial: Trial, type: ChargeType, given: ChargeGiven = {}): Promise<ChargeToFollow> {
  const charge = trial.question(type, given);
  const response = responseOf(await trial.charge(charge), "approved");
  const { clock, currency } = trial.subject;
  const captured = (amount: Amount) => ({
    left: amount,
    settlement: settlementTimes(defaultSchedule(currency), clock.now()),
  });
  const captures: CapturedPart[] = type === "sale" ? [captured(charge.amount)] : [];
  const question = (followUp: FollowUpType, followUpGiven: FollowUpGiven = {}) =>
    followUpQuestion(followUp, charge, response, {
      uncaptured: charge.amount - sum(captures.map(({ left }) => left)),
      captures: [...captures],
      ...followUpGiven,
    });
  return {
    transactionId: charge.transactionId,
    question,
    async approve(followUp, followUpGiven) {
      const asked = question(followUp, followUpGiven);
      responseOf(await trial.followUp(asked), "approved");
      if (followUp === "capture") captures.push(captured(asked.amount));
    },
  };
}
