// What a payment at Stripe says of the charge that it is, by its status.
// https://docs.stripe.com/payments/paymentintents/lifecycle

import { isPayerAddress } from "../../../payment/challenge.ts";
import type { Amount } from "../../../payment/money.ts";
import type { ThreeDSecure } from "../../../payment/three-d-secure.ts";
import type { ChargeType } from "../../../payment/transaction.ts";
import type { ActionRequired, Answer, Decline, InquiryAnswer } from "../../processor.ts";
import { inStripeUnits } from "../currency.ts";
import type { PaymentIntent, StripeError } from "../objects.ts";
import { REFERENCE } from "../request-fields.ts";
import { meaningOf } from "./decline-codes.ts";
import { approvedCharge, refusal, undone, unknownStatus } from "./processor-response.ts";

interface AskedCharge {
  readonly type: ChargeType;
  readonly reference: string;
  readonly amount: Amount;
  readonly currency: string;
  readonly threeDSecure?: ThreeDSecure | null;
}

/** Whether it is this very charge: an answer for another one is none. */
const isAbout = (payment: PaymentIntent, { reference, amount, currency }: AskedCharge): boolean =>
  payment.metadata[REFERENCE] === reference &&
  payment.currency === currency.toLowerCase() &&
  payment.amount === inStripeUnits(amount, currency);

/** `unknown`: the card never came. */
export function chargeAnswer(payment: PaymentIntent, asked: AskedCharge): InquiryAnswer {
  if (!isAbout(payment, asked)) return { kind: "unanswered", why: `${payment.id} is another charge's` };
  const { status, last_payment_error: error } = payment;
  switch (status) {
    case "succeeded":
      return approved(payment, asked);
    case "requires_capture":
      if (asked.type === "auth") return approved(payment, asked);
      return { kind: "unanswered", why: `${payment.id} is a sale and waits for a capture` };
    case "processing":
      return { kind: "pending", why: `processing as ${payment.id}` };
    case "requires_action":
      return {
        kind: "action-required",
        processorResponse: undone("1A", "THE PAYER HAS TO AUTHENTICATE", payment.id),
        ...pageOf(payment),
      };
    case "requires_payment_method":
    case "requires_confirmation":
      return error === null ? { kind: "unknown" } : declinedBy(error, payment.id, asked.threeDSecure);
    case "canceled": {
      const reason = payment.cancellation_reason ?? "no reason";
      return {
        kind: "declined",
        processorResponse: undone("21", `CANCELED: ${reason}`, payment.id),
        category: "wrong-state",
      };
    }
    // Neither yes nor no: money may be held or taken, now or later.
    default:
      return unknownStatus(`${payment.id} has the unknown status ${status}`, payment.id);
  }
}

/** Of a payment that was confirmed with a `return_url`. https://docs.stripe.com/api/payment_intents/object, next_action */
function pageOf({ next_action: next }: PaymentIntent): Pick<ActionRequired, "page"> {
  const url = next?.redirect_to_url?.url;
  return url && isPayerAddress(url) ? { page: { url } } : {};
}

/** A no to the confirmation: the issuer's, or Stripe's. */
export const declinedBy = (
  error: StripeError,
  payment: string | null,
  threeDSecure?: ThreeDSecure | null,
): Decline => ({
  kind: "declined",
  processorResponse: refusal(error, payment, threeDSecure),
  category: meaningOf(error).category,
});

const approved = (payment: PaymentIntent, { threeDSecure }: AskedCharge): Answer => ({
  kind: "approved",
  processorResponse: approvedCharge(payment, threeDSecure),
});
