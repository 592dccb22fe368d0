// Captures, voids and refunds. Authorized money is voided by canceling the payment; captured money by refunding it, which Stripe makes a
// reversal of where it can, so that neither is on the cardholder's statement (https://docs.stripe.com/refunds).

import type { Clock } from "../../clock.ts";
import { type Amount, minus } from "../../payment/money.ts";
import type { Answer, Decline, FollowUpQuestion } from "../processor.ts";
import { captureAnswer, refundAnswer, refusedFollowUp, voidAnswer } from "./answers/follow-up-answer.ts";
import type { Refused, StripeApi } from "./api.ts";
import { inStripeUnits } from "./currency.ts";
import { isOld, PAYMENTS, paymentOf } from "./find-payment.ts";
import { refundUnder } from "./inquiry.ts";
import { type PaymentIntent, paymentIntentOf, refundOf } from "./objects.ts";
import { always, capturedOnlyOnce, postOnce, refundedOnlyOnce } from "./once-more.ts";
import { captureFields, refundFields } from "./request-fields.ts";

/** Of one payment at Stripe. */
interface Following {
  readonly api: StripeApi;
  readonly payment: string;
  readonly question: FollowUpQuestion;
  readonly signal: AbortSignal;
  /** Whether Stripe still has the key of the first sending, so that what is replayed is the first answer. */
  readonly keyKept: boolean;
}

export async function askFollowUp(
  api: StripeApi,
  clock: Clock,
  question: FollowUpQuestion,
  multicapture: boolean,
  signal: AbortSignal,
): Promise<Answer> {
  const payment = await idOf(api, question, signal);
  if (typeof payment !== "string") return payment;
  const keyKept = !isOld(question.reference, clock.now());
  const following = { api, payment, question, signal, keyKept };
  switch (question.type) {
    case "capture":
      return capture(following, multicapture);
    case "void":
      return question.captures.length === 0 ? cancel(following) : takeBack(following);
    case "refund":
      return refund(following, question.amount);
  }
}

async function idOf(api: StripeApi, { original }: FollowUpQuestion, signal: AbortSignal): Promise<string | Answer> {
  if (original.processorTransactionId !== null) return original.processorTransactionId;
  const found = await paymentOf(api, original, signal);
  if (found.kind === "none") return { kind: "unanswered", why: "its charge cannot be found" };
  return found.kind === "found" ? found.payment.id : found;
}

async function capture(following: Following, multicapture: boolean): Promise<Answer> {
  const { api, payment, question, signal } = following;
  const { amount, currency, reference, uncaptured } = question;
  const units = inStripeUnits(amount, currency);
  if (units === undefined) return noSuchAmount(currency);
  const goesOn = multicapture && amount < uncaptured;
  const asked = { api, path: `${PAYMENTS}/${payment}/capture`, key: reference, signal };
  const fields = captureFields(question, units, goesOn);
  const reply = await postOnce({ ...asked, fields }, () => !goesOn || capturedOnlyOnce(api, payment, units, signal));
  // Done under this reference before, and Stripe no longer knows the key.
  const now = reply.kind === "refused" ? reply.error.payment_intent : undefined;
  const before = now && captureAnswer(now, reference);
  if (before) return before;
  if (reply.kind === "refused") return refused(following, reply);
  if (reply.kind !== "ok") return { kind: reply.kind, why: reply.why };
  const captured = ours(paymentIntentOf(reply.body), payment);
  return (captured && captureAnswer(captured, reference)) ?? notRead("capture", payment);
}

