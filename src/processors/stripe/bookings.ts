// What was done in an account at Stripe since a time, as Stripe lists it: payments with their captures, and refunds, each with our names in
// its metadata. Only looked at. https://docs.stripe.com/api/payment_intents/list, https://docs.stripe.com/api/refunds/list

import { setTimeout as pause } from "node:timers/promises";
import { isUuid, timeOfId } from "../../uuid.ts";
import { type Booking, type BookingsReader, NoBookings, type OpenCharge } from "../bookings.ts";
import type { BrokenLine, ForeignLine } from "../books.ts";
import { LONGEST_PAGE } from "../https/https-link.ts";
import { StripeApi } from "./api.ts";
import { ofStripeUnits } from "./currency.ts";
import { PAYMENTS, retrievePayment } from "./find-payment.ts";
import { type PaymentIntent, paymentIntentOf, type Refund, refundOf } from "./objects.ts";
import { REFERENCE, REVERSAL_OF, TRANSACTION } from "./request-fields.ts";
import { type StripeSettings, withDefaults } from "./settings.ts";

type Line = Booking | ForeignLine | BrokenLine;

export const stripeBookings: BookingsReader = {
  needs: "nothing: Stripe is asked",
  complete: true,
  eventIdOf: ({ eventId }) => eventId ?? undefined,
  isOf: (id, { eventId }) => id === eventId,
  async *ask(record, since, open, signal) {
    const { base_url, secret_key } = withDefaults(record.settings as StripeSettings);
    const api = new StripeApi(new URL(base_url), secret_key, 1, LONGEST_PAGE);
    const charges = new Map(open.map((one) => [one.processorTransactionId, one]));
    const created = { created: { gte: Math.floor(since.getTime() / 1000) } };
    let line = 0;
    try {
      const expanded = { ...created, expand: ["data.latest_charge"] };
      for await (const page of pages(api, PAYMENTS, expanded, signal)) {
        const payments = page.map((one) => paymentIntentOf(one));
        yield payments.flatMap((one) => paymentLines(one, ++line, charges.get(one?.id ?? "")));
        for (const one of payments) charges.delete(one?.id ?? "");
      }
      // Older ones, of which money may have been captured or released since.
      for (const charge of charges.values()) {
        const found = await retrievePayment(api, charge.processorTransactionId, signal);
        if (found.kind !== "found") throw new NoBookings("why" in found ? found.why : "a payment is not there");
        yield paymentLines(found.payment, ++line, charge);
      }
      for await (const page of pages(api, "/v1/refunds", created, signal))
        yield page.map((one) => refundLine(refundOf(one), ++line));
    } finally {
      await api.close();
    }
  },
};

const NOTHING_MORE = {
  ...{ nothingHeld: false, ofCharge: null, merchantTransactionId: null, card: null, authCode: null, trace: null },
} as const;

/** @param open the charge is approved here, and all of it was not captured or released yet */
function paymentLines(payment: PaymentIntent | undefined, line: number, open: OpenCharge | undefined): readonly Line[] {
  if (payment === undefined) return [{ line, fault: "a payment that cannot be read" }];
  const { id, status, metadata, capture_method, amount, description, created } = payment;
  const { [TRANSACTION]: transaction = "", [REFERENCE]: event = "" } = metadata;
  if (!isUuid(transaction) || !isUuid(event)) return [{ line, foreign: true }];
  const state = stateOf(payment);
  if (state === "open") return [{ line, fault: `${id} is ${status}: compare again later` }];
  if (state === "not confirmed") return [];
  const currency = payment.currency.toUpperCase();
  const transactionId = transaction.toLowerCase();
  const common = { ...NOTHING_MORE, line, currency, transactionId, processorTransactionId: id };
  const details =
    typeof payment.latest_charge === "object" ? payment.latest_charge?.payment_method_details?.card : null;
  const charge: Booking = {
    ...common,
    ...{ operation: capture_method === "manual" ? "auth" : "sale", reference: id, eventId: event.toLowerCase() },
    at: new Date((created ?? timeOfId(event) / 1000) * 1000),
    amount: ofStripeUnits(amount, currency) ?? null,
    approved: state !== "declined",
    ...(state === "canceled" && { canceled: true }),
    code:
      state === "declined"
        ? (payment.last_payment_error?.decline_code ?? payment.last_payment_error?.code ?? "NO")
        : "00",
    merchantTransactionId: description || null,
    card: cardOf(details),
    authCode: details?.authorization_code ?? null,
  };
  const captures = Object.entries(metadata).flatMap(([name, units]): Booking[] => {
    const captured = isUuid(name) && /^\d{1,15}$/.test(units) ? ofStripeUnits(Number(units), currency) : undefined;
    if (captured === undefined) return [];
    const its = {
      operation: "capture",
      reference: name,
      eventId: name.toLowerCase(),
      at: new Date(timeOfId(name)),
    } as const;
    return [{ ...common, ...its, amount: captured, approved: true, code: "00", ofCharge: id }];
  });
  return [charge, ...captures, ...(state === "canceled" && open ? [voidOf(payment, common, currency)] : [])];
}

