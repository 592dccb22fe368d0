// What an event of Stripe's says about operations of ours. An approved charge has an event of its own: only that has the auth code and
// what was checked. An event about a payment tells of a charge that failed, and of each capture that has our reference in it; one
// that tells nothing that is known here is kept for the operator.

import type { Made, News } from "../../../payment/news.ts";
import type { Answer, ProcessorNotification } from "../../processor.ts";
import { declinedBy } from "../answers/charge-answer.ts";
import { captureAnswer, capturesIn, refundAnswer } from "../answers/follow-up-answer.ts";
import { approvedCharge, done } from "../answers/processor-response.ts";
import { countsCurrency, ofStripeUnits } from "../currency.ts";
import {
  type ChargeTold,
  chargeToldOf,
  type PaymentIntent,
  paymentIntentOf,
  type Refund,
  refundOf,
} from "../objects.ts";
import { REFERENCE, REVERSAL_OF, TRANSACTION } from "../request-fields.ts";
import { newsOfDispute, type StripeEvent } from "./dispute.ts";

/** One at least, each with an id of its own that is the same when the event comes again. */
export function notificationsOf(event: StripeEvent): readonly ProcessorNotification[] {
  const payment = event.type.startsWith("payment_intent.") ? paymentIntentOf(event.object) : undefined;
  if (payment) return ofPayment(event, payment);
  const charge = event.type === "charge.succeeded" ? chargeToldOf(event.object) : undefined;
  if (charge) return [ofCharge(event, charge)];
  const expired = event.type === "charge.expired" ? chargeToldOf(event.object) : undefined;
  if (expired?.payment_intent) return [ofExpired(event, expired, expired.payment_intent)];
  const refund = event.type.startsWith("refund.") ? refundOf(event.object) : undefined;
  if (refund) return [ofRefund(event, refund)];
  const news: News = event.type.startsWith("charge.dispute.")
    ? (newsOfDispute(event) ?? { kind: "chargeback" })
    : { kind: "other" };
  return [{ id: event.id, occurredAt: event.at, about: null, news, said: wordsOf(event) }];
}

function ofPayment(event: StripeEvent, payment: PaymentIntent): readonly ProcessorNotification[] {
  const about = aboutOf(payment.metadata);
  const said = `${event.type} ${payment.id} ${payment.status}`;
  const charge = { id: event.id, occurredAt: event.at, about, news: newsOfCharge(event.type, payment), said };
  if (about === null || charge.news.kind !== "known") return [charge];
  const elsewhere = capturedElsewhere(payment);
  const captures = capturesIn(payment).flatMap((capture): ProcessorNotification[] => {
    const news = newsBy(captureAnswer(payment, capture));
    const id = `${event.id}/${capture}`;
    return [{ id, occurredAt: event.at, about: { ...about, reference: capture }, news, said: `${said}, capture` }];
  });
  const over = released(payment);
  const made = elsewhere && { id: `${event.id}/elsewhere`, occurredAt: event.at, about, news: elsewhere, said };
  const rest = over && {
    id: `${event.id}/released`,
    occurredAt: event.at,
    about,
    news: over,
    said: `${said}, released`,
  };
  return [charge, ...captures, ...(made ? [made] : []), ...(rest ? [rest] : [])];
}

/**
 * Of what could be captured in several parts: a capture in the dashboard is the last one, and an authorization that is captured in part
 * expires. What is captured once is over with our own capture, as everybody knows.
 */
function released({
  id,
  status,
  amount,
  amount_received: received,
  currency,
  ...payment
}: PaymentIntent): Made | undefined {
  const inParts = payment.payment_method_options?.card?.request_multicapture === "if_available";
  const over = status === "succeeded" && payment.amount_capturable === 0 && payment.capture_method === "manual";
  if (!inParts || !over || received === 0 || received >= amount) return undefined;
  const money = moneyOf(amount - received, currency);
  return money && { ...madeAt(id, "void", `${id} released`, "RELEASED"), money };
}

/** What was captured in all, without the captures that have our reference. */
function capturedElsewhere(payment: PaymentIntent): Made | undefined {
  const { amount_received: received, capture_method: method, metadata, id } = payment;
  const ours = capturesIn(payment).reduce((sum, name) => sum + (Number(metadata[name]) || 0), 0);
  if (method !== "manual" || received <= ours) return undefined;
  const money = moneyOf(received - ours, payment.currency);
  return money && { ...madeAt(id, "capture", `${id} captured`, "CAPTURED AT STRIPE"), money, inAll: true };
}

const madeAt = (payment: string, type: Made["type"], operation: string, message: string): Made => ({
  kind: "made",
  type,
  operation,
  payment,
  end: "succeeded",
  processorResponse: done(message, payment),
});

/** Both of its events name the same cancellation. */
const canceled = (payment: string, why: string): Made => madeAt(payment, "void", `${payment} canceled`, why);

