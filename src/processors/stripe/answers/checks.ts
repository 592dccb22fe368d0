// What the issuer said of address, CVV and 3-D Secure, from Stripe's words into the API's. Stripe has words where other processors
// have letters; they are kept beside ours as they are. https://docs.stripe.com/api/charges/object (payment_method_details.card)

import type { ProcessorResponse } from "../../../payment/outcome.ts";
import { type ThreeDSecure, type ThreeDSecureOutcome, threeDSecureOutcome } from "../../../payment/three-d-secure.ts";
import { type AvsWord, type CvvWord, NOTHING_CHECKED } from "../../../payment/verification.ts";
import type { Checks } from "../objects.ts";

type Verified = Pick<ProcessorResponse, "avs" | "rawAvs" | "cvv" | "rawCvv">;

/** `pass`, `fail`, `unavailable` (the issuer did not compare) or `unchecked`. */
type Check = string | null | undefined;

export function verified(checks: Checks | null | undefined): Verified {
  const { avs, rawAvs, cvv, rawCvv } = NOTHING_CHECKED;
  if (!checks) return { avs, rawAvs, cvv, rawCvv };
  const { address_line1_check: street, address_postal_code_check: zip, cvc_check } = checks;
  return {
    avs: avsWord(street, zip),
    rawAvs: rawAvsOf(street, zip),
    cvv: cvvWord(cvc_check),
    rawCvv: cvc_check ?? null,
  };
}

function avsWord(street: Check, zip: Check): AvsWord | null {
  if (!street && !zip) return null;
  if (street === "pass") return zip === "pass" ? "match" : "address_match";
  if (zip === "pass") return "postal_match";
  return street === "fail" || zip === "fail" ? "no_match" : "unavailable";
}

const rawAvsOf = (street: Check, zip: Check): string | null =>
  street || zip ? `address_line1 ${street ?? "none"}, postal_code ${zip ?? "none"}` : null;

const CVV_WORDS: Readonly<Record<string, CvvWord>> = {
  pass: "match",
  fail: "no_match",
  unavailable: "not_processed",
  unchecked: "not_processed",
};

const cvvWord = (check: Check): CvvWord | null =>
  check && Object.hasOwn(CVV_WORDS, check) ? (CVV_WORDS[check] ?? null) : null;

/** `result` of a charge's three_d_secure. */
const RESULTS: Readonly<Record<string, ThreeDSecureOutcome>> = {
  authenticated: "success",
  attempt_acknowledged: "attempted",
  failed: "failed",
  // Nobody was authenticated: the issuer was told of the payment.
  data_share_only: "unavailable",
  exempted: "unavailable",
  not_supported: "unavailable",
  processing_error: "error",
};

/** @param given with the charge; undefined where nobody remembers, and Stripe's own word counts */
export function threeDSecureWords(
  given: ThreeDSecure | null | undefined,
  result: string | null | undefined,
): Pick<ProcessorResponse, "threeDSecure" | "rawThreeDSecure"> {
  const rawThreeDSecure = result ?? null;
  if (given !== undefined) return { threeDSecure: threeDSecureOutcome(given, "not-checked"), rawThreeDSecure };
  const word = result && Object.hasOwn(RESULTS, result) ? RESULTS[result] : undefined;
  return { threeDSecure: word ?? null, rawThreeDSecure };
}
