// A void of a payment that was captured or refunded in part. Adyen has nothing that takes back the rest of it: a reversal there is of all of it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AdyenHost } from "../../../hosts/adyen/host.ts";
import { ACCOUNT, openAdyen, testAdyenHost } from "../../../test/conformance/adyen-subject.ts";
import { chargeQuestion, followUpQuestion } from "../../../test/conformance/questions.ts";
import { amountOf } from "../../payment/money.ts";
import type { Processor } from "../processor.ts";

let host: AdyenHost;
let processor: Processor;

before(async () => {
  host = await testAdyenHost();
  processor = openAdyen({ ...ACCOUNT, base_url: host.baseUrl, capture_delay_hours: 0 });
});

after(async () => {
  await processor.close();
  await host.stop();
});

const soon = () => AbortSignal.timeout(10_000);
const partOf = (minor: bigint) => {
  const settlement = { cutoffAt: new Date(), settledAt: new Date(), visibleAt: new Date() };
  return { left: amountOf(minor), settlement };
};

async function approvedSale() {
  const charge = chargeQuestion("sale");
  const answer = await processor.charge(charge, soon());
  assert.ok(answer.kind === "approved", JSON.stringify(answer));
  return { charge, response: answer.processorResponse };
}

const reversalsOf = (transactionId: string) =>
  host
    .items()
    .filter((item) => item.merchantReference.startsWith(transactionId) && item.eventCode === "CANCEL_OR_REFUND");

test("the void is declined, nothing is reversed, and the rest can be refunded", async () => {
  const { charge, response } = await approvedSale();
  const captures = [partOf(1000n)];
  const refund = followUpQuestion("refund", charge, response, { minor: 400n, captures });
  assert.equal((await processor.followUp(refund, soon())).kind, "pending");
  const left = { minor: 600n, captures: [partOf(600n)] };
  const answer = await processor.followUp(followUpQuestion("void", charge, response, left), soon());
  assert.ok(answer.kind === "declined", JSON.stringify(answer));
  assert.deepEqual(
    [answer.category, answer.processorResponse.message],
    ["wrong-state", "REFUNDED IN PART: REFUND THE REST INSTEAD"],
  );
  assert.deepEqual(reversalsOf(charge.transactionId), []);
  assert.equal(host.balance(charge.transactionId), 600);
  await processor.followUp(followUpQuestion("refund", charge, response, left), soon());
  assert.equal(host.balance(charge.transactionId), 0);
});

test("what is left of an authorization whose captures were refunded is not cancelled: Adyen cancels whole payments", async () => {
  const charge = chargeQuestion("auth");
  const answer = await processor.charge(charge, soon());
  assert.ok(answer.kind === "approved", JSON.stringify(answer));
  const left = { minor: 400n, uncaptured: 400n, captures: [] };
  const said = await processor.followUp(followUpQuestion("void", charge, answer.processorResponse, left), soon());
  assert.ok(said.kind === "declined", JSON.stringify(said));
  assert.equal(said.processorResponse.message, "CAPTURED IN PART: WHAT IS LEFT LAPSES");
  assert.equal(host.items().filter(({ eventCode }) => eventCode === "CANCELLATION").length, 0);
});

test("one of which nothing was refunded is reversed whole", async () => {
  const { charge, response } = await approvedSale();
  const whole = followUpQuestion("void", charge, response, { captures: [partOf(1000n)] });
  assert.equal((await processor.followUp(whole, soon())).kind, "pending");
  assert.deepEqual(
    reversalsOf(charge.transactionId).map(({ success }) => success),
    ["true"],
  );
  assert.equal(host.balance(charge.transactionId), 0);
});
