// Conformance: what is accepted now and ends later, inquiries, and notifications.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { inspect } from "node:util";
import type { ProcessorResponse } from "../../src/payment/outcome.ts";
import type { ChargeType, EventType, FollowUpType } from "../../src/payment/transaction.ts";
import type { Answer, ChargeQuestion, IncomingMessage, InquiryAnswer } from "../../src/processors/processor.ts";
import { assertProcessorResponse, responseOf } from "./processor-response.ts";
import { type FollowUpGiven, followUpInquiry, followUpQuestion, inquiryQuestion } from "./questions.ts";
import type { Rule, Trial } from "./rule.ts";

interface Asked {
  readonly type: EventType;
  readonly reference: string;
  ask(): Promise<Answer>;
  inquire(): Promise<InquiryAnswer>;
}

const FOLLOWED: Readonly<Record<FollowUpType, ChargeType>> = { capture: "auth", void: "auth", refund: "sale" };

const TOLD = [
  ["approved", "succeeded"],
  ["declined", "failed"],
] as const;

/** A sale, and each follow-up of a charge of its own that stands. */
async function everyQuestion(trial: Trial, answer = answered): Promise<readonly Asked[]> {
  const sale = trial.question("sale");
  const asked: Asked[] = [
    {
      type: sale.type,
      reference: sale.reference,
      ask: () => trial.charge(sale),
      inquire: () => trial.inquire(inquiryQuestion(sale)),
    },
  ];
  for (const type of ["capture", "void", "refund"] as const) {
    const charge = trial.question(FOLLOWED[type]);
    const question = followUpQuestion(
      type,
      charge,
      await approved(trial, charge, answer),
      moneyOf(type, charge.amount),
    );
    asked.push({
      type,
      reference: question.reference,
      ask: () => trial.followUp(question),
      inquire: () => trial.inquire(followUpInquiry(charge, question)),
    });
  }
  return asked;
}

const moneyOf = (type: FollowUpType, amount: bigint): FollowUpGiven =>
  type === "refund" ? {} : { uncaptured: amount };

async function whatIsAccepted(trial: Trial): Promise<readonly Asked[]> {
  const { accepted } = trial.need(trial.subject.later);
  const asked = (await everyQuestion(trial)).filter(({ type }) => accepted.includes(type));
  assert.ok(asked.length > 0, "something can be accepted");
  return asked;
}

/** The response of this charge, which stands in the end: at once, or when it is told so. */
async function approved(trial: Trial, charge: ChargeQuestion, answer: typeof answered): Promise<ProcessorResponse> {
  const inquire = () => trial.inquire(inquiryQuestion(charge));
  const found = await answer(() => trial.charge(charge), inquire);
  if (found.kind !== "pending") return responseOf(found, "approved");
  trial.need(trial.subject.later).end(charge.reference, "approved");
  return responseOf(await inquire(), "approved");
}

/** The answer to what was asked. */
const answered = (ask: () => Promise<Answer>, _inquire: () => Promise<InquiryAnswer>): Promise<InquiryAnswer> => ask();

/** Of what is asked and not answered, what an inquiry says as soon as it knows. `asked` ends when the processor is closed. */
async function foundOut(
  asked: Promise<Answer>[],
  ask: () => Promise<Answer>,
  inquire: () => Promise<InquiryAnswer>,
): Promise<InquiryAnswer> {
  asked.push(ask());
  for (let look = 0; look < MOST_LOOKS; look++) {
    const found = await inquire();
    if (found.kind === "approved") return found;
    await pause(20);
  }
  return { kind: "unknown" };
}

const MOST_LOOKS = 200;

