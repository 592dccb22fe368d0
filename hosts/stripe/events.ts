// Which event Stripe tells of an object as it is now, and those of what came since some time: what a host that was killed had not told
// yet. https://docs.stripe.com/api/events/types

import { chargeOfPayment, paymentBody, refundBody } from "./answer.ts";
import type { Payment, Refund, State } from "./state.ts";

export interface StripeEvent {
  readonly type: string;
  readonly object: unknown;
}

export const paymentEvent = (payment: Payment): StripeEvent => ({
  type: typeOf(payment),
  object: paymentBody(payment, false),
});

/** Undefined where no card came, or was not approved yet. */
export function chargeEvent(payment: Payment): StripeEvent | undefined {
  const { charge, status } = payment;
  if (charge === null || status === "processing" || status === "requires_payment_method") return undefined;
  return { type: "charge.succeeded", object: chargeOfPayment(payment, charge) };
}

function typeOf({ status, error }: Payment): string {
  switch (status) {
    case "requires_capture":
      return "payment_intent.amount_capturable_updated";
    case "requires_payment_method":
      return error ? "payment_intent.payment_failed" : "payment_intent.created";
    default:
      return `payment_intent.${status}`;
  }
}

/** Of one that has its end. */
export const refundEvent = (refund: Refund): StripeEvent => ({
  type: refund.status === "failed" ? "refund.failed" : "refund.updated",
  object: refundBody(refund),
});

/** In no order. */
export function eventsSince({ payments, refunds }: State, since: Date): readonly StripeEvent[] {
  const second = Math.floor(since.getTime() / 1000);
  const recent = <T extends { readonly created: number }>(all: Iterable<T>) =>
    [...all].filter(({ created }) => created >= second);
  const charged = recent(payments.values());
  const events = [
    ...charged.map(paymentEvent),
    ...charged.flatMap((payment) => chargeEvent(payment) ?? []),
    ...recent(refunds.values()).map(refundEvent),
  ];
  return events
    .map((event) => ({ event, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ event }) => event);
}
