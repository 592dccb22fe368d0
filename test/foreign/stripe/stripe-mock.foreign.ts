// Every request of the Stripe kind, at Stripe's own mock server: none is one that the published document does not have.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { v7 as uuidv7 } from "uuid";
import { systemClock } from "../../../src/clock.ts";
import { amountOf } from "../../../src/payment/money.ts";
import { Secret } from "../../../src/payment/secret.ts";
import { NOTHING_CHECKED } from "../../../src/payment/verification.ts";
import type { Processor } from "../../../src/processors/processor.ts";
import { balanceTransactions } from "../../../src/processors/stripe/report/balance-transactions.ts";
import {
  chargeQuestion,
  followUpInquiry,
  followUpQuestion,
  inquiryQuestion,
  timeoutReversalQuestion,
} from "../../conformance/questions.ts";
import { simulatorRecord } from "../../conformance/simulator-record.ts";
import { openStripe, stripeSettings } from "../../conformance/stripe-subject.ts";
import { everyCharge, everyTokenCharge } from "../charges.ts";
import { type Exchange, type StripeMock, startStripeMock } from "./mock.ts";

let mock: StripeMock;
let processor: Processor;
const soon = () => AbortSignal.timeout(30_000);

before(async () => {
  mock = await startStripeMock();
  processor = openStripe(stripeSettings(mock.port));
});
after(async () => {
  await processor?.close();
  await mock?.stop();
});
beforeEach(() => mock.take());

/** @param least requests that these are */
function allTaken(least: readonly RegExp[]): readonly Exchange[] {
  const exchanges = mock.take();
  for (const { asked, body, status, answer } of exchanges) assert.equal(status, 200, `${asked}\n${body}\n${answer}`);
  for (const one of least)
    assert.ok(
      exchanges.some(({ asked }) => one.test(asked)),
      `${one} among ${exchanges.map(({ asked }) => asked).join(", ")}`,
    );
  return exchanges;
}

const CHARGE = [/^POST \/v1\/payment_intents$/, /^POST \/v1\/payment_methods$/, /^POST .*\/confirm$/];

for (const currency of ["USD", "JPY", "KWD"])
  for (const [what, question] of everyCharge(currency))
    test(`a charge in ${currency} with ${what}`, async () => {
      await processor.charge(question, soon());
      allTaken(CHARGE);
    });

const OWN = { token: "pm_1NxYzABC", customer: "cus_9s6XKzkNRiz8i3" };
const TOKEN_CHARGE = [/^POST \/v1\/payment_intents$/, /^POST \/v1\/payment_intents\/[^/]+$/, /^POST .*\/confirm$/];

for (const [what, question] of everyTokenCharge(OWN))
  test(`a charge of a card that Stripe keeps, with ${what}`, async () => {
    await processor.charge(question, soon());
    const exchanges = allTaken(TOKEN_CHARGE);
    assert.ok(!exchanges.some(({ asked }) => asked.endsWith("/payment_methods")), "no card is sent");
    assert.ok(exchanges.some(({ body }) => body.includes(OWN.customer)));
    assert.ok(exchanges.some(({ body }) => body.includes(OWN.token)));
  });

test("what card a token stands for, with and without its customer", async () => {
  const token = new Secret("processor token", OWN.token);
  for (const customer of [OWN.customer, undefined]) await processor.describeToken?.({ token, customer }, soon());
  allTaken([/^GET \/v1\/payment_methods\/pm_1NxYzABC$/]);
});

const RESPONSE = { code: "00", message: "", transactionId: "pi_123", authCode: null, ...NOTHING_CHECKED };
const settlement = { cutoffAt: new Date(), settledAt: new Date(), visibleAt: new Date() };
const AUTH = chargeQuestion("auth");

for (const [what, question, least] of [
  ["a capture", followUpQuestion("capture", AUTH, RESPONSE), /\/capture$/],
  ["a capture of a part", followUpQuestion("capture", AUTH, RESPONSE, { minor: 400n }), /\/capture$/],
  ["a void of what is held", followUpQuestion("void", AUTH, RESPONSE), /\/cancel$/],
  [
    "a void of what was captured",
    followUpQuestion("void", AUTH, RESPONSE, { captures: [{ left: amountOf(1000n), settlement }] }),
    /^POST \/v1\/refunds$/,
  ],
  ["a refund", followUpQuestion("refund", AUTH, RESPONSE, { minor: 300n }), /^POST \/v1\/refunds$/],
  ["a capture of a charge without an id", followUpQuestion("capture", AUTH, null), /\/search\?/],
] as const)
  test(what, async () => {
    await processor.followUp({ ...question, requestId: uuidv7() }, soon());
    allTaken([least]);
  });

test("inquiries about a charge and about what followed it, also of an old one, which is searched for", async () => {
  const inYears = { ...systemClock, now: () => new Date(Date.now() + 3 * 86_400_000) };
  const later = openStripe(stripeSettings(mock.port), "USD", inYears);
  const charge = chargeQuestion("sale");
  await processor.inquire?.(inquiryQuestion(charge), soon());
  await later.inquire?.(inquiryQuestion(charge), soon());
  for (const type of ["capture", "void", "refund"] as const)
    await processor.inquire?.(followUpInquiry(AUTH, followUpQuestion(type, AUTH, RESPONSE)), soon());
  await later.close();
  allTaken([/^GET .*\/search\?/, /^GET \/v1\/payment_intents\/pi_123\?/, /^GET \/v1\/refunds\?/]);
});

test("a reversal of a charge whose answer was lost", async () => {
  await processor.timeoutReversal(timeoutReversalQuestion(chargeQuestion("sale")), soon());
  allTaken([/\/cancel$/]);
});

test("whose payment a dispute is about, health, and the check of an account", async () => {
  await processor.whose?.("pi_123", soon());
  assert.deepEqual(await processor.health(soon()), { reachable: true, detail: "HTTP 200" });
  await processor.check?.(soon());
  allTaken([/^GET \/v1\/account$/, /^GET \/v1\/balance$/, /^POST \/v1\/payment_methods$/]);
});

test("the balance transactions of a day and of a payout", async () => {
  const record = { ...simulatorRecord(stripeSettings(mock.port), "USD"), kind: "stripe" };
  for (const asked of [{ day: "2026-11-01" }, { payout: "po_123" }])
    for await (const lines of balanceTransactions.ask?.(record, asked, soon()) ?? []) assert.ok(lines.length > 0);
  allTaken([/created/, /payout/]);
});

test("the mock server declines what the document does not have: a parameter, a path, a word", async () => {
  const post = async (path: string, body: string) => {
    const headers = { authorization: "Bearer sk_test_123", "content-type": "application/x-www-form-urlencoded" };
    return (await fetch(`http://127.0.0.1:${mock.port}${path}`, { method: "POST", headers, body })).status;
  };
  const confirm = "/v1/payment_intents/pi_123/confirm";
  assert.equal(await post(confirm, "payment_method=pm_123"), 200);
  assert.equal(
    await post(confirm, "payment_method_data[type]=card&payment_method_data[card][number]=4242424242424242"),
    400,
  );
  assert.equal(await post("/v1/payment_intents", "amount=1000&currency=usd&capture_method=never"), 400);
  assert.equal(await post("/v1/no_such_thing", "amount=1000"), 404);
});
