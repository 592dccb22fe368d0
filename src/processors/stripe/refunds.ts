// The refunds of a payment. They are listed as they stand, unlike what a search finds.

import type { NoAnswer } from "../processor.ts";
import type { StripeApi } from "./api.ts";
import { type Refund, refundsOf } from "./objects.ts";

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

const GIVEN_UP = ["failed", "canceled"];

/** In Stripe's units: what was refunded, or may be yet. */
export const takenBack = (refunds: readonly Refund[]): number =>
  refunds.reduce((sum, { amount, status }) => sum + (GIVEN_UP.includes(status ?? "") ? 0 : amount), 0);
