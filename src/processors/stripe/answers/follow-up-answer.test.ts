// What Stripe's objects say of a capture and of a refund: a capture is one that the payment names and has received.

import assert from "node:assert/strict";
import { test } from "node:test";
import { stripePayment } from "../../../../test/fixtures/stripe-payment.ts";
import type { PaymentIntent, Refund } from "../objects.ts";
import { captureAnswer, refundAnswer, voidAnswer } from "./follow-up-answer.ts";

const [FIRST, SECOND] = [1, 2].map((nth) => `019e2f3a-0000-7000-8000-00000000000${nth}`) as [string, string];

const payment = (metadata: Readonly<Record<string, string>>, over: Partial<PaymentIntent> = {}) =>
  stripePayment({ metadata: { faregate_reference: FIRST, faregate_transaction: SECOND, ...metadata }, ...over });

for (const [rule, given, expected] of [
  ["one that is named and received is done", payment({ [FIRST]: "1000" }), "approved"],
  ["so are two, of which all was received", payment({ [FIRST]: "400", [SECOND]: "600" }), "approved"],
  ["one that is not named is none", payment({ [SECOND]: "400" }), undefined],
  [
    "where less was received than the captures that are named, nobody knows which of them it was",
    payment({ [FIRST]: "400", [SECOND]: "600" }, { amount_received: 400 }),
    "unanswered",
  ],
  [
    "what another program noted beside it is no capture",
    payment({ [FIRST]: "400", order: "600", [SECOND]: "6e2" }, { amount_received: 400 }),
    "approved",
  ],
  [
    "one that leaves the rest authorized is done",
    payment({ [FIRST]: "400" }, { status: "requires_capture", amount_received: 400, amount_capturable: 600 }),
    "approved",
  ],
  [
    "one that is processing ends later",
    payment({ [FIRST]: "1000" }, { status: "processing", amount_received: 0 }),
    "pending",
  ],
  [
    "one that was received is done, although the rest was canceled since",
    payment({ [FIRST]: "400" }, { status: "canceled", amount_received: 400 }),
    "approved",
  ],
  [
    "one that a canceled payment names and has not received is not known",
    payment({ [FIRST]: "1000" }, { status: "canceled", amount_received: 0 }),
    "unanswered",
  ],
] as const)
  test(`of captures: ${rule}`, () => assert.equal(captureAnswer(given, FIRST)?.kind, expected));

test("a void is done where the payment is canceled, and nowhere else", () => {
  for (const [status, expected] of [
    ["canceled", "approved"],
    ["succeeded", undefined],
    ["requires_capture", undefined],
    ["processing", undefined],
  ] as const)
    assert.equal(voidAnswer(payment({}, { status }))?.kind, expected, status);
});

// https://docs.stripe.com/api/refunds/object
for (const [status, failure_reason, expected] of [
  ["succeeded", null, "approved"],
  ["pending", null, "pending"],
  ["requires_action", null, "pending"],
  ["failed", "lost_or_stolen_card", "declined do-not-retry"],
  ["failed", "expired_or_canceled_card", "declined do-not-retry"],
  ["failed", "unknown", "declined refused"],
  ["canceled", null, "declined refused"],
  ["SUCCEEDED", null, "undecided"],
  ["something_new", null, "undecided"],
  [null, null, "undecided"],
] as const)
  test(`a refund that is ${status}${failure_reason ? ` (${failure_reason})` : ""}: ${expected}`, () => {
    const refund: Refund = {
      id: "re_1",
      object: "refund",
      amount: 400,
      currency: "usd",
      status,
      failure_reason,
      metadata: {},
    };
    const answer = refundAnswer(refund);
    assert.equal(answer.kind === "declined" ? `declined ${answer.category}` : answer.kind, expected);
  });
