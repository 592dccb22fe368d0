// Which declines may be tried again, here or elsewhere: by the decline itself, by the error, and by the issuer's advice.

import assert from "node:assert/strict";
import { test } from "node:test";
import { meaningOf } from "./decline-codes.ts";

// https://docs.stripe.com/declines/codes: "do not try again", and what a card network takes for fraud.
const NEVER = [
  ...["do_not_try_again", "invalid_account", "lost_card", "pickup_card", "previously_declined_do_not_retry"],
  ...["revocation_of_all_authorizations", "revocation_of_authorization", "stolen_card", "stop_payment_order"],
];
const FRAUD = ["fraudulent", "merchant_blacklist", "security_violation"];

test("a card that is lost, stolen or stopped is not tried again, and suspicion is told as such", () => {
  for (const [codes, category] of [
    [NEVER, "do-not-retry"],
    [FRAUD, "suspected-fraud"],
  ] as const)
    for (const decline_code of codes)
      for (const advice_code of [undefined, "try_again_later"])
        assert.equal(
          meaningOf({ type: "card_error", code: "card_declined", decline_code, ...(advice_code && { advice_code }) })
            .category,
          category,
          decline_code,
        );
});

for (const [told, expected] of [
  [{ decline_code: "generic_decline", advice_code: "do_not_try_again" }, "do-not-retry"],
  [{ decline_code: "generic_decline", advice_code: "try_again_later" }, "try-later"],
  [{ decline_code: "generic_decline", advice_code: "confirm_card_data" }, "wrong-data"],
  [{ decline_code: "generic_decline", advice_code: "something new" }, "refused"],
  // What sounds as if another try could help.
  [{ decline_code: "try_again_later", advice_code: "do_not_try_again" }, "do-not-retry"],
  [{ decline_code: "testmode_decline", advice_code: "do_not_try_again" }, "do-not-retry"],
  // The payer can mend these, or comes with another card.
  [{ decline_code: "incorrect_cvc", advice_code: "do_not_try_again" }, "wrong-data"],
  [{ decline_code: "insufficient_funds", advice_code: "do_not_try_again" }, "insufficient-funds"],
  [{ decline_code: "insufficient_funds", advice_code: "try_again_later" }, "insufficient-funds"],
  // The decline's own code counts before the error's.
  [{ code: "card_declined", decline_code: "expired_card" }, "wrong-data"],
  [{ code: "charge_already_refunded" }, "wrong-state"],
  [{ code: "something_new", decline_code: "constructor" }, "refused"],
] as const)
  test(`${Object.values(told).join(", ")}: ${expected}`, () =>
    assert.equal(meaningOf({ type: "card_error", ...told }).category, expected));

test("a request that Stripe did not like is the operator's to mend, the payer's if it is about their data, and a decline if its code is new", () => {
  for (const [code, expected] of [
    [undefined, "configuration"],
    ["parameter_missing", "configuration"],
    ["livemode_mismatch", "configuration"],
    ["email_invalid", "wrong-data"],
    ["postal_code_invalid", "wrong-data"],
    ["invalid_characters", "wrong-data"],
    ["something_new", "refused"],
    ["toString", "refused"],
  ] as const) {
    const meaning = meaningOf({ type: "invalid_request_error", ...(code !== undefined && { code }) });
    assert.equal(meaning.category, expected, code);
    if (expected !== "wrong-data") assert.equal(meaning.code, "12");
  }
});

test("an error of a type that is new is a decline", () => {
  assert.equal(meaningOf({ type: "something_new", code: "something_else" }).category, "refused");
});
