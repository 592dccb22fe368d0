// Refunds of payments. https://docs.stripe.com/api/refunds

import { type Answer, invalid, ok, refundBody, wrongState } from "./answer.ts";
import { takesAmount } from "./currency.ts";
import { numberAt, textAt, textsAt } from "./form.ts";
import { newId } from "./new-id.ts";
import { INDIVISIBLE, type Work } from "./payments.ts";
import type { Payment, Refund, State } from "./state.ts";

export function refund(state: State, { fields, now, accepts }: Work, write: (refund: Refund) => void): Answer {
  const payment = state.payments.get(textAt(fields, "payment_intent") ?? "");
  if (payment === undefined) return invalid("No such payment_intent", "resource_missing");
  const left = payment.received - state.refunded(payment.id);
  const amount = numberAt(fields, "amount") ?? left;
  if (left === 0 && payment.received > 0)
    return wrongState("charge_already_refunded", "The charge has already been refunded.", payment);
  if (amount === 0 || amount > left) return invalid("Refund amount is greater than unrefunded amount on charge");
  if (!takesAmount(amount, payment.currency)) return INDIVISIBLE;
  const made: Refund = {
    id: newId("re"),
    created: Math.floor(now.getTime() / 1000),
    payment: payment.id,
    amount,
    currency: payment.currency,
    status: accepts || payment.charge?.refund === "pending" ? "pending" : "succeeded",
    failure: null,
    metadata: textsAt(fields, "metadata"),
  };
  write(made);
  return ok(refundBody(made));
}

/** It has nothing of whoever asked for a cancellation or a capture. */
export const released = (
  { id: payment, currency }: Payment,
  amount: number,
  releases: "all" | "rest",
  now: Date,
): Refund => ({
  ...{ id: newId("re"), created: Math.floor(now.getTime() / 1000), payment, amount, currency },
  ...{ status: "succeeded", failure: null, metadata: {}, releases },
});

export const ended = (refund: Refund, how: "approved" | "declined"): Refund =>
  how === "approved"
    ? { ...refund, status: "succeeded" }
    : { ...refund, status: "failed", failure: "expired_or_canceled_card" };
