// A sale or an auth: the payment is created, and beside it a payment method with the card; then the payment is confirmed with it. Until
// the confirmation was sent nothing has moved, so only the confirmation can be in doubt.

import type { Answer, CardChargeQuestion, InquiryAnswer, NoAnswer } from "../processor.ts";
import { chargeAnswer, declinedBy } from "./answers/charge-answer.ts";
import type { StripeApi } from "./api.ts";
import { createPayment, PAYMENTS } from "./find-payment.ts";
import { type PaymentIntent, paymentIntentOf, paymentMethodOf, type StripeError } from "./objects.ts";
import { confirmFields, paymentMethodFields } from "./request-fields.ts";

export async function askCharge(
  api: StripeApi,
  question: CardChargeQuestion,
  multicapture: boolean,
  signal: AbortSignal,
): Promise<Answer> {
  // Neither needs the other, so the second takes no time of its own.
  const [created, method] = await Promise.all([
    createPayment(api, question, signal),
    createPaymentMethod(api, question, signal),
  ]);
  if (created.kind === "refused") return declinedBy(created.error, null, question.threeDSecure);
  if (method.kind === "refused")
    return declinedBy(method.error, created.kind === "created" ? created.payment.id : null, question.threeDSecure);
  if (created.kind !== "created") return withoutPayment(created);
  // The payment is there, without a card: nothing can come of it.
  if (method.kind !== "created") return { kind: "not-sent", why: `the card was not taken: ${method.why}` };
  const { id } = created.payment;
  const path = `${PAYMENTS}/${id}/confirm`;
  const fields = confirmFields(question, method.id, multicapture);
  const reply = await api.post(path, fields, `${question.reference}/confirm`, signal);
  switch (reply.kind) {
    case "ok":
      return answerOf(paymentIntentOf(reply.body), question);
    case "refused":
      return refused(reply.error, id, question);
    case "not-sent":
      return { kind: "not-sent", why: reply.why };
    case "unanswered":
      return { kind: "unanswered", why: reply.why };
  }
}

/** Moves nothing: it is of no payment yet. */
async function createPaymentMethod(api: StripeApi, question: CardChargeQuestion, signal: AbortSignal) {
  const fields = paymentMethodFields(question);
  const reply = await api.post("/v1/payment_methods", fields, `${question.reference}/payment-method`, signal);
  if (reply.kind !== "ok") return reply;
  const method = paymentMethodOf(reply.body);
  if (method === undefined) return { kind: "unanswered", why: "a payment method that cannot be read" } as const;
  return { kind: "created", id: method.id } as const;
}

/** The card was not confirmed. Where Stripe says that it failed nothing comes of it; where it says nothing, an inquiry finds out. */
const withoutPayment = (created: NoAnswer): NoAnswer => ({
  kind: "failed" in created ? "not-sent" : created.kind,
  why: created.why,
});

function answerOf(payment: PaymentIntent | undefined, question: CardChargeQuestion): Answer {
  if (payment === undefined) return { kind: "unanswered", why: "a payment that cannot be read" };
  return known(chargeAnswer(payment, question), payment);
}

const TAKEN = ["succeeded", "requires_capture", "processing"];

/** It was confirmed before, or it is a no. */
function refused(error: StripeError, id: string, question: CardChargeQuestion): Answer {
  const payment = error.payment_intent;
  if (payment && TAKEN.includes(payment.status)) return known(chargeAnswer(payment, question), payment);
  return declinedBy(error, id, question.threeDSecure);
}

const known = (answer: InquiryAnswer, { id, status }: PaymentIntent): Answer =>
  answer.kind === "unknown" ? { kind: "unanswered", why: `${id} was confirmed and is ${status}` } : answer;
