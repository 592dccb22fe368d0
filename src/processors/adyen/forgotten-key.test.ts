// A follow-up that is asked for again after Adyen may have forgotten its key. A partial refund could go out twice.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AdyenHost } from "../../../hosts/adyen/host.ts";
import { ACCOUNT, openAdyen, testAdyenHost } from "../../../test/conformance/adyen-subject.ts";
import { chargeQuestion, followUpQuestion } from "../../../test/conformance/questions.ts";
import { amountOf } from "../../payment/money.ts";
import type { Processor } from "../processor.ts";

const HOUR_MS = 3_600_000;
let host: AdyenHost;
let aheadMs = 0;
let processor: Processor;

before(async () => {
  host = await testAdyenHost();
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  processor = openAdyen({ ...ACCOUNT, base_url: host.baseUrl, capture_delay_hours: 0 }, "USD", clock);
});

after(async () => {
  await processor.close();
  await host.stop();
});

const soon = () => AbortSignal.timeout(10_000);

async function refundOfPart() {
  const charge = chargeQuestion("sale");
  const answer = await processor.charge(charge, soon());
  assert.ok(answer.kind === "approved", JSON.stringify(answer));
  const settlement = { cutoffAt: new Date(), settledAt: new Date(), visibleAt: new Date() };
  const captures = [{ left: amountOf(1000n), settlement }];
  return { charge, refund: followUpQuestion("refund", charge, answer.processorResponse, { minor: 400n, captures }) };
}

test("for six days a refund is asked for again under its key", async () => {
  const { charge, refund } = await refundOfPart();
  aheadMs = 143 * HOUR_MS;
  assert.match(JSON.stringify(await processor.followUp(refund, soon())), /received as/);
  aheadMs = 0;
  assert.equal(host.balance(charge.transactionId), 600);
});

test("after six days it is not sent, and waits for Adyen to tell its end", async () => {
  const { charge, refund } = await refundOfPart();
  aheadMs = 145 * HOUR_MS;
  const answer = await processor.followUp(refund, soon());
  aheadMs = 0;
  assert.deepEqual(answer, {
    kind: "pending",
    why: "not repeated after six days: look for its reference in the Customer Area",
  });
  assert.equal(host.balance(charge.transactionId), 1000);
});
