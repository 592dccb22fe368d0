// A sale or an auth: created, then confirmed with the card. Whatever ends before the confirmation was sent has moved nothing.

import type { Answer, CardChargeQuestion, InquiryAnswer, NoAnswer } from "../processor.ts";
import { chargeAnswer, declinedBy } from "./answers/charge-answer.ts";
import type { StripeApi } from "./api.ts";
import { createPayment, PAYMENTS } from "./find-payment.ts";
import { type PaymentIntent, paymentIntentOf, type StripeError } from "./objects.ts";
import { confirmFields } from "./request-fields.ts";

export async function askCharge(
  api: StripeApi,
  question: CardChargeQuestion,
  multicapture: boolean,
  signal: AbortSignal,
): Promise<Answer> {
  const created = await createPayment(api, question, signal);
  if (created.kind === "refused") return declinedBy(created.error, null, question.threeDSecure);
  if (created.kind !== "created") return withoutPayment(created);
  const { id } = created.payment;
  const path = `${PAYMENTS}/${id}/confirm`;
  const reply = await api.post(path, confirmFields(question, multicapture), `${question.reference}/confirm`, signal);
  switch (reply.kind) {
    case "ok":
      return answerOf(paymentIntentOf(reply.body), question);
    case "refused":
      return refused(reply.error, id, question);
    case "not-sent":
      // The payment is there, without a card: nothing can come of it.
      return { kind: "not-sent", why: reply.why };
    case "unanswered":
      return { kind: "unanswered", why: reply.why };
  }
}

/** The card never left. Where Stripe says that it failed nothing comes of it; where it says nothing, an inquiry finds out. */
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
