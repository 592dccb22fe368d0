// What Stripe's words for the issuer's checks become.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreeDSecure } from "../../../payment/three-d-secure.ts";
import { threeDSecureWords, verified } from "./checks.ts";

for (const [street, zip, avs] of [
  ["pass", "pass", "match"],
  ["pass", "fail", "address_match"],
  ["pass", null, "address_match"],
  ["fail", "pass", "postal_match"],
  [null, "pass", "postal_match"],
  ["fail", "unavailable", "no_match"],
  ["unchecked", "fail", "no_match"],
  ["unavailable", "unchecked", "unavailable"],
  [null, "unchecked", "unavailable"],
  [null, null, null],
] as const)
  test(`street ${street} and postal code ${zip}: ${avs}`, () =>
    assert.equal(verified({ address_line1_check: street, address_postal_code_check: zip, cvc_check: null }).avs, avs));

for (const [result, word] of [
  ["authenticated", "success"],
  ["attempt_acknowledged", "attempted"],
  ["failed", "failed"],
  ["data_share_only", "unavailable"],
  ["exempted", "unavailable"],
  ["not_supported", "unavailable"],
  ["processing_error", "error"],
  ["constructor", null],
  [null, null],
] as const)
  test(`3-D Secure ${result} is ${word} where nobody remembers what was sent`, () =>
    assert.deepEqual(threeDSecureWords(undefined, result), { threeDSecure: word, rawThreeDSecure: result }));

const GIVEN: ThreeDSecure = { xid: "eGlk", eci: "05", cavv: "Y2F2dg==", status: "A", version: 2 };

test("what the merchant sent of 3-D Secure counts before Stripe's word", () => {
  assert.deepEqual(threeDSecureWords(GIVEN, "failed"), { threeDSecure: "attempted", rawThreeDSecure: "failed" });
  assert.deepEqual(threeDSecureWords(null, "failed"), { threeDSecure: null, rawThreeDSecure: "failed" });
});
