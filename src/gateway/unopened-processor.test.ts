import assert from "node:assert/strict";
import { test } from "node:test";
import { chargeQuestion } from "../../test/conformance/questions.ts";
import { unopenedProcessor } from "./unopened-processor.ts";

const SIGNAL = AbortSignal.timeout(60_000);

test("nothing is sent to a processor whose secrets cannot be opened, and each answer says why", async () => {
  const why = "secrets of its record cannot be opened: secret_key, webhook_secret";
  const processor = unopenedProcessor({}, { settings: {} }, why);
  const question = chargeQuestion("sale");
  for (const answer of [
    await processor.charge(question, SIGNAL),
    await processor.timeoutReversal({ ...question, type: "sale" }, SIGNAL),
  ])
    assert.deepEqual(answer, { kind: "not-sent", why });
  await assert.rejects(async () => processor.receive?.({ headers: {}, body: Buffer.alloc(0) }), { message: why });
  assert.deepEqual(await processor.health(SIGNAL), { reachable: false, detail: why });
});

test("whether its follow-ups need the card number is known without its secrets", () => {
  const kind = { cardNumberSetting: "card_number_in_follow_ups" };
  for (const keeps of [true, false]) {
    const settings = { card_number_in_follow_ups: keeps };
    assert.equal(unopenedProcessor(kind, { settings }, "no master key").keepsCardNumber, keeps);
  }
});
