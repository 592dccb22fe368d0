// An approved charge, and the follow-ups of it as the gateway puts them: in the batch of the subject's own clock.

import { defaultSchedule, settlementTimes } from "../../src/payment/settlement.ts";
import type { ChargeType, FollowUpType, SettlementTimes } from "../../src/payment/transaction.ts";
import type { FollowUpQuestion } from "../../src/processors/processor.ts";
import { type ChargeGiven, type FollowUpGiven, followUpQuestion } from "./questions.ts";
import type { Trial } from "./rule.ts";
import { verdictOf } from "./verdict.ts";

export interface ChargeToFollow {
  readonly transactionId: string;
  /** Captured money counts as captured now. */
  question(type: FollowUpType, given?: FollowUpGiven): FollowUpQuestion;
  /** The verdict of a follow-up that must be approved. A capture adds to what settles. */
  approve(type: FollowUpType, given?: FollowUpGiven): Promise<void>;
}

export async function approvedCharge(trial: Trial, type: ChargeType, given: ChargeGiven = {}): Promise<ChargeToFollow> {
  const charge = trial.question(type, given);
  const verdict = verdictOf(await trial.charge(charge), "approved");
  const { clock, currency } = trial.subject;
  const now = () => settlementTimes(defaultSchedule(currency), clock.now());
  const settlements: SettlementTimes[] = type === "sale" ? [now()] : [];
  const question = (followUp: FollowUpType, followUpGiven: FollowUpGiven = {}) =>
    followUpQuestion(followUp, charge, verdict, { settlements: [...settlements], ...followUpGiven });
  return {
    transactionId: charge.transactionId,
    question,
    async approve(followUp, followUpGiven) {
      verdictOf(await trial.followUp(question(followUp, followUpGiven)), "approved");
      if (followUp === "capture") settlements.push(now());
    },
  };
}
