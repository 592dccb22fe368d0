// Conformance: a repeat that is turned away does not end its first sending, whatever it is turned away with.

import assert from "node:assert/strict";
import { inspect } from "node:util";
import { followsFrom } from "../../src/payment/doubt.ts";
import type { FollowUpType } from "../../src/payment/transaction.ts";
import type { Answer, ChargeQuestion, FollowUpQuestion } from "../../src/processors/processor.ts";
import { approvedCharge, type ChargeToFollow } from "./charge-to-follow.ts";
import { responseOf } from "./processor-response.ts";
import { timeoutReversalQuestion } from "./questions.ts";
import type { Rule, Trial } from "./rule.ts";
import type { Repeats } from "./subject.ts";

const FOLLOWED = { capture: "auth", void: "auth", refund: "sale" } as const;
const FOLLOW_UPS = ["capture", "void", "refund"] as const;
/** Long enough to leave, and not waited for. */
const LOST_MS = 60;
/** On a busy machine a charge does not leave as soon. */
const LOST_CHARGE_MS = [150, 1_000, 5_000, 20_000];

export function repeatRules(rule: Rule): void {
  repeatedFollowUpRules(rule);
  repeatedChargeRules(rule);
}

export function repeatedFollowUpRules(rule: Rule): void {
  for (const type of FOLLOW_UPS)
    for (const first of ["carried out", "never came"] as const)
      rule(`the decline of a repeat says nothing of a ${type} that ${first}`, "answers", async (trial) => {
        const { lose, ways, turnAway, behave } = trial.need(trial.subject.repeats);
        if (!isPossible(trial, type)) trial.needCapability("refundBeforeSettlement");
        for (const way of ways) {
          const charge = await approvedCharge(trial, FOLLOWED[type]);
          const question = charge.question(type);
          lose(type, first);
          assertInDoubt(type, await trial.asks(question, LOST_MS), "its first sending");
          turnAway(way);
          const said = await trial.asks(question);
          // A kind may look at the books of the other side by itself.
          if (said.kind !== "approved" || first === "never came") assertInDoubt(type, said, way);
          await behave();
          await assertDoneOnce(trial, charge, question);
        }
      });

  rule("nor does that of one that is sent because the connection broke", "answers", async (trial) => {
    const { breakOff, ways, turnAway, behave } = trial.need(trial.subject.repeats);
    const breakNext = trial.need(breakOff);
    for (const way of ways)
      for (const type of FOLLOW_UPS.filter((one) => isPossible(trial, one))) {
        const charge = await approvedCharge(trial, FOLLOWED[type]);
        const question = charge.question(type);
        breakNext();
        turnAway(way);
        assert.equal((await trial.asks(question)).kind, "unanswered", `${type}, ${way}`);
        await behave();
        await assertDoneOnce(trial, charge, question);
      }
  });
}

export function repeatedChargeRules(rule: Rule): void {
  rule("a charge whose connection broke and whose repeat is declined is taken back", "answers", async (trial) => {
    const { breakOff, ways, turnAway, behave } = trial.need(trial.subject.repeats);
    const balance = trial.need(trial.subject.balance);
    const breakNext = trial.need(breakOff);
    for (const way of ways)
      for (const type of ["sale", "auth"] as const) {
        const charge = trial.question(type);
        breakNext();
        turnAway(way);
        assert.equal((await trial.charge(charge)).kind, "unanswered", `${type}, ${way}`);
        await behave();
        assert.deepEqual(await trial.timeoutReversal(timeoutReversalQuestion(charge)), { kind: "confirmed" });
        assert.equal(await balance(charge.transactionId), 0n);
      }
  });

  rule(
    "whatever reversals are turned away with, they are confirmed once the money is free",
    "answers",
    async (trial) => {
      const repeats = trial.need(trial.subject.repeats);
      const balance = trial.need(trial.subject.balance);
      for (const way of repeats.ways) {
        const charge = await lostSale(trial, repeats);
        repeats.turnAway(way);
        const question = timeoutReversalQuestion(charge);
        for (let time = 1; time <= 3; time++)
          if ((await trial.timeoutReversal(question)).kind === "confirmed")
            assert.equal(await balance(charge.transactionId), 0n, way);
        await repeats.behave();
        assert.deepEqual(await trial.timeoutReversal(question), { kind: "confirmed" });
        assert.equal(await balance(charge.transactionId), 0n);
      }
    },
  );
}

/** It was carried out, and not answered. */
async function lostSale(trial: Trial, { lose, behave }: Repeats): Promise<ChargeQuestion> {
  for (const deadlineMs of LOST_CHARGE_MS) {
    const charge = trial.question("sale");
    lose("sale", "carried out");
    const { kind } = await trial.charge(charge, deadlineMs);
    await behave();
    if (kind === "unanswered") return charge;
  }
  return assert.fail("no sale was sent");
}

const isPossible = ({ processor }: Trial, type: FollowUpType): boolean =>
  type !== "refund" || processor.capabilities.refundBeforeSettlement;

function assertInDoubt(type: FollowUpType, answer: Answer, way: string): void {
  assert.equal(followsFrom("repeat", type, answer), "in-doubt", `${type}, ${way}: ${inspect(answer)}`);
}

async function assertDoneOnce(trial: Trial, charge: ChargeToFollow, question: FollowUpQuestion): Promise<void> {
  for (let repeats = 0; repeats < 2; repeats++) responseOf(await trial.followUp(question), "approved");
  const { balance } = trial.subject;
  if (typeof balance !== "function") return;
  assert.equal(await balance(charge.transactionId), question.type === "capture" ? question.amount : 0n);
}
