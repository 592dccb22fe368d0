// The refunds of a payment. They are listed as they stand, unlike what a search finds.

import type { NoAnswer } from "../processor.ts";
import type { StripeApi } from "./api.ts";
import { bookedRefundOf, type Refund, refundsOf } from "./objects.ts";
import { REFERENCE, TRANSACTION } from "./request-fields.ts";

/** All of them: a payment has few, and more than a page of them is no answer. */
export async function listRefunds(
  api: StripeApi,
  payment: string,
  signal: AbortSignal,
): Promise<readonly Refund[] | NoAnswer> {
  const reply = await api.get("/v1/refunds", { payment_intent: payment, limit: 100 }, signal);
  if (reply.kind === "refused") return { kind: "unanswered", why: reply.error.message ?? reply.error.type };
  if (reply.kind !== "ok") return { kind: reply.kind, why: reply.why };
  return refundsOf(reply.body) ?? { kind: "unanswered", why: "a list of refunds that cannot be read" };
}

/** Whether a refund gave money back, and did not only release what was held: Stripe books that differently, or not at all. */
export async function movesMoney(api: StripeApi, refund: string, signal: AbortSignal): Promise<boolean | NoAnswer> {
  const query = { expand: ["balance_transaction"] };
  const reply = await api.get(`/v1/refunds/${encodeURIComponent(refund)}`, query, signal);
  if (reply.kind === "refused") return { kind: "unanswered", why: reply.error.message ?? reply.error.type };
  if (reply.kind !== "ok") return { kind: reply.kind, why: reply.why };
  const booked = bookedRefundOf(reply.body);
  if (booked === undefined) return { kind: "unanswered", why: "a refund that cannot be read" };
  const { balance_transaction: movement } = booked;
  return movement !== null && movement.reporting_category !== "partial_capture_reversal";
}

const isGivenUp = ({ status }: Refund): boolean => status === "failed" || status === "canceled";

export const isOf = (reference: string, { metadata }: Refund): boolean => metadata?.[REFERENCE] === reference;

/** One that failed does not count beside another that was asked for again. */
export function refundOfEvent(refunds: readonly Refund[], reference: string): Refund | undefined {
  const ours = refunds.filter((refund) => isOf(reference, refund));
  return ours.find((refund) => !isGivenUp(refund)) ?? ours[0];
}

/**
 * In Stripe's units: what the gateway refunded, or may have yet. Stripe lists beside it what it released of an authorization ("the
 * remaining amount_capturable is automatically refunded", https://docs.stripe.com/api/payment_intents/cancel), which was never captured.
 */
export const takenBack = (refunds: readonly Refund[]): number =>
  refunds.reduce((sum, refund) => sum + (isGivenUp(refund) || !isOurs(refund) ? 0 : refund.amount), 0);

const isOurs = ({ metadata }: Refund): boolean => metadata?.[TRANSACTION] !== undefined;
