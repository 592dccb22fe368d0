// What Stripe's objects say of a capture, a void or a refund.

import type { Answer, Decline } from "../../processor.ts";
import type { PaymentIntent, Refund, StripeError } from "../objects.ts";
import { meaningOf } from "./decline-codes.ts";
import { done, refusal, undone, unknownStatus } from "./processor-response.ts";

/** Undefined: this capture is not in it. */
export function captureAnswer(payment: PaymentIntent, reference: string): Answer | undefined {
  const amount = Number(payment.metadata[reference] ?? Number.NaN);
  if (!Number.isSafeInteger(amount)) return undefined;
  const named = Object.entries(payment.metadata).filter(([name, text]) => UUID.test(name) && /^\d+$/.test(text));
  const captured = named.reduce((sum, [, text]) => sum + Number(text), 0);
  switch (payment.status) {
    case "succeeded":
    case "requires_capture":
    // The rest was released after it.
    case "canceled":
      if (captured > payment.amount_received)
        return { kind: "unanswered", why: `${payment.id} names more captures than it received` };
      return { kind: "approved", processorResponse: done("CAPTURED", payment.id) };
    case "processing":
      return { kind: "pending", why: `capture of ${payment.id} is processing` };
    default:
      return { kind: "unanswered", why: `${payment.id} names this capture and is ${payment.status}` };
  }
}

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Every capture of a payment that has our reference. */
export const capturesIn = ({ metadata }: PaymentIntent): readonly string[] =>
  Object.keys(metadata).filter((name) => UUID.test(name));

/** The release of what was authorized. */
export const voidAnswer = (payment: PaymentIntent): Answer | undefined =>
  payment.status === "canceled" ? { kind: "approved", processorResponse: done("VOIDED", payment.id) } : undefined;

/** https://docs.stripe.com/api/refunds/object: pending, requires_action, succeeded, failed, or canceled. */
export function refundAnswer({ id, status, failure_reason, pending_reason }: Refund): Answer {
  switch (status) {
    case "succeeded":
      return { kind: "approved", processorResponse: done("REFUNDED", id) };
    case "pending":
    case "requires_action":
      return { kind: "pending", why: `refund ${id} is ${status}: ${pending_reason ?? "no reason told"}` };
    case "failed":
    case "canceled":
      return failedRefund(id, status, failure_reason ?? null);
    default:
      return unknownStatus(`refund ${id} has the unknown status ${status}`, id);
  }
}

/** The money is back in the account's balance. https://docs.stripe.com/refunds#failed-refunds */
const failedRefund = (id: string, status: string, reason: string | null): Decline => ({
  kind: "declined",
  processorResponse: undone("05", `REFUND ${status}: ${reason ?? "no reason told"}`.toUpperCase(), id),
  category: reason === "lost_or_stolen_card" || reason === "expired_or_canceled_card" ? "do-not-retry" : "refused",
});

/** Stripe did not do it. @param isFirstAnswer whether its key shows that it did not do so from the first */
export const refusedFollowUp = (error: StripeError, payment: string, isFirstAnswer: boolean): Decline => ({
  kind: "declined",
  processorResponse: refusal(error, payment),
  category: meaningOf(error).category,
  ...(isFirstAnswer && { isFirstAnswer }),
});
