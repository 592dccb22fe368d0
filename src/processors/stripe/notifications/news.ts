// What an event of Stripe's says about operations of ours. An approved charge has an event of its own: only that has the auth code and
// what was checked. An event about a payment tells of a charge that failed, and of each capture that has our reference in it; one
// that tells nothing that is known here is kept for the operator.

import type { News } from "../../../payment/news.ts";
import type { Answer, ProcessorNotification } from "../../processor.ts";
import { declinedBy } from "../answers/charge-answer.ts";
import { captureAnswer, capturesIn, refundAnswer } from "../answers/follow-up-answer.ts";
import { approvedCharge } from "../answers/processor-response.ts";
import {
  type ChargeTold,
  chargeToldOf,
  type PaymentIntent,
  paymentIntentOf,
  type Refund,
  refundOf,
} from "../objects.ts";
import { REFERENCE, TRANSACTION } from "../request-fields.ts";
import { newsOfDispute, type StripeEvent } from "./dispute.ts";

/** One at least, each with an id of its own that is the same when the event comes again. */
export function notificationsOf(event: StripeEvent): readonly ProcessorNotification[] {
  const payment = event.type.startsWith("payment_intent.") ? paymentIntentOf(event.object) : undefined;
  if (payment) return ofPayment(event, payment);
  const charge = event.type === "charge.succeeded" ? chargeToldOf(event.object) : undefined;
  if (charge) return [ofCharge(event, charge)];
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
  const captures = capturesIn(payment).flatMap((capture): ProcessorNotification[] => {
    const news = newsBy(captureAnswer(payment, capture));
    const id = `${event.id}/${capture}`;
    return [{ id, occurredAt: event.at, about: { ...about, reference: capture }, news, said: `${said}, capture` }];
  });
  return [charge, ...captures];
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

/** A cancellation is kept: whoever canceled knows it, and what expired was never taken. */
function newsOfCharge(type: string, payment: PaymentIntent): News {
  switch (type) {
    case "payment_intent.succeeded":
    case "payment_intent.amount_capturable_updated":
      if (payment.status !== "succeeded" && payment.status !== "requires_capture") return { kind: "other" };
      return { kind: "known" };
    case "payment_intent.payment_failed":
      if (payment.last_payment_error === null) return { kind: "other" };
      return refusedAtFirst(newsBy(declinedBy(payment.last_payment_error, payment.id)));
    default:
      return { kind: "other" };
  }
}

/** Of a refund, or of a void of captured money. One that a timeout reversal made is about no event. */
function ofRefund(event: StripeEvent, refund: Refund): ProcessorNotification {
  return {
    id: event.id,
    occurredAt: event.at,
    about: aboutOf(refund.metadata),
    news: named(newsBy(refundAnswer(refund)), refund.id),
    said: `${event.type} ${refund.id} ${refund.status}${refund.failure_reason ? `: ${refund.failure_reason}` : ""}`,
  };
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
