// A request whose key remembers a 500: under that key Stripe says so again for a day, whatever became of the request, and may still carry
// it out ("treat the result of a 500 request as indeterminate", https://docs.stripe.com/error-low-level#server-errors). So it is asked
// without the key where Stripe itself would not do it twice, and is left to inquiries and webhooks where it would.

import type { StripeApi, StripeReply } from "./api.ts";
import { retrievePayment } from "./find-payment.ts";
import type { PaymentIntent } from "./objects.ts";
import { isOf, listRefunds, takenBack } from "./refunds.ts";

interface Asked {
  readonly api: StripeApi;
  readonly path: string;
  readonly fields: Parameters<StripeApi["post"]>[1];
  readonly key: string;
  readonly signal: AbortSignal;
}

/** @param onlyOnce whether Stripe would refuse to do it a second time */
export async function postOnce(
  { api, path, fields, key, signal }: Asked,
  onlyOnce: () => boolean | Promise<boolean>,
): Promise<StripeReply> {
  const reply = await api.post(path, fields, key, signal);
  const remembered = reply.kind === "unanswered" && "failed" in reply && reply.replayed;
  return remembered && (await onlyOnce()) ? api.post(path, fields, null, signal) : reply;
}

/** A payment is canceled once, and its authorization released once. */
export const always = (): boolean => true;

/** Whether two captures of so much are more than can be captured. */
export async function capturedOnlyOnce(
  api: StripeApi,
  payment: string,
  units: number,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await retrievePayment(api, payment, signal);
  return found.kind === "found" && 2 * units > found.payment.amount_capturable;
}

/** A payment that took some of what was authorized is canceled when the rest is released. */
const isOver = ({ status, amount_capturable }: PaymentIntent): boolean =>
  status === "succeeded" || (status === "canceled" && amount_capturable === 0);

/**
 * Whether two refunds of so much are more than is left of the payment, of which nothing more is captured. What was refunded in the
 * Dashboard leaves less than is counted here, so that Stripe refuses the second all the more. One that failed leaves as much as before:
 * where there is any under the reference, an inquiry tells its end.
 */
export async function refundedOnlyOnce(
  api: StripeApi,
  payment: string,
  units: number,
  reference: string,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await retrievePayment(api, payment, signal);
  const refunds = await listRefunds(api, payment, signal);
  if (found.kind !== "found" || "why" in refunds || !isOver(found.payment)) return false;
  if (refunds.some((refund) => isOf(reference, refund))) return false;
  return 2 * units > found.payment.amount_received - takenBack(refunds);
}
