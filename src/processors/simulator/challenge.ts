// The simulator's challenge: a card whose payer has to authenticate, if the charge allows it. The page is the gateway's own, and how it ends
// is what the payer chooses there.

import { SIMULATED_PAGE } from "../../payment/challenge.ts";
import { NOTHING_CHECKED } from "../../payment/verification.ts";
import type { ActionRequired, Brought, CardChargeQuestion, InquiryAnswer, InquiryQuestion } from "../processor.ts";
import { approve, decline } from "./processor-response.ts";

/** Approved as any other card where the charge allows no challenge. */
const CHALLENGED_CARD = "4000000000003220";

export function challenge({ instrument, threeDSecure, returnUrl }: CardChargeQuestion): ActionRequired | undefined {
  if (returnUrl === undefined || threeDSecure !== null) return undefined;
  if (instrument.number.reveal() !== CHALLENGED_CARD) return undefined;
  return {
    kind: "action-required",
    processorResponse: {
      ...{ code: "1A", message: "THE PAYER HAS TO AUTHENTICATE", transactionId: null, authCode: null },
      ...NOTHING_CHECKED,
    },
    // It stands beside the address of the return.
    page: { url: new URL(SIMULATED_PAGE, returnUrl).href },
  };
}

/** It keeps no books, so what the payer brings is all that there is. */
export function afterChallenge({ reference }: InquiryQuestion, { result }: Brought): InquiryAnswer {
  switch (result) {
    case "pass":
      return approve(reference, { ...NOTHING_CHECKED, threeDSecure: "success", rawThreeDSecure: "Y" });
    case "fail":
      return decline("1A", reference, { ...NOTHING_CHECKED, threeDSecure: "failed", rawThreeDSecure: "N" });
    default:
      return { kind: "unknown" };
  }
}
