// A void of an authorization of which a part is captured: two operations at Stripe, each of which may fail.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Host } from "../../../hosts/stripe/host.ts";
import { chargeQuestion, followUpInquiry, followUpQuestion } from "../../../test/conformance/questions.ts";
import { openStripe, stripeSettings, testHost } from "../../../test/conformance/stripe-subject.ts";
import { PROCESSOR_RESPONSE } from "../../../test/transactions.ts";
import type { CardChargeQuestion, Processor } from "../processor.ts";

let host: Host;
let processor: Processor;

before(async () => {
  host = await testHost();
  processor = openStripe(stripeSettings(host.port));
});

after(async () => {
  await processor.close();
  await host.stop();
});

beforeEach(() => host.behave());

const soon = () => AbortSignal.timeout(5_000);
const balance = ({ transactionId }: CardChargeQuestion) => host.ledger.state.balance(transactionId);

/** The void of an authorization of which 400 of 1000 are captured. */
async function voidOfPartlyCaptured() {
  const charge = chargeQuestion("auth", { number: "4242424242424242" });
  const answer = await processor.charge(charge, soon());
  assert.ok(answer.kind === "approved", JSON.stringify(answer));
  const { processorResponse } = answer;
  const capture = followUpQuestion("capture", charge, processorResponse, { minor: 400n, uncaptured: 1000n });
  assert.equal((await processor.followUp(capture, soon())).kind, "approved");
  const settlement = { cutoffAt: new Date(), settledAt: new Date(), visibleAt: new Date() };
  const captures = [{ left: capture.amount, settlement }];
  const undo = followUpQuestion("void", charge, processorResponse, { uncaptured: 600n, captures });
  return { charge, undo };
}

test("a void of captured money is a refund, and releases the rest first", async () => {
  const { charge, undo } = await voidOfPartlyCaptured();
  const answer = await processor.followUp(undo, soon());
  assert.equal(answer.kind, "approved");
  assert.deepEqual(await processor.followUp(undo, soon()), answer);
  assert.equal(balance(charge), 0);
  assert.equal((await processor.inquire?.(followUpInquiry(charge, undo), soon()))?.kind, "approved");
});

test("a void that released the rest and whose refund got a 500 is done when it is asked again", async () => {
  const { charge, undo } = await voidOfPartlyCaptured();
  host.misbehave({ what: "error-before", on: ["refund"], times: 1 });
  assert.equal((await processor.followUp(undo, soon())).kind, "unanswered");
  assert.equal(balance(charge), 400);
  assert.equal((await processor.followUp(undo, soon())).kind, "approved");
  assert.equal(balance(charge), 0);
});

test("a void that released the rest and whose refund is turned away is unanswered, and goes on when it is asked again", async () => {
  const { charge, undo } = await voidOfPartlyCaptured();
  host.misbehave({ what: "too-many", on: ["refund"], times: 1 });
  assert.equal((await processor.followUp(undo, soon())).kind, "unanswered");
  assert.equal(balance(charge), 400);
  assert.equal((await processor.inquire?.(followUpInquiry(charge, undo), soon()))?.kind, "unknown");
  assert.equal((await processor.followUp(undo, soon())).kind, "approved");
  assert.equal(balance(charge), 0);
});

test("a void that released the rest and whose refund is refused says so", async () => {
  const { charge, undo } = await voidOfPartlyCaptured();
  const { processorTransactionId: transactionId } = undo.original;
  const refund = followUpQuestion("refund", charge, { ...PROCESSOR_RESPONSE, transactionId }, { minor: 400n });
  assert.equal((await processor.followUp(refund, soon())).kind, "approved");
  const answer = await processor.followUp(undo, soon());
  assert.ok(answer.kind === "declined", JSON.stringify(answer));
  assert.match(
    answer.processorResponse.detail ?? "",
    /^What was not captured is released, and only the refund .* refused\. \w/,
  );
  assert.equal(balance(charge), 0);
});

test("a void of which nothing left is not sent", async () => {
  const { charge, undo } = await voidOfPartlyCaptured();
  host.misbehave({ what: "too-many", on: ["cancel"], times: 1 });
  assert.equal((await processor.followUp(undo, soon())).kind, "not-sent");
  assert.equal(balance(charge), 1000);
  assert.equal((await processor.followUp(undo, soon())).kind, "approved");
});

test("a void that released the rest and got no further is not done: it goes on when it is asked again", async () => {
  const { charge, undo } = await voidOfPartlyCaptured();
  host.misbehave({ what: "disconnect-after", on: ["cancel"], times: 1 });
  assert.equal((await processor.followUp(undo, soon())).kind, "unanswered");
  assert.equal(balance(charge), 400);
  assert.equal((await processor.inquire?.(followUpInquiry(charge, undo), soon()))?.kind, "unknown");
  assert.equal((await processor.followUp(undo, soon())).kind, "approved");
  assert.equal(balance(charge), 0);
});

test("a refund that got a 500 is not asked for twice because Stripe lists what it released among the refunds", async () => {
  const charge = chargeQuestion("auth", { number: "4242424242424242" });
  const answer = await processor.charge(charge, soon());
  assert.ok(answer.kind === "approved", JSON.stringify(answer));
  const { processorResponse } = answer;
  const capture = followUpQuestion("capture", charge, processorResponse, { minor: 600n, uncaptured: 600n });
  assert.equal((await processor.followUp(capture, soon())).kind, "approved");
  // Of 600 that were captured, so that Stripe would do it twice. What it released is 400.
  const refund = followUpQuestion("refund", charge, processorResponse, { minor: 200n });
  host.misbehave({ what: "error-before", on: ["refund"], times: 1 });
  for (const _ of [1, 2]) assert.equal((await processor.followUp(refund, soon())).kind, "unanswered");
  assert.equal(balance(charge), 600);
});
