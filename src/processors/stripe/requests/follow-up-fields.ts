// What captures and refunds are asked with. Each leaves our reference at Stripe, so that it is found again there.

import type Stripe from "stripe";
import type { FollowUpQuestion } from "../../processor.ts";
import { type Loose, REFERENCE, REQUEST, TRANSACTION } from "./charge-fields.ts";

/** A payment's metadata names each capture of it by its reference, with its amount in Stripe's units. */
export const captureFields = ({ reference }: FollowUpQuestion, amount: number, goesOn: boolean) =>
  ({
    amount_to_capture: amount,
    final_capture: goesOn ? false : undefined,
    metadata: { [reference]: String(amount) },
    expand: ["latest_charge"],
  }) satisfies Loose<Stripe.PaymentIntentCaptureParams>;

export const refundFields = (
  { reference, requestId, transactionId }: Pick<FollowUpQuestion, "reference" | "requestId" | "transactionId">,
  payment: string,
  amount: number,
) =>
  ({
    payment_intent: payment,
    amount,
    metadata: { [REFERENCE]: reference, [TRANSACTION]: transactionId, [REQUEST]: requestId },
  }) satisfies Loose<Stripe.RefundCreateParams>;
