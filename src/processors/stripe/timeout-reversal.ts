// Takes back a charge whose answer never came. Its payment is canceled, and Stripe takes no card for it from then on: also not
// the one that may still be on its way.

import type { Clock } from "../../clock.ts";
import type { TimeoutReversalAnswer, TimeoutReversalQuestion } from "../processor.ts";
import { refundAnswer } from "./answers/follow-up-answer.ts";
import type { StripeApi } from "./api.ts";
import { findPayment, PAYMENTS } from "./find-payment.ts";
import { type PaymentIntent, paymentIntentOf, type Refund, refundOf } from "./objects.ts";
import { always, postOnce } from "./once-more.ts";
import { listRefunds } from "./refunds.ts";
import { REVERSAL_OF, TRANSACTION } from "./request-fields.ts";

const CONFIRMED = { kind: "confirmed" } as const;
const unanswered = (why: string) => ({ kind: "unanswered", why }) as const;

export async function reverse(
  api: StripeApi,
  clock: Clock,
  question: TimeoutReversalQuestion,
  signal: AbortSignal,
): Promise<TimeoutReversalAnswer> {
  const found = await findPayment(api, clock, question, signal);
  if (found.kind === "none") return CONFIRMED;
  if (found.kind !== "found") return found;
  const { id } = found.payment;
  // Without a key: a payment is canceled once, and what a key remembers may be an error.
  const reply = await api.post(`${PAYMENTS}/${id}/cancel`, {}, null, signal);
  if (reply.kind !== "ok" && reply.kind !== "refused") return { kind: reply.kind, why: reply.why };
  const payment = reply.kind === "ok" ? paymentIntentOf(reply.body) : reply.error.payment_intent;
  if (payment === undefined) return unanswered(`the cancellation of ${id} was answered by something else`);
  switch (payment.status) {
    case "canceled":
      return CONFIRMED;
    case "succeeded":
      return giveBack(api, payment, question, signal);
    default:
      return unanswered(`${id} is ${payment.status}, and cannot be canceled now`);
  }
}

/** The sale went through. All of it is refunded. */
async function giveBack(
  api: StripeApi,
  { id, amount_received }: PaymentIntent,
  { reference, transactionId }: TimeoutReversalQuestion,
  signal: AbortSignal,
): Promise<TimeoutReversalAnswer> {
  const refunds = await listRefunds(api, id, signal);
  if ("why" in refunds) return refunds;
  const open = refunds.find(({ status }) => status === "pending" || status === "requires_action");
  if (open) return unanswered(`refund ${open.id} of ${id} is ${open.status}`);
  const left = amount_received - refundedBy(refunds);
  if (left <= 0) return CONFIRMED;
  const fields = {
    payment_intent: id,
    amount: left,
    metadata: { [REVERSAL_OF]: reference, [TRANSACTION]: transactionId },
  };
  // Under the key of a refund that failed since, Stripe would only say again what that was at first.
  const key = [`${reference}/reversal`, ...(refunds.length > 0 ? [refunds.length] : [])].join("/");
  // All that is left is refunded once.
  const reply = await postOnce({ api, path: "/v1/refunds", fields, key, signal }, always);
  if (reply.kind === "refused")
    return unanswered(`${id} cannot be refunded: ${reply.error.message ?? reply.error.type}`);
  if (reply.kind !== "ok") return { kind: reply.kind, why: reply.why };
  const refund = refundOf(reply.body);
  const answer = refund && refundAnswer(refund);
  return answer?.kind === "approved" ? CONFIRMED : unanswered(`the refund of ${id} is ${refund?.status ?? "not told"}`);
}

const refundedBy = (refunds: readonly Refund[]): number =>
  refunds.reduce((sum, { amount, status }) => sum + (status === "succeeded" ? amount : 0), 0);
