// What a payment at Stripe says of the charge that was asked: whether it is that charge, and what each status means for it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { chargeQuestion } from "../../../../test/conformance/questions.ts";
import { stripePayment } from "../../../../test/fixtures/stripe-payment.ts";
import type { PaymentIntent } from "../objects.ts";
import { chargeAnswer } from "./charge-answer.ts";

const SALE = chargeQuestion("sale");
const AUTH = { ...SALE, type: "auth" } as const;

const payment = (over: Partial<PaymentIntent> = {}) =>
  stripePayment({ metadata: { faregate_reference: SALE.reference }, ...over });

test("a payment under another reference, in another currency or of another amount is no answer, whatever its status", () => {
  for (const status of ["succeeded", "requires_capture", "canceled", "requires_payment_method"])
    for (const other of [
      { metadata: { faregate_reference: AUTH.transactionId } },
      { metadata: {} },
      { currency: "cad" },
      { amount: 999 },
      { amount: 100_000 },
    ])
      assert.equal(chargeAnswer(payment({ status, ...other }), SALE).kind, "unanswered", JSON.stringify(other));
});

const DECLINED = { type: "card_error", code: "card_declined", decline_code: "lost_card" };

for (const [status, over, ofSale, ofAuth] of [
  ["succeeded", {}, "approved", "approved"],
  // Its money is only held.
  ["requires_capture", {}, "unanswered", "approved"],
  ["processing", {}, "pending", "pending"],
  ["requires_action", {}, "action-required", "action-required"],
  ["requires_payment_method", {}, "unknown", "unknown"],
  ["requires_confirmation", {}, "unknown", "unknown"],
  ["requires_payment_method", { last_payment_error: DECLINED }, "declined do-not-retry", "declined do-not-retry"],
  ["canceled", { cancellation_reason: "abandoned" }, "declined wrong-state", "declined wrong-state"],
  ["Succeeded", {}, "undecided", "undecided"],
  ["something_new", {}, "undecided", "undecided"],
] as const)
  test(`${status}${"last_payment_error" in over ? " after a decline" : ""}: of a sale ${ofSale}, of an auth ${ofAuth}`, () => {
    const told = [SALE, AUTH].map((asked) => {
      const answer = chargeAnswer(payment({ status, ...over }), asked);
      return answer.kind === "declined" ? `declined ${answer.category}` : answer.kind;
    });
    assert.deepEqual(told, [ofSale, ofAuth]);
  });

const detailOf = (type: "sale" | "auth", asked: object, multicapture?: string): string | null | undefined => {
  const card = multicapture === undefined ? {} : { multicapture: { status: multicapture } };
  const status = type === "sale" ? "succeeded" : "requires_capture";
  const latest_charge = { id: "ch_1", payment_method_details: { card } };
  const answer = chargeAnswer(payment({ status, latest_charge, ...asked }), type === "sale" ? SALE : AUTH);
  assert.ok(answer.kind === "approved");
  return answer.processorResponse.detail;
};
const WANTED = { payment_method_options: { card: { request_multicapture: "if_available" } } };

test("that a card is captured once is told where several captures were asked for, and nowhere else", () => {
  assert.equal(detailOf("auth", WANTED, "unavailable"), "this card is captured once");
  for (const [type, asked, multicapture] of [
    ["sale", {}, "unavailable"],
    ["auth", {}, "unavailable"],
    ["auth", { payment_method_options: null }, "unavailable"],
    ["auth", { payment_method_options: { card: { request_multicapture: null } } }, "unavailable"],
    ["auth", WANTED, "available"],
    ["auth", WANTED, undefined],
  ] as const)
    assert.equal(detailOf(type, asked, multicapture), null, `${type} ${JSON.stringify(asked)} ${multicapture}`);
});
