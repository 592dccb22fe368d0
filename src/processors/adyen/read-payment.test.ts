// What each answer of Adyen's to a payment means: a yes is what clearly is one, and nothing is guessed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { chargeQuestion } from "../../../test/conformance/questions.ts";
import { presentedBy, readPayment, refusedRequest } from "./read-payment.ts";

const PRESENTED = presentedBy(chargeQuestion("sale"));
const told = (body: object) => {
  const answer = readPayment({ kind: "told", underKey: false, body: { pspReference: "PSP1", ...body } }, PRESENTED);
  return answer.kind === "declined" ? `declined ${answer.category}` : answer.kind;
};

// https://docs.adyen.com/online-payments/payment-result-codes
for (const [resultCode, expected] of [
  ["Authorised", "approved"],
  ["Refused", "declined refused"],
  ["Cancelled", "declined refused"],
  ["Error", "declined refused"],
  ["Pending", "pending"],
  ["Received", "pending"],
  ["RedirectShopper", "action-required"],
  ["ChallengeShopper", "action-required"],
  ["IdentifyShopper", "action-required"],
  ["PresentToShopper", "action-required"],
  ["AuthenticationFinished", "action-required"],
  ["AuthenticationNotRequired", "action-required"],
  ["PartiallyAuthorised", "undecided"],
  ["Success", "undecided"],
  ["authorised", "undecided"],
  ["constructor", "undecided"],
  ["SomethingNew", "undecided"],
  ["", "unanswered"],
  [true, "unanswered"],
  [undefined, "unanswered"],
] as const)
  test(`the result ${resultCode} is ${expected}`, () => assert.equal(told({ resultCode }), expected));

test("a yes without a reference is none: it could be neither captured nor taken back", () => {
  for (const pspReference of [undefined, "", " ", 7])
    assert.equal(told({ resultCode: "Authorised", pspReference }), "unanswered");
});

test("what would have to be authenticated has Adyen's code for that, whatever code stands beside it", () => {
  const body = { pspReference: "PSP1", resultCode: "ChallengeShopper", refusalReasonCode: "2" };
  const answer = readPayment({ kind: "told", underKey: false, body }, PRESENTED);
  assert.ok(answer.kind === "action-required");
  assert.deepEqual([answer.processorResponse.code, answer.processorResponse.message], ["38", "ChallengeShopper"]);
});

test("a refusal's category is by its code, and by Mastercard's advice", () => {
  for (const [refusalReasonCode, merchantAdviceCode, expected] of [
    ["12", undefined, "insufficient-funds"],
    ["2", "02", "try-later"],
    ["2", "03 : Do not try again", "do-not-retry"],
    ["12", "21", "do-not-retry"],
    ["9", "01", "try-later"],
    ["999", undefined, "refused"],
  ] as const)
    assert.equal(
      told({ resultCode: "Refused", refusalReasonCode, additionalData: { merchantAdviceCode } }),
      `declined ${expected}`,
    );
});

test("a charge that Adyen's API refuses is the payer's to mend where it is about the card, and a follow-up in no state for it", () => {
  const categoryOf = (errorCode: string, charge: typeof PRESENTED | null) => {
    const refused = { kind: "refused", status: 422, errorCode, message: "", pspReference: null } as const;
    const answer = refusedRequest(refused, charge);
    return answer.kind === "declined" && answer.category;
  };
  assert.deepEqual(
    ["101", "103", "129", "119", "137", "905", "901", "", "9_999", "toString"].map((code) =>
      categoryOf(code, PRESENTED),
    ),
    [
      ...["wrong-data", "wrong-data", "wrong-data", "wrong-data", "configuration", "configuration", "configuration"],
      ...["configuration", "refused", "refused"],
    ],
  );
  assert.deepEqual([categoryOf("101", null), categoryOf("167", null)], ["wrong-state", "wrong-state"]);
});