/** https://docs.stripe.com/api/events/types#event_types-charge.expired */
const ofExpired = (event: StripeEvent, charge: ChargeTold, payment: string): ProcessorNotification => ({
  id: event.id,
  occurredAt: event.at,
  about: aboutOf(charge.metadata),
  news: canceled(payment, "EXPIRED"),
  said: `${event.type} ${charge.id} ${payment} ${charge.status}`,
});

function moneyOf(units: number, currency: string): Made["money"] {
  const code = currency.toUpperCase();
  const amount = countsCurrency(code) ? ofStripeUnits(units, code) : undefined;
  return amount === undefined ? undefined : { amount, currency: code };
}

function ofCharge(event: StripeEvent, charge: ChargeTold): ProcessorNotification {
  const { id, payment_intent: payment, status, metadata } = charge;
  const approved = payment !== null && status === "succeeded";
  return {
    id: event.id,
    occurredAt: event.at,
    about: aboutOf(metadata),
    news: approved
      ? { kind: "succeeded", processorResponse: approvedCharge({ id: payment, latest_charge: charge }, undefined) }
      : { kind: "other" },
    said: `${event.type} ${id} ${payment ?? "of no payment"} ${status}`,
  };
}

/** Whoever canceled it, by our own void or not: what is left of it here is gone. */
function newsOfCharge(type: string, payment: PaymentIntent): News {
  switch (type) {
    // Whoever asked for it has the answer.
    case "payment_intent.requires_action":
      return { kind: "known" };
    case "payment_intent.succeeded":
    case "payment_intent.amount_capturable_updated":
      if (payment.status !== "succeeded" && payment.status !== "requires_capture") return { kind: "other" };
      return { kind: "known" };
    case "payment_intent.payment_failed":
      if (payment.last_payment_error === null) return { kind: "other" };
      return refusedAtFirst(newsBy(declinedBy(payment.last_payment_error, payment.id)));
    case "payment_intent.canceled":
      if (payment.status !== "canceled") return { kind: "other" };
      return canceled(payment.id, `CANCELED ${payment.cancellation_reason ?? ""}`.trim().toUpperCase());
    default:
      return { kind: "other" };
  }
}

/** Of a refund, or of a void of captured money; without our reference it was made in the dashboard, or by a timeout reversal. */
function ofRefund(event: StripeEvent, refund: Refund): ProcessorNotification {
  const about = aboutOf(refund.metadata);
  const news = newsBy(refundAnswer(refund));
  return {
    id: event.id,
    occurredAt: event.at,
    about: about ?? reversedBy(refund),
    news: about === null ? refundedElsewhere(refund, news) : named(news, refund.id),
    said: `${event.type} ${refund.id} ${refund.status}${refund.failure_reason ? `: ${refund.failure_reason}` : ""}`,
  };
}

/** The charge that a timeout reversal refunds. */
function reversedBy({ metadata }: Refund): ProcessorNotification["about"] {
  const [transactionId, reference] = [metadata?.[TRANSACTION], metadata?.[REVERSAL_OF]];
  return transactionId && reference ? { transactionId, reference } : null;
}

function refundedElsewhere({ id, amount, currency, payment_intent }: Refund, news: News): News {
  const payment = typeof payment_intent === "string" ? payment_intent : (payment_intent?.id ?? null);
  const money = moneyOf(amount, currency);
  if ((news.kind !== "succeeded" && news.kind !== "failed") || payment === null || money === undefined)
    return { kind: "other" };
  const { kind: end, processorResponse } = news;
  return { kind: "made", type: "refund", operation: id, payment, money, end, processorResponse };
}

function aboutOf(metadata: Refund["metadata"]): ProcessorNotification["about"] {
  const [transactionId, reference] = [metadata?.[TRANSACTION], metadata?.[REFERENCE]];
  return transactionId && reference ? { transactionId, reference } : null;
}

/** A payment takes another try. */
const refusedAtFirst = (news: News): News => (news.kind === "failed" ? { ...news, refused: true } : news);

/** Under an old key a refund may be made twice. */
const named = (news: News, operation: string): News =>
  news.kind === "succeeded" || news.kind === "failed" ? { ...news, operation } : news;

function newsBy(answer: Answer | undefined): News {
  switch (answer?.kind) {
    case "approved":
      return { kind: "succeeded", processorResponse: answer.processorResponse };
    case "declined":
      return { kind: "failed", processorResponse: answer.processorResponse, category: answer.category };
    default:
      return { kind: "other" };
  }
}

const WORTH_SAYING = ["id", "payment_intent", "charge", "status", "reason", "amount", "currency"] as const;

/** Ids, status and reason, as far as they are short texts or numbers. */
function wordsOf({ type, object }: StripeEvent): string {
  const fields = (typeof object === "object" && object !== null ? object : {}) as Readonly<Record<string, unknown>>;
  const words = WORTH_SAYING.map((name) => fields[name]).filter(
    (value) => typeof value === "number" || (typeof value === "string" && /^[\w.-]{1,80}$/.test(value)),
  );
  return [type, ...words].join(" ");
}
