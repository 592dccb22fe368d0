// A sale or an auth: the payment is created, and beside it a payment method with the card; then the payment is confirmed with it. Until
// the confirmation was sent nothing has moved, so only the confirmation can be in doubt.

import { NOTHING_CHECKED } from "../../payment/verification.ts";
import {
  type Answer,
  type CardChargeQuestion,
  type ChargeQuestion,
  chargesToken,
  type InquiryAnswer,
  type NoAnswer,
  type TokenChargeQuestion,
} from "../processor.ts";
import { chargeAnswer, declinedBy } from "./answers/charge-answer.ts";
import type { StripeApi } from "./api.ts";
import { createPayment, PAYMENTS } from "./find-payment.ts";
import { type PaymentIntent, paymentIntentOf, paymentMethodOf, type StripeError } from "./objects.ts";
import { confirmFields, paymentMethodFields } from "./request-fields.ts";

export async function askCharge(
  api: StripeApi,
  question: CardChargeQuestion | TokenChargeQuestion,
  multicapture: boolean,
  signal: AbortSignal,
): Promise<Answer> {
  if (chargesToken(question)) return askTokenCharge(api, question, multicapture, signal);
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
  return confirm(api, question, created.payment.id, method.id, multicapture, signal);
}

/**
 * Of a card that Stripe keeps for a customer: the payment becomes that customer's before it is confirmed, or Stripe refuses the card. It is not
 * created so, since an inquiry creates it again and knows no customer. A stored card's CVC is not taken here.
 */
async function askTokenCharge(
  api: StripeApi,
  question: TokenChargeQuestion,
  multicapture: boolean,
  signal: AbortSignal,
): Promise<Answer> {
  const { token, customer } = question.instrument;
  const created = await createPayment(api, question, signal);
  if (created.kind === "refused") return declinedBy(created.error, null, question.threeDSecure);
  if (created.kind !== "created") return withoutPayment(created);
  const { id } = created.payment;
  const reply = await api.post(`${PAYMENTS}/${id}`, { customer }, `${question.reference}/customer`, signal);
  if (reply.kind === "refused") return declinedBy(reply.error, id, question.threeDSecure);
  // It has no card yet: nothing can come of it.
  if (reply.kind !== "ok") return { kind: "not-sent", why: `the payment was not given its customer: ${reply.why}` };
  return confirm(api, question, id, token.reveal(), multicapture, signal);
}

async function confirm(
  api: StripeApi,
  question: CardChargeQuestion | TokenChargeQuestion,
  id: string,
  method: string,
  multicapture: boolean,
  signal: AbortSignal,
): Promise<Answer> {
  const path = `${PAYMENTS}/${id}/confirm`;
  const fields = confirmFields(question, method, multicapture);
  const reply = await api.post(path, fields, `${question.reference}/confirm`, signal);
  switch (reply.kind) {
    case "ok":
      return answerOf(paymentIntentOf(reply.body), question);
    case "refused":
      return refused(reply.error, id, question);
    case "not-sent":
      // The payment was there a moment ago: it is the payment method that is gone.
      if (chargesToken(question) && "missing" in reply) return GONE;
      return { kind: "not-sent", why: reply.why };
    case "unanswered":
      return { kind: "unanswered", why: reply.why };
  }
}

/** It was deleted at Stripe, or detached from its customer: asking again cannot help. */
export const GONE = {
  kind: "declined",
  processorResponse: {
    code: "GONE",
    message: "STRIPE HAS NO SUCH CARD ANY MORE",
    transactionId: null,
    authCode: null,
    ...NOTHING_CHECKED,
  },
  category: "wrong-data",
} as const satisfies Answer;

/** Moves nothing: it is of no payment yet. */
export async function createPaymentMethod(api: StripeApi, question: CardChargeQuestion, signal: AbortSignal) {
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

function answerOf(payment: PaymentIntent | undefined, question: ChargeQuestion): Answer {
  if (payment === undefined) return { kind: "unanswered", why: "a payment that cannot be read" };
  return known(chargeAnswer(payment, question), payment);
}

const TAKEN = ["succeeded", "requires_capture", "processing"];

/** It was confirmed before, or it is a no. */
function refused(error: StripeError, id: string, question: ChargeQuestion): Answer {
  const payment = error.payment_intent;
  if (payment && TAKEN.includes(payment.status)) return known(chargeAnswer(payment, question), payment);
  return declinedBy(error, id, question.threeDSecure);
}

const known = (answer: InquiryAnswer, { id, status }: PaymentIntent): Answer =>
  answer.kind === "unknown" ? { kind: "unanswered", why: `${id} was confirmed and is ${status}` } : answer;
