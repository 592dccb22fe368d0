// What Stripe says in the fields that every event has.

import type { ProcessorResponse } from "../../../payment/outcome.ts";
import { networkTransactionIdIn } from "../../../payment/stored-credential.ts";
import type { ThreeDSecure } from "../../../payment/three-d-secure.ts";
import { NOTHING_CHECKED } from "../../../payment/verification.ts";
import type { Undecided } from "../../processor.ts";
import type { CardDetails, PaymentError, PaymentIntent } from "../objects.ts";
import { threeDSecureWords, verified } from "./checks.ts";
import { meaningOf } from "./decline-codes.ts";

const LONGEST = 255;

/** Of what was done, without anything that was checked. */
export const done = (message: string, transactionId: string): ProcessorResponse => ({
  code: "00",
  message,
  transactionId,
  authCode: null,
  ...NOTHING_CHECKED,
});

/** Of what was not done, for a reason that Stripe has no code for. */
export const undone = (code: string, message: string, transactionId: string | null): ProcessorResponse => ({
  ...done(message, ""),
  code,
  transactionId,
});

/** An hour, at one look a minute: it may be one that passes. */
const LOOKS_AT_UNKNOWN = 60;

/** Stripe's answer has a status that no list has. */
export const unknownStatus = (why: string, transactionId: string): Undecided => ({
  kind: "undecided",
  why,
  processorResponse: undone("UNKNOWN", "UNKNOWN STATUS", transactionId),
  category: "refused",
  repeats: LOOKS_AT_UNKNOWN,
});

/** @param threeDSecure as it came with the charge; undefined where nobody remembers */
export function approvedCharge(
  { id, latest_charge, payment_method_options }: Pick<PaymentIntent, "id" | "latest_charge" | "payment_method_options">,
  threeDSecure: ThreeDSecure | null | undefined,
): ProcessorResponse {
  const card = cardOf(latest_charge);
  const networkTransactionId = networkTransactionIdIn(card?.network_transaction_id);
  // Of a payment that did not ask for several captures it is told, too, and says nothing.
  const wantsCaptures = payment_method_options?.card?.request_multicapture === "if_available";
  return {
    ...done("APPROVED", id),
    authCode: authCodeOf(card),
    ...verified(card?.checks),
    ...threeDSecureWords(threeDSecure, card?.three_d_secure?.result),
    detail: wantsCaptures && card?.multicapture?.status === "unavailable" ? "this card is captured once" : null,
    ...(networkTransactionId !== null && { networkTransactionId }),
  };
}

/** Of a charge or a follow-up that Stripe refused, or of a charge that the issuer declined. */
export function refusal(
  error: PaymentError,
  transactionId: string | null,
  threeDSecure?: ThreeDSecure | null,
): ProcessorResponse {
  const { decline_code, code, type, network_decline_code, network_advice_code, advice_code, message } = error;
  const details = [
    message,
    network_advice_code && `network advice ${network_advice_code}`,
    advice_code && `advice: ${advice_code}`,
  ].filter((detail) => detail);
  return {
    // The issuer's own code, where Stripe hands it on.
    code: /^[0-9A-Za-z]{2,10}$/.test(network_decline_code ?? "") ? (network_decline_code ?? "") : meaningOf(error).code,
    message: (decline_code ?? code ?? type).replaceAll("_", " ").toUpperCase().slice(0, LONGEST),
    transactionId,
    authCode: null,
    ...verified(error.payment_method?.card?.checks),
    ...threeDSecureWords(threeDSecure, null),
    detail: details.length > 0 ? details.join("; ").slice(0, LONGEST) : null,
  };
}

function cardOf(charge: PaymentIntent["latest_charge"]): CardDetails | undefined {
  return charge === null || typeof charge === "string" ? undefined : charge.payment_method_details?.card;
}

const authCodeOf = (card: CardDetails | undefined): string | null => {
  const code = card?.authorization_code?.toUpperCase();
  return code !== undefined && /^[0-9A-Z]{6}$/.test(code) ? code : null;
};
