// What became of an event, by the state of its payment and of its refunds: never by what an idempotency key remembers, which
// is the first answer, even where that was an error.

import type { Clock } from "../../clock.ts";
import { isChargeType } from "../../payment/transaction.ts";
import type { Decline, InquiryAnswer, InquiryQuestion } from "../processor.ts";
import { chargeAnswer } from "./answers/charge-answer.ts";
import { captureAnswer, refundAnswer, voidAnswer } from "./answers/follow-up-answer.ts";
import { undone } from "./answers/processor-response.ts";
import type { StripeApi } from "./api.ts";
import { findPayment, paymentOf, retrievePayment } from "./find-payment.ts";
import type { PaymentIntent } from "./objects.ts";
import { listRefunds, refundOfEvent } from "./refunds.ts";

export async function inquire(
  api: StripeApi,
  clock: Clock,
  question: InquiryQuestion,
  signal: AbortSignal,
): Promise<InquiryAnswer> {
  const { type, original } = question;
  if (isChargeType(type)) return ofCharge(api, clock, { ...question, type }, signal);
  if (original === null) throw new Error(`broken invariant: a ${type} follows a charge`);
  const found = await paymentOf(api, original, signal);
  if (found.kind === "none") return { kind: "unanswered", why: "its charge cannot be found" };
  if (found.kind !== "found") return found;
  const { payment, stale } = found;
  if (type === "capture") {
    const captured = captureAnswer(payment, question.reference);
    return captured ?? (isOver(payment) && !stale ? neverCaptured(payment) : { kind: "unknown" });
  }
  // Where money was captured, the cancellation has released the rest only: the refund tells whether all of it was voided.
  const voided = type === "void" && payment.amount_received === 0 ? voidAnswer(payment) : undefined;
  return voided ?? refundUnder(api, payment.id, question.reference, signal);
}

async function ofCharge(
  api: StripeApi,
  clock: Clock,
  question: Parameters<typeof findPayment>[2],
  signal: AbortSignal,
): Promise<InquiryAnswer> {
  const found = await findPayment(api, clock, question, signal);
  if (found.kind === "none") return { kind: "unknown" };
  if (found.kind !== "found") return found;
  const now = found.stale ? await retrievePayment(api, found.payment.id, signal) : found;
  if (now.kind === "none") return { kind: "unknown" };
  return now.kind === "found" ? chargeAnswer(now.payment, question) : now;
}

/**
 * Stripe captures no more of it, so what is not among its captures by now never will be: a capture and its name are written at once.
 * https://docs.stripe.com/payments/paymentintents/lifecycle
 */
const isOver = ({ status, amount_capturable }: PaymentIntent): boolean =>
  status === "canceled" || (status === "succeeded" && amount_capturable === 0);

const neverCaptured = ({ id, status }: PaymentIntent): Decline => ({
  kind: "declined",
  processorResponse: undone("21", `NOT CAPTURED: THE PAYMENT IS ${status}`.toUpperCase(), id),
  category: "wrong-state",
});

/** Of an event, whatever became of it. */
export async function refundUnder(
  api: StripeApi,
  payment: string,
  reference: string,
  signal: AbortSignal,
): Promise<InquiryAnswer> {
  const refunds = await listRefunds(api, payment, signal);
  if ("why" in refunds) return refunds;
  const refund = refundOfEvent(refunds, reference);
  return refund ? refundAnswer(refund) : { kind: "unknown" };
}