async function cancel(following: Following): Promise<Answer> {
  const { api, payment, question, signal } = following;
  const asked = { api, path: `${PAYMENTS}/${payment}/cancel`, fields: {}, key: question.reference, signal };
  const reply = await postOnce(asked, always);
  const now = reply.kind === "refused" ? reply.error.payment_intent : undefined;
  const before = now && voidAnswer(now);
  if (before) return before;
  if (reply.kind === "refused") {
    const decline = refused(following, reply);
    // What is captured was never canceled, whatever else became of the first sending.
    return now?.status === "succeeded" ? { ...decline, isFirstAnswer: true } : decline;
  }
  if (reply.kind !== "ok") return { kind: reply.kind, why: reply.why };
  const canceled = ours(paymentIntentOf(reply.body), payment);
  return (canceled && voidAnswer(canceled)) ?? notRead("void", payment);
}

/** What is not captured is released first: the refund is what tells that all of it was voided. */
async function takeBack(following: Following): Promise<Answer> {
  const { api, payment, question, signal } = following;
  const { amount, uncaptured } = question;
  if (uncaptured === 0n) return refund(following, amount);
  const key = `${question.reference}/release`;
  const reply = await postOnce({ api, path: `${PAYMENTS}/${payment}/cancel`, fields: {}, key, signal }, always);
  if (reply.kind !== "ok" && reply.kind !== "refused") return { kind: reply.kind, why: reply.why };
  const now = reply.kind === "ok" ? paymentIntentOf(reply.body) : reply.error.payment_intent;
  // A payment that is captured once has released the rest by itself, and cannot be canceled.
  if (now?.amount_capturable === 0) return afterRelease(await refund(following, minus(amount, uncaptured)));
  return reply.kind === "refused" ? refused(following, reply) : notRead("void", payment);
}

/**
 * All that was not captured is released. "Not sent" would say that nothing happened: it goes on when it is asked again. Where the refund is
 * refused, nothing more can be done, and the answer says what was.
 */
function afterRelease(answer: Answer): Answer {
  if (answer.kind === "not-sent") return { kind: "unanswered", why: answer.why };
  if (answer.kind !== "declined") return answer;
  const { processorResponse } = answer;
  const detail = [RELEASED, processorResponse.detail].filter((words) => words !== null).join(" ");
  return { ...answer, processorResponse: { ...processorResponse, detail } };
}

const RELEASED = "What was not captured is released, and only the refund of what was captured is refused.";

async function refund(following: Following, amount: Amount): Promise<Answer> {
  const { api, payment, question, signal } = following;
  const units = inStripeUnits(amount, question.currency);
  if (units === undefined) return noSuchAmount(question.currency);
  const asked = {
    api,
    path: "/v1/refunds",
    fields: refundFields(question, payment, units),
    key: question.reference,
    signal,
  };
  const reply = await postOnce(asked, () => refundedOnlyOnce(api, payment, units, question.reference, signal));
  if (reply.kind === "refused") return refusedRefund(following, reply);
  if (reply.kind !== "ok") return { kind: reply.kind, why: reply.why };
  const refunded = refundOf(reply.body);
  return refunded?.amount === units ? refundAnswer(refunded) : notRead("refund", payment);
}

/** Perhaps because it was done before, and Stripe failed at saying so. */
async function refusedRefund(following: Following, reply: Refused): Promise<Answer> {
  const { api, payment, question, signal } = following;
  const found = await refundUnder(api, payment, question.reference, signal);
  // Only the look-up was not done: the refund itself was sent.
  if (found.kind === "not-sent") return { kind: "unanswered", why: found.why };
  return found.kind === "unknown" ? refused(following, reply) : found;
}

const refused = ({ payment, keyKept }: Following, { error, replayed }: Refused): Decline =>
  refusedFollowUp(error, payment, replayed && keyKept);

const ours = (payment: PaymentIntent | undefined, id: string): PaymentIntent | undefined =>
  payment?.id === id ? payment : undefined;

const notRead = (what: string, payment: string): Answer => ({
  kind: "unanswered",
  why: `the ${what} of ${payment} was answered by something else`,
});

const noSuchAmount = (currency: string): Answer => ({
  kind: "not-sent",
  why: `Stripe has no such amount of ${currency}`,
});
