// Conformance: deadlines, lost answers, refused connections, the end. Silence is never a no, and never a yes.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { Answer, ChargeQuestion, TimeoutReversalAnswer } from "../../src/processors/processor.ts";
import { responseOf } from "./processor-response.ts";
import { followUpQuestion, SOME_RESPONSE, timeoutReversalQuestion } from "./questions.ts";
import type { Rule, Trial } from "./rule.ts";
import { SLOW_MS } from "./subject.ts";

/** One question of every kind, none of which needs an answer to another. */
function everyQuestion(trial: Trial, deadlineMs?: number): Promise<Answer | TimeoutReversalAnswer>[] {
  const sale = trial.question("sale");
  const followUps = (["capture", "void", "refund"] as const).map((type) => followUpQuestion(type, sale, SOME_RESPONSE));
  return [
    trial.charge(sale, deadlineMs),
    trial.charge(trial.question("auth"), deadlineMs),
    ...followUps.map((question) => trial.followUp(question, deadlineMs)),
    trial.timeoutReversal(timeoutReversalQuestion(sale), deadlineMs),
  ];
}

async function assertEach(answers: readonly Promise<Answer | TimeoutReversalAnswer>[], ...kinds: readonly string[]) {
  for (const answer of await Promise.all(answers)) {
    assert.ok(kinds.includes(answer.kind), `${kinds.join(" or ")} expected, not ${answer.kind}`);
    if ("why" in answer) assert.notEqual(answer.why, "", "it says why");
  }
}

export function failureRules(rule: Rule): void {
  rule("a question without an answer ends as unanswered at its deadline", "never answers", async (trial) => {
    await assertEach(everyQuestion(trial, 100), "unanswered");
  });

  rule("an answer that comes after the deadline is no answer, nor that of the next question", "slow", async (trial) => {
    await assertEach(everyQuestion(trial, SLOW_MS / 3), "unanswered");
    responseOf(await trial.charge(trial.question("sale", {}, "declinedCard")), "declined");
    await pause(SLOW_MS);
    responseOf(await trial.charge(trial.question("sale")), "approved");
  });

  rule("a question whose deadline has passed before it is asked comes to nothing", "answers", async (trial) => {
    await assertEach(everyQuestion(trial, 0), "unanswered", "not-sent");
  });

  unansweredChargeRules(rule);

  rule("the reversal of a charge that never arrived is confirmed", "answers", async (trial) => {
    const { reversalOfNothing } = trial.subject;
    if (reversalOfNothing) trial.need(reversalOfNothing);
    for (const type of ["sale", "auth"] as const) await assertReversed(trial, trial.question(type));
  });

  rule("a refused connection is told as nothing sent", "refuses connections", async (trial) => {
    await assertEach(everyQuestion(trial), "not-sent");
    const health = await trial.health();
    assert.equal(health.reachable, false);
    assert.notEqual(health.detail, "", "it says why");
  });

  rule("closing ends what is in flight, and nothing is sent after it", "never answers", async (trial) => {
    const inFlight = everyQuestion(trial);
    await pause(50);
    const closedAt = performance.now();
    await trial.processor.close();
    await assertEach(inFlight, "unanswered");
    assert.ok(performance.now() - closedAt < 1000, "at once, not at the deadline");
    await assertEach(everyQuestion(trial), "not-sent");
    assert.equal((await trial.health()).reachable, false);
    await trial.processor.close();
  });
}

export function unansweredChargeRules(rule: Rule): void {
  rule("a charge without an answer is reversed, as often as one asks", "never answers charges", async (trial) => {
    for (const type of ["sale", "auth"] as const) {
      const charge = trial.question(type);
      assert.equal((await trial.charge(charge, 100)).kind, "unanswered");
      await assertReversed(trial, charge);
    }
  });

  rule("a reversed charge holds no money", "never answers charges", async (trial) => {
    const balance = trial.need(trial.subject.balance);
    const charge = trial.question("sale");
    await trial.charge(charge, 100);
    await assertReversed(trial, charge);
    assert.equal(await balance(charge.transactionId), 0n);
  });
}

async function assertReversed(trial: Trial, charge: ChargeQuestion): Promise<void> {
  const question = timeoutReversalQuestion(charge);
  for (let time = 1; time <= 3; time++) assert.deepEqual(await trial.timeoutReversal(question), { kind: "confirmed" });
}
