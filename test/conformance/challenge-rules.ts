// Conformance: a charge whose payer has to authenticate, at kinds that send payers to a challenge.

import assert from "node:assert/strict";
import { inspect } from "node:util";
import { isPayerAddress } from "../../src/payment/challenge.ts";
import type { ChargeType } from "../../src/payment/transaction.ts";
import type { Answer, Brought, CardChargeQuestion, InquiryAnswer } from "../../src/processors/processor.ts";
import { assertProcessorResponse } from "./processor-response.ts";
import { chargeQuestion } from "./questions.ts";
import type { Rule, Trial } from "./rule.ts";
import { type Challenging, NO_CHALLENGES } from "./subject.ts";

const RETURN_URL = "https://gateway.example/checkout/x/return";
const CHARGES: readonly ChargeType[] = ["sale", "auth"];

export function challengeRules(rule: Rule): void {
  rule("a kind that sends payers to challenges is told of their return, and no other is", "answers", async (trial) => {
    assert.equal(trial.processor.returned !== undefined, trial.subject.challenging !== undefined);
  });

  rule(
    "a payer is sent to a challenge only where there is a way back, and not without need",
    "answers",
    async (trial) => {
      const challenging = trial.need(trial.subject.challenging ?? NO_CHALLENGES);
      for (const type of CHARGES) {
        const plain = await trial.charge(
          chargeQuestion(type, { ...challenging.card, currency: trial.subject.currency }),
        );
        assert.ok(plain.kind !== "action-required" || plain.page === undefined, inspect(plain));
        await pageOf(trial, challengedBy(trial, type, challenging));
        const ordinary = await trial.charge({ ...trial.question(type), returnUrl: RETURN_URL });
        assert.equal(ordinary.kind, "approved", inspect(ordinary));
      }
    },
  );

  rule(
    "who passes it makes an approval of the whole amount, and who returns twice the same",
    "answers",
    async (trial) => {
      const challenging = trial.need(trial.subject.challenging ?? NO_CHALLENGES);
      for (const type of CHARGES) {
        const question = challengedBy(trial, type, challenging);
        const brought = await challenging.choose(await pageOf(trial, question), "pass");
        for (let time = 0; time < 2; time++) {
          const answer = await returned(trial, question, brought);
          assert.ok(answer.kind === "approved", inspect(answer));
          assertProcessorResponse(answer.processorResponse);
        }
        const { balance } = trial.subject;
        if (typeof balance === "function") assert.equal(await balance(question.transactionId), question.amount);
      }
    },
  );

  rule("who fails it makes a decline that says so, and no money moves", "answers", async (trial) => {
    const challenging = trial.need(trial.subject.challenging ?? NO_CHALLENGES);
    const question = challengedBy(trial, "sale", challenging);
    const brought = await challenging.choose(await pageOf(trial, question), "fail");
    const answer = await returned(trial, question, brought);
    assert.ok(answer.kind === "declined", inspect(answer));
    assertProcessorResponse(answer.processorResponse);
    assert.equal(answer.category, "authentication-required");
    const { balance } = trial.subject;
    if (typeof balance === "function") assert.equal(await balance(question.transactionId), 0n);
  });

  rule("who brings nothing, what is made up, or another payment's result ends nothing", "answers", async (trial) => {
    const challenging = trial.need(trial.subject.challenging ?? NO_CHALLENGES);
    const [question, other] = [challengedBy(trial, "sale", challenging), challengedBy(trial, "sale", challenging)];
    await pageOf(trial, question);
    const othersResult = await challenging.choose(await pageOf(trial, other), "pass");
    const madeUp = [{}, { redirectResult: "x" }, { MD: "x", PaRes: "y" }, { status: "succeeded" }];
    for (const brought of [...madeUp, ...(challenging.namesPayment ? [othersResult] : [])]) {
      const answer = await returned(trial, question, brought);
      assert.ok(!["approved", "declined", "pending"].includes(answer.kind), inspect(answer));
    }
  });
}

const challengedBy = (trial: Trial, type: ChargeType, { card }: Challenging): CardChargeQuestion => ({
  ...chargeQuestion(type, { ...card, currency: trial.subject.currency }),
  returnUrl: RETURN_URL,
});

async function pageOf(trial: Trial, question: CardChargeQuestion): Promise<string> {
  const answer: Answer = await trial.charge(question);
  assert.ok(answer.kind === "action-required" && answer.page !== undefined, inspect(answer));
  assert.ok(isPayerAddress(answer.page.url), answer.page.url);
  return answer.page.url;
}

function returned(trial: Trial, question: CardChargeQuestion, brought: Brought): Promise<InquiryAnswer> {
  const { type, reference, transactionId, amount, currency, merchantTransactionId, fields } = question;
  const its = { type, reference, transactionId, amount, currency, merchantTransactionId, fields, original: null };
  const { processor } = trial;
  if (processor.returned === undefined) throw new Error("it is told of no return");
  return processor.returned(its, brought, AbortSignal.timeout(20_000));
}
