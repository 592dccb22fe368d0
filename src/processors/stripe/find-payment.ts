// Which payment at Stripe is a charge of ours. It is created again under the same key, and Stripe answers with the first one: so
// it is known for certain, and at once. Where Stripe no longer has the key, a search by our reference tells.

import type { Clock } from "../../clock.ts";
import { timeOfId } from "../../uuid.ts";
import type { InquiryQuestion, NoAnswer, Original, PaymentOwner, TimeoutReversalQuestion } from "../processor.ts";
import type { Failed, KeyTaken, Refused, StripeApi } from "./api.ts";
import { inStripeUnits } from "./currency.ts";
import { type PaymentIntent, paymentIntentOf, paymentIntentsOf } from "./objects.ts";
import { movesMoney } from "./refunds.ts";
import { type CreatedCharge, createFields, REFERENCE, TRANSACTION } from "./request-fields.ts";

export type Created =
  | { readonly kind: "created"; readonly payment: PaymentIntent; readonly replayed: boolean }
  | Refused
  | KeyTaken
  | Failed
  | NoAnswer;

export type Found =
  /** `stale`: as it was when it was created. */
  | { readonly kind: "found"; readonly payment: PaymentIntent; readonly stale: boolean }
  | { readonly kind: "none" }
  | NoAnswer;

export const PAYMENTS = "/v1/payment_intents";

/** Moves nothing: without a card it waits for one. */
export async function createPayment(
  api: StripeApi,
  charge: CreatedCharge & Pick<InquiryQuestion, "amount">,
  signal: AbortSignal,
): Promise<Created> {
  const { amount, currency, reference } = charge;
  const units = inStripeUnits(amount, currency);
  if (units === undefined) return { kind: "not-sent", why: `Stripe has no such amount of ${currency}` };
  const reply = await api.post(PAYMENTS, createFields(charge, units), reference, signal);
  if (reply.kind !== "ok") return reply;
  const payment = paymentIntentOf(reply.body);
  if (payment === undefined) return { kind: "unanswered", why: "a payment that cannot be read" };
  return { kind: "created", payment, replayed: reply.replayed };
}

/** Of a charge. If it never came, it is created now, without a card. */
export async function findPayment(
  api: StripeApi,
  clock: Clock,
  charge: TimeoutReversalQuestion,
  signal: AbortSignal,
): Promise<Found> {
  const created = await createPayment(api, charge, signal);
  switch (created.kind) {
    case "created":
      if (created.replayed || !isOld(charge.reference, clock.now())) return foundBy(created);
      return firstOf(await searchPayment(api, charge.reference, signal), created.payment);
    case "refused": {
      const old = isOld(charge.reference, clock.now());
      // The first answer: there never was a payment. Any other refusal is no word about the first request.
      if (created.replayed && !old) return { kind: "none" };
      const found = await searchPayment(api, charge.reference, signal);
      return old ? found : certainly(found);
    }
    case "not-sent":
      return created;
    case "unanswered":
      if ("keyTaken" in created) return certainly(await searchPayment(api, charge.reference, signal));
      if ("failed" in created && created.replayed) return neverNamed(api, clock, charge, signal);
      return created;
  }
}

/**
 * Of a charge of which Stripe's first answer was a failure: nobody was told its payment's id, so no card was sent for it. An old key may
 * have been forgotten, and its first answer be one of later.
 */
const neverNamed = async (
  api: StripeApi,
  clock: Clock,
  { reference }: TimeoutReversalQuestion,
  signal: AbortSignal,
): Promise<Found> =>
  isOld(reference, clock.now()) ? certainly(await searchPayment(api, reference, signal)) : { kind: "none" };

/** Of an approved charge: its id is on record. */
export async function paymentOf(
  api: StripeApi,
  { processorTransactionId: id, reference }: Original,
  signal: AbortSignal,
): Promise<Found> {
  return id === null ? searchPayment(api, reference, signal) : retrievePayment(api, id, signal);
}

/** As it is now. */
export async function retrievePayment(api: StripeApi, id: string, signal: AbortSignal): Promise<Found> {
  const reply = await api.get(`${PAYMENTS}/${encodeURIComponent(id)}`, { expand: ["latest_charge"] }, signal);
  if (reply.kind === "refused") return { kind: "unanswered", why: reply.error.message ?? reply.error.type };
  if (reply.kind !== "ok") return reply;
  const payment = paymentIntentOf(reply.body);
  return payment
    ? { kind: "found", payment, stale: false }
    : { kind: "unanswered", why: "a payment that cannot be read" };
}

/** By our names in its metadata. One that another program made with the same account has none. */
export async function whose(
  api: StripeApi,
  payment: string,
  signal: AbortSignal,
  operation?: string,
): Promise<PaymentOwner> {
  const reply = await api.get(`${PAYMENTS}/${encodeURIComponent(payment)}`, {}, signal);
  // Another account's, such as a connected one's whose events come to the same endpoint.
  if ("missing" in reply) return { kind: "not-ours" };
  if (reply.kind === "refused") return { kind: "unanswered", why: reply.error.message ?? reply.error.type };
  if (reply.kind !== "ok") return reply;
  const found = paymentIntentOf(reply.body);
  if (found === undefined) return { kind: "unanswered", why: "a payment that cannot be read" };
  const { [TRANSACTION]: transactionId, [REFERENCE]: reference } = found.metadata;
  if (!transactionId || !reference) return { kind: "not-ours" };
  const moves = operation === undefined || (await movesMoney(api, operation, signal));
  if (typeof moves === "object") return moves;
  return moves ? { kind: "ours", transactionId, reference } : { kind: "moved-nothing" };
}

const foundBy = ({ payment, replayed }: { readonly payment: PaymentIntent; readonly replayed: boolean }): Found => ({
  kind: "found",
  payment,
  stale: replayed,
});

/** What is new is found by a search after a minute, so it is for old charges. https://docs.stripe.com/search#data-freshness */
async function searchPayment(api: StripeApi, reference: string, signal: AbortSignal): Promise<Found> {
  const query = { query: `metadata['${REFERENCE}']:'${reference}'`, limit: 100, expand: ["data.latest_charge"] };
  const reply = await api.get(`${PAYMENTS}/search`, query, signal);
  if (reply.kind === "refused") return { kind: "unanswered", why: reply.error.message ?? reply.error.type };
  if (reply.kind !== "ok") return reply;
  const payments = paymentIntentsOf(reply.body);
  if (payments === undefined) return { kind: "unanswered", why: "search results that cannot be read" };
  // One that was created a second time, when the key was gone, never had a card.
  const payment = payments.find(({ status }) => status !== "requires_payment_method") ?? payments[0];
  return payment ? { kind: "found", payment, stale: false } : { kind: "none" };
}

const firstOf = (found: Found, otherwise: PaymentIntent): Found =>
  found.kind === "none" ? { kind: "found", payment: otherwise, stale: false } : found;

/** What is new may not be found yet: not to find it is no proof that it is not there. */
const certainly = (found: Found): Found =>
  found.kind === "none" ? { kind: "unanswered", why: "the charge may be at Stripe, and cannot be found yet" } : found;

/** Stripe keeps keys for 24 hours at least. https://docs.stripe.com/api/idempotent_requests */
const KEPT_MS = 23 * 3_600_000;

export const isOld = (reference: string, now: Date): boolean => now.getTime() - timeOfId(reference) > KEPT_MS;