export function laterRules(rule: Rule): void {
  rule("what is accepted is pending, however often it is asked or inquired about", "accepts", async (trial) => {
    trial.needInquiries();
    for (const { ask, inquire } of await whatIsAccepted(trial))
      for (let time = 1; time <= 2; time++) {
        const [answer, found] = [await ask(), await inquire()];
        assert.ok(answer.kind === "pending" && answer.why !== "", inspect(answer));
        assert.equal(found.kind, "pending");
      }
  });

  rule("what was accepted has the end that it was given", "accepts", async (trial) => {
    trial.needInquiries();
    const later = trial.need(trial.subject.later);
    for (const how of ["approved", "declined"] as const)
      for (const { reference, ask, inquire } of await whatIsAccepted(trial)) {
        await ask();
        later.end(reference, how);
        for (let time = 1; time <= 2; time++) assertProcessorResponse(responseOf(await inquire(), how));
      }
  });

  rule("an inquiry tells the answer that was given, and the answer that was lost", "answers", async (trial) => {
    trial.needInquiries();
    trial.need(trial.subject.later);
    const sale = trial.question("sale");
    const given = responseOf(await trial.charge(sale), "approved");
    assert.equal(responseOf(await trial.inquire(inquiryQuestion(sale)), "approved").transactionId, given.transactionId);
    const declined = trial.question("sale", {}, "declinedCard");
    await trial.charge(declined);
    responseOf(await trial.inquire(inquiryQuestion(declined)), "declined");
  });

  rule("silence is cleared up by an inquiry", "answers inquiries only", async (trial) => {
    trial.needInquiries();
    const asked: Promise<Answer>[] = [];
    const answer: typeof answered = (ask, inquire) => foundOut(asked, ask, inquire);
    for (const { ask, inquire } of await everyQuestion(trial, answer))
      responseOf(await answer(ask, inquire), "approved");
    await trial.processor.close();
    for (const { kind } of await Promise.all(asked)) assert.equal(kind, "unanswered");
  });

  rule("of what never came it has never heard, and a silent inquiry is no answer", "answers", async (trial) => {
    trial.needInquiries();
    trial.need(trial.subject.later);
    for (const { inquire } of await everyQuestion(trial)) assert.deepEqual(await inquire(), { kind: "unknown" });
    assert.notEqual((await trial.inquire(inquiryQuestion(trial.question("sale")), 0)).kind, "unknown");
  });

  rule("what was accepted has the end that its notification tells", "answers", async (trial) => {
    const later = trial.need(trial.subject.later);
    const sale = trial.question("sale");
    const refund = followUpQuestion("refund", sale, responseOf(await trial.charge(sale), "approved"));
    await trial.followUp(refund);
    for (const [tells, news] of TOLD) {
      const received = await trial.receive(later.notification(refund.reference, tells));
      assert.ok(received.kind === "genuine", inspect(received));
      const [one] = received.notifications;
      assert.deepEqual([one?.about?.reference, one?.news.kind], [refund.reference, news]);
    }
  });

  rule(
    "a genuine notification tells what it is about, and is the same when it comes again",
    "answers",
    async (trial) => {
      const later = trial.need(trial.subject.later);
      const sale = trial.question("sale");
      await trial.charge(sale);
      for (const [tells, news] of TOLD) {
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

  rule(
    "a byte more or less in what is signed, or no signature, and a notification is forged",
    "answers",
    async (trial) => {
      const later = trial.need(trial.subject.later);
      const message = later.notification(trial.question("sale").reference, "approved");
      const forgeries = later.forgeries?.(message) ?? everyByteOf(message);
      assert.ok(forgeries.length > 3);
      for (const forged of forgeries)
        assert.equal((await trial.receive(forged)).kind, "forged", forged.body.toString());
    },
  );
}

const everyByteOf = ({ headers, body }: IncomingMessage): readonly IncomingMessage[] => [
  { headers, body: Buffer.concat([body, Buffer.from(" ")]) },
  { headers, body: body.subarray(0, -1) },
  { headers: {}, body },
  { headers: Object.fromEntries(Object.keys(headers).map((name) => [name, "x"])), body },
];
