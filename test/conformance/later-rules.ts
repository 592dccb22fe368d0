// Conformance: what is accepted now and ends later, inquiries, and notifications.

import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { ChargeQuestion, FollowUpQuestion, InquiryQuestion } from "../../src/processors/processor.ts";
import { assertProcessorResponse, responseOf } from "./processor-response.ts";
import { followUpQuestion } from "./questions.ts";
import type { Rule, Trial } from "./rule.ts";

const about = ({ type, reference, transactionId, amount, currency }: ChargeQuestion | FollowUpQuestion) =>
  ({ type, reference, transactionId, amount, currency }) satisfies InquiryQuestion;

/** A sale and what may follow one, and how each is asked. */
function everyQuestion(trial: Trial) {
  const sale = trial.question("sale");
  const followUps = (["capture", "void", "refund"] as const).map((type) => followUpQuestion(type, sale, null));
  return [
    { question: sale, ask: (deadlineMs?: number) => trial.charge(sale, deadlineMs) },
    ...followUps.map((question) => ({
      question,
      ask: (deadlineMs?: number) => trial.followUp(question, deadlineMs),
    })),
  ];
}

export function laterRules(rule: Rule): void {
  rule("what is accepted is pending, however often it is asked or inquired about", "accepts", async (trial) => {
    for (const { question, ask } of everyQuestion(trial))
      for (let time = 1; time <= 2; time++) {
        const [answer, found] = [await ask(), await trial.inquire(about(question))];
        assert.ok(answer.kind === "pending" && answer.why !== "", inspect(answer));
        assert.equal(found.kind, "pending");
      }
  });

  rule("what was accepted has the end that it was given", "accepts", async (trial) => {
    const later = trial.need(trial.subject.later);
    for (const how of ["approved", "declined"] as const)
      for (const { question, ask } of everyQuestion(trial)) {
        await ask();
        later.end(question.reference, how);
        for (let time = 1; time <= 2; time++)
          assertProcessorResponse(responseOf(await trial.inquire(about(question)), how));
      }
  });

  rule("an inquiry tells the answer that was given, and the answer that was lost", "answers", async (trial) => {
    trial.need(trial.subject.later);
    const sale = trial.question("sale");
    const given = responseOf(await trial.charge(sale), "approved");
    assert.equal(responseOf(await trial.inquire(about(sale)), "approved").transactionId, given.transactionId);
    const declined = trial.question("sale", {}, "declinedCard");
    await trial.charge(declined);
    responseOf(await trial.inquire(about(declined)), "declined");
  });

  rule("silence is cleared up by an inquiry", "answers inquiries only", async (trial) => {
    for (const { question, ask } of everyQuestion(trial)) {
      assert.equal((await ask(100)).kind, "unanswered");
      responseOf(await trial.inquire(about(question)), "approved");
    }
  });

  rule("of what never came it has never heard, and a silent inquiry is no answer", "answers", async (trial) => {
    trial.need(trial.subject.later);
    for (const { question } of everyQuestion(trial))
      assert.deepEqual(await trial.inquire(about(question)), { kind: "unknown" });
    assert.notEqual((await trial.inquire(about(trial.question("sale")), 0)).kind, "unknown");
  });

  rule(
    "a genuine notification tells what it is about, and is the same when it comes again",
    "answers",
    async (trial) => {
      const later = trial.need(trial.subject.later);
      const sale = trial.question("sale");
      await trial.charge(sale);
      for (const [tells, news] of [
        ["approved", "succeeded"],
        ["declined", "failed"],
      ] as const) {
        const message = later.notification(sale.reference, tells);
        const received = await trial.receive(message);
        assert.ok(received.kind === "genuine", inspect(received));
        const [one] = received.notifications;
        assert.ok(one && one.id.length > 0 && one.id.length <= 255);
        assert.deepEqual(
          [one.about, one.news.kind],
          [{ transactionId: sale.transactionId, reference: sale.reference }, news],
        );
        if (one.news.kind === "succeeded" || one.news.kind === "failed")
          assertProcessorResponse(one.news.processorResponse);
        assert.deepEqual(await trial.receive(message), received);
      }
    },
  );

  rule("one byte more or less, or no signature, and a notification is forged", "answers", async (trial) => {
    const later = trial.need(trial.subject.later);
    const message = later.notification(trial.question("sale").reference, "approved");
    const { headers, body } = message;
    for (const forged of [
      { headers, body: Buffer.concat([body, Buffer.from(" ")]) },
      { headers, body: body.subarray(0, -1) },
      { headers: {}, body },
      { headers: Object.fromEntries(Object.keys(headers).map((name) => [name, "x"])), body },
    ])
      assert.equal((await trial.receive(forged)).kind, "forged");
  });
}