/** A cancellation has no metadata of its own: it is the only one of its payment. */
const voidOf = (
  { id, amount, amount_received }: PaymentIntent,
  common: typeof NOTHING_MORE & Pick<Booking, "line" | "currency" | "transactionId" | "processorTransactionId">,
  currency: string,
): Booking => ({
  ...common,
  ...{
    operation: "void",
    reference: `${id}/cancel`,
    eventId: null,
    at: null,
    approved: true,
    code: "00",
    ofCharge: id,
  },
  amount: ofStripeUnits(amount - amount_received, currency) ?? null,
});

type State = "approved" | "declined" | "canceled" | "open" | "not confirmed";

function stateOf({ status, latest_charge, last_payment_error }: PaymentIntent): State {
  switch (status) {
    case "succeeded":
    case "requires_capture":
      return "approved";
    case "canceled": {
      if (latest_charge === null) return last_payment_error === null ? "not confirmed" : "declined";
      const its = typeof latest_charge === "object" ? (latest_charge.status ?? "succeeded") : "succeeded";
      return its === "succeeded" && last_payment_error === null ? "canceled" : "declined";
    }
    case "requires_payment_method":
    case "requires_confirmation":
      return last_payment_error === null ? "not confirmed" : "declined";
    case "requires_action":
      return "declined";
    default:
      return "open";
  }
}

function refundLine(refund: Refund | undefined, line: number): Line {
  if (refund === undefined) return { line, fault: "a refund that cannot be read" };
  const { id, status, amount, created, payment_intent } = refund;
  const {
    [TRANSACTION]: transaction = "",
    [REFERENCE]: event = "",
    [REVERSAL_OF]: reversed = "",
  } = refund.metadata ?? {};
  const payment = typeof payment_intent === "object" ? (payment_intent?.id ?? null) : (payment_intent ?? null);
  const isReversal = isUuid(reversed);
  if (!isUuid(transaction) || !(isUuid(event) || isReversal) || payment === null) return { line, foreign: true };
  const done = status === "succeeded";
  if (!done && status !== "failed" && status !== "canceled")
    return { line, fault: `${id} is ${status}: compare again later` };
  const currency = refund.currency.toUpperCase();
  return {
    ...{ ...NOTHING_MORE, line, currency, ofCharge: payment, transactionId: transaction.toLowerCase() },
    ...(isReversal
      ? { operation: "reversal", reference: payment, eventId: reversed.toLowerCase(), nothingHeld: done }
      : { operation: "refund", reference: id, eventId: event.toLowerCase(), isPerhapsVoid: true }),
    at: created === undefined ? null : new Date(created * 1000),
    amount: ofStripeUnits(amount, currency) ?? null,
    approved: done,
    code: done ? "00" : "05",
    processorTransactionId: id,
  };
}

type CardDetails = NonNullable<
  NonNullable<Extract<PaymentIntent["latest_charge"], object>["payment_method_details"]>["card"]
>;

function cardOf(card: CardDetails | null | undefined): Booking["card"] {
  if (!card?.last4 || !/^\d{4}$/.test(card.last4)) return null;
  const { last4, brand, exp_month: month, exp_year: year } = card;
  return {
    // Stripe tells the last four digits only.
    mask: `${"*".repeat(12)}${last4}`,
    brand: brand ?? null,
    expiryMonth: month === undefined ? null : String(month).padStart(2, "0"),
    expiryYear: year === undefined ? null : String(year),
  };
}

const PAGE = 100;
const TRIES = 4;
const PAUSE_MS = 250;

async function* pages(
  api: StripeApi,
  path: string,
  query: Parameters<StripeApi["get"]>[1],
  signal: AbortSignal,
): AsyncGenerator<readonly unknown[]> {
  for (let after: string | undefined; ; ) {
    const { data, has_more } = await pageOf(api, path, { ...query, limit: PAGE, starting_after: after }, signal);
    yield data;
    if (!has_more) return;
    const last = data.at(-1) as { readonly id?: unknown } | undefined;
    if (typeof last?.id !== "string") throw new NoBookings("Stripe's list goes on, and its last entry has no id");
    after = last.id;
  }
}

/** Looking does no harm, so it is tried again where Stripe is busy or does not answer. */
async function pageOf(api: StripeApi, path: string, query: Parameters<StripeApi["get"]>[1], signal: AbortSignal) {
  for (let tries = 1; ; tries++) {
    const reply = await api.get(path, query, signal);
    if (reply.kind === "ok") {
      const { data, has_more } = reply.body as { readonly data?: unknown; readonly has_more?: unknown };
      if (Array.isArray(data) && typeof has_more === "boolean") return { data: data as readonly unknown[], has_more };
      throw new NoBookings("Stripe's answer is no list");
    }
    const why = reply.kind === "refused" ? (reply.error.message ?? reply.error.type) : reply.why;
    if (reply.kind === "refused" || tries === TRIES || /HTTP 40[134]/.test(why)) throw new NoBookings(why);
    await pause(PAUSE_MS * tries, undefined, { signal });
  }
}
