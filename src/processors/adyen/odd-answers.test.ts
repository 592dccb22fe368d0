// Answers that Adyen's host never gives: about another payment, or to a capture with another word than "received".

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { ACCOUNT, openAdyen } from "../../../test/conformance/adyen-subject.ts";
import { chargeQuestion, followUpQuestion, timeoutReversalQuestion } from "../../../test/conformance/questions.ts";
import { NOTHING_CHECKED } from "../../payment/verification.ts";
import type { Processor } from "../processor.ts";
import { written } from "./reference.ts";

let answer: object = {};
let processor: Processor;
const keys: unknown[] = [];
const server = createServer(({ headers }, response) => {
  keys.push(headers["idempotency-key"]);
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
});

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v72`;
  processor = openAdyen({ ...ACCOUNT, base_url });
});

after(async () => {
  await processor.close();
  server.close();
});

const soon = () => AbortSignal.timeout(10_000);
const CHARGE = chargeQuestion("sale");
const YES = { pspReference: "PSP1", resultCode: "Authorised" };

test("a yes to another payment, or to another amount, is none to this one", async () => {
  const [merchantReference, amount] = [written(CHARGE), { currency: "USD", value: 1000 }];
  for (const [about, expected] of [
    [{ merchantReference, amount }, "approved"],
    [{ merchantReference: written(chargeQuestion("sale")), amount }, "unanswered"],
    [{ merchantReference, amount: { currency: "USD", value: 100 } }, "unanswered"],
    [{ merchantReference, amount: { currency: "CAD", value: 1000 } }, "unanswered"],
  ] as const) {
    answer = { ...YES, ...about };
    assert.equal((await processor.charge(CHARGE, soon())).kind, expected, JSON.stringify(about));
  }
});

test("a capture, void or refund waits for its webhook once it is received, and with any other word is unanswered", async () => {
  const response = { code: "00", message: "", transactionId: "PSP1", authCode: null, ...NOTHING_CHECKED };
  for (const [status, expected] of [
    ["received", "pending"],
    ["Received", "unanswered"],
    ["refused", "unanswered"],
    [undefined, "unanswered"],
  ] as const)
    for (const type of ["capture", "void", "refund"] as const) {
      answer = { pspReference: "PSP2", status };
      const question = followUpQuestion(type, CHARGE, response);
      assert.equal((await processor.followUp(question, soon())).kind, expected, `${type} ${status}`);
    }
});

test("a reversal that is asked for again is a new one: under the first one's key Adyen would only say again what that was", async () => {
  answer = { pspReference: "PSP3", status: "received" };
  keys.length = 0;
  for (const _ of [1, 2]) await processor.timeoutReversal(timeoutReversalQuestion(CHARGE), soon());
  assert.equal(new Set(keys).size, 2);
});

test("what is captured with a delay is not refunded before it settles, and what is captured at once is", () => {
  for (const [capture_delay_hours, expected] of [
    [0, true],
    [1, false],
    [24, false],
  ] as const)
    assert.equal(openAdyen({ ...ACCOUNT, capture_delay_hours }).capabilities.refundBeforeSettlement, expected);
});
