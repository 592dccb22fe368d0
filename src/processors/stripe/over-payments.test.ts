// What became of a capture or void whose first sending got no answer, once its payment was captured, canceled or expired at Stripe itself: the
// payment shows it.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Host } from "../../../hosts/stripe/host.ts";
import type { Misconduct } from "../../../hosts/stripe/misbehaviour.ts";
import type { ByItself } from "../../../hosts/stripe/service.ts";
import { responseOf } from "../../../test/conformance/processor-response.ts";
import { chargeQuestion, followUpInquiry, followUpQuestion } from "../../../test/conformance/questions.ts";
import { openStripe, stripeSettings, testHost } from "../../../test/conformance/stripe-subject.ts";
import type { FollowUpType } from "../../payment/transaction.ts";
import type { Processor } from "../processor.ts";

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

/** A follow-up of an authorization of 10.00 whose answer is lost. */
async function lost(type: FollowUpType, what: Misconduct, minor = 1000n) {
  const charge = chargeQuestion("auth", { number: "4242424242424242" });
  const response = responseOf(await processor.charge(charge, soon()), "approved");
  const question = followUpQuestion(type, charge, response, { minor, uncaptured: 1000n });
  host.misbehave({ what, on: [type === "void" ? "cancel" : "capture"], times: 1 });
  assert.equal((await processor.followUp(question, soon())).kind, "unanswered");
  await host.behave();
  return {
    charge,
    inquire: () => processor.inquire?.(followUpInquiry(charge, question), soon()),
    repeat: () => processor.followUp(question, soon()),
  };
}

for (const does of ["cancel", "expire", "capture"] as const satisfies readonly ByItself[])
  for (const [what, minor] of [
    ["disconnect-before", 1000n],
    ["error-before", 1000n],
    ["disconnect-before", 400n],
  ] as const)
    test(`a capture of ${minor} that never came (${what}) is declined once Stripe has done ${does}`, async () => {
      const { charge, inquire } = await lost("capture", what, minor);
      assert.equal((await inquire())?.kind, "unknown");
      host.byItself(charge.transactionId, does);
      const answer = await inquire();
      assert.ok(answer?.kind === "declined", JSON.stringify(answer));
      assert.match(answer.processorResponse.message, /^NOT CAPTURED: THE PAYMENT IS (CANCELED|SUCCEEDED)$/);
    });

test("after a capture in the dashboard of a part, which is the last one, too", async () => {
  const { charge, inquire } = await lost("capture", "disconnect-before", 400n);
  host.byItself(charge.transactionId, "capture", 300);
  assert.equal((await inquire())?.kind, "declined");
});

for (const does of ["cancel", "expire"] as const)
  test(`a capture of a part that was carried out is approved, although Stripe has done ${does} since`, async () => {
    const { charge, inquire, repeat } = await lost("capture", "disconnect-after", 400n);
    host.byItself(charge.transactionId, does);
    assert.equal((await inquire())?.kind, "approved");
    assert.equal((await repeat()).kind, "approved");
    assert.equal(host.ledger.state.balance(charge.transactionId), 400);
  });

test("a void that never came is declined for good once all was captured at Stripe: the refusal of its repeat shows the payment", async () => {
  const { charge, repeat } = await lost("void", "disconnect-before");
  host.byItself(charge.transactionId, "capture");
  const answer = await repeat();
  assert.ok(answer.kind === "declined" && answer.isFirstAnswer, JSON.stringify(answer));
});

test("a void that was carried out is approved although its repeat is refused", async () => {
  const { inquire, repeat } = await lost("void", "disconnect-after");
  assert.equal((await inquire())?.kind, "approved");
  assert.equal((await repeat()).kind, "approved");
});
