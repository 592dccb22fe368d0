// Payments (PaymentIntents): created, confirmed, captured, canceled. https://docs.stripe.com/payments/paymentintents/lifecycle

import { randomBytes } from "node:crypto";
import { cardNumber } from "../../src/payment/card.ts";
import { cardBrand } from "../../src/payment/card-brand.ts";
import { type Answer, cardError, invalid, ok, paymentBody, wrongState } from "./answer.ts";
import { conductOf } from "./cards.ts";
import { takesAmount } from "./currency.ts";
import { type Fields, numberAt, textAt, textsAt } from "./form.ts";
import { newId } from "./new-id.ts";
import { noMethod, type PaymentMethod, type PaymentMethods } from "./payment-methods.ts";
import type { Charge, Payment, PaymentFault } from "./state.ts";

export interface Work {
  readonly fields: Fields;
  readonly now: Date;
  /** What should be done is accepted, and its end told later. */
  readonly accepts: boolean;
  readonly methods: PaymentMethods;
  /** Of the host itself. */
  readonly origin: string;
  write(payment: Payment): void;
  /** Gives back so much of what was authorized, by a refund of the host's own. */
  release(payment: Payment, amount: number, releases: "all" | "rest"): void;
}

export function create({ fields, now, write }: Work): Answer {
  const [amount, currency] = [numberAt(fields, "amount"), textAt(fields, "currency")];
  if (amount === undefined || amount === 0) return invalid("Invalid positive integer", "parameter_invalid_integer");
  if (currency === undefined || !/^[a-z]{3}$/.test(currency)) return invalid("Invalid currency");
  // Stripe's least charge differs by currency; this is its usual one.
  if (amount < 1) return invalid("Amount must be at least 1", "amount_too_small");
  if (!takesAmount(amount, currency)) return INDIVISIBLE;
  const payment: Payment = {
    id: newId("pi"),
    created: Math.floor(now.getTime() / 1000),
    amount,
    currency,
    manual: textAt(fields, "capture_method") === "manual",
    description: textAt(fields, "description") ?? null,
    suffix: textAt(fields, "statement_descriptor_suffix") ?? null,
    metadata: textsAt(fields, "metadata"),
    status: "requires_payment_method",
    capturable: 0,
    received: 0,
    multicapture: false,
    canceledFor: null,
    charge: null,
    error: null,
  };
  write(payment);
  return ok(paymentBody(payment, false));
}

/** https://support.stripe.com/questions/deprecation-of-fractional-isk-charges-and-refunds */
export const INDIVISIBLE: Answer = invalid(
  "Invalid amount. There is no such amount of this currency.",
  "invalid_charge_amount_no_decimal_compatible",
);

/** https://docs.stripe.com/api/payment_intents/update: its customer, as long as it is not confirmed. */
export function update(payment: Payment, { fields, write }: Work): Answer {
  if (payment.status !== "requires_payment_method") return unexpected(payment, "update");
  const customer = textAt(fields, "customer");
  const updated = customer === undefined ? payment : { ...payment, customer };
  write(updated);
  return ok(paymentBody(updated, false));
}

export function confirm(payment: Payment, work: Work): Answer {
  const { fields, accepts, write } = work;
  if (payment.status !== "requires_payment_method") return unexpected(payment, "confirm");
  // The published document has no card there: stripe-mock declines it in the same words.
  if (fields.payment_method_data !== undefined) return invalid("Received unknown parameter: payment_method_data[card]");
  const id = textAt(fields, "payment_method") ?? "";
  const method = work.methods.get(id);
  if (method === undefined) return noMethod(id);
  if (method.customer !== undefined && method.customer !== payment.customer)
    return invalid("The provided PaymentMethod is attached to a Customer: include the Customer in the request.");
  const conduct = conductOf(method.number);
  if (conduct.decline) return decline(payment, conduct.decline, write);
  const charge = chargeOf(fields, method);
  const multicapture = textAt(fields, "payment_method_options", "card", "request_multicapture") === "if_available";
  const returnUrl = textAt(fields, "return_url");
  const asked = { ...payment, multicapture, ...(returnUrl !== undefined && { returnUrl }) };
  const challenged = !accepts && conduct.challenge && charge.threeDSecure === null;
  const confirmed: Payment = challenged
    ? { ...asked, status: "requires_action", challenge: { charge, url: `${work.origin}/challenge/${payment.id}` } }
    : accepts
      ? { ...asked, charge, status: "processing" }
      : taken({ ...asked, charge });
  write(confirmed);
  return ok(paymentBody(confirmed, true));
}

/** Held or received, all of it. */
export const taken = (payment: Payment): Payment =>
  payment.manual
    ? { ...payment, status: "requires_capture", capturable: payment.amount }
    : { ...payment, status: "succeeded", received: payment.amount };

export const failed = (payment: Payment, error: PaymentFault): Payment => ({
  ...payment,
  status: "requires_payment_method",
  error,
});

export function capture(payment: Payment, { fields, write, release }: Work): Answer {
  if (payment.status !== "requires_capture") return unexpected(payment, "capture");
  const amount = numberAt(fields, "amount_to_capture") ?? payment.capturable;
  if (amount > payment.capturable)
    return wrongState("amount_too_large", "The amount is more than can be captured", payment);
  if (!takesAmount(amount, payment.currency)) return INDIVISIBLE;
  const goesOn = textAt(fields, "final_capture") === "false";
  if (goesOn && !payment.multicapture) return invalid("This payment is not eligible for multicapture");
  const rest = goesOn ? payment.capturable - amount : 0;
  const captured: Payment = {
    ...payment,
    status: rest > 0 ? "requires_capture" : "succeeded",
    capturable: rest,
    received: payment.received + amount,
    metadata: { ...payment.metadata, ...textsAt(fields, "metadata") },
  };
  write(captured);
  const over = payment.capturable - amount;
  if (!goesOn && over > 0) release(captured, over, payment.received === 0 ? "rest" : "all");
  return ok(paymentBody(captured, true));
}

const CANCELABLE = ["requires_payment_method", "requires_capture", "requires_confirmation", "requires_action"];

/** "The remaining amount_capturable is automatically refunded." https://docs.stripe.com/api/payment_intents/cancel */
export function cancel(payment: Payment, { fields, write, release }: Work): Answer {
  if (!CANCELABLE.includes(payment.status)) return unexpected(payment, "cancel");
  const canceledFor = textAt(fields, "cancellation_reason") ?? null;
  const canceled: Payment = { ...payment, status: "canceled", capturable: 0, canceledFor };
  write(canceled);
  if (payment.capturable > 0) release(canceled, payment.capturable, "all");
  return ok(paymentBody(canceled, false));
}

const unexpected = (payment: Payment, what: string): Answer =>
  wrongState(
    "payment_intent_unexpected_state",
    `You cannot ${what} this PaymentIntent because it has a status of ${payment.status}.`,
    payment,
  );

function decline(
  payment: Payment,
  { code, declineCode }: { readonly code: string; readonly declineCode?: string },
  write: Work["write"],
): Answer {
  const error: PaymentFault = {
    code,
    ...(declineCode !== undefined && { decline_code: declineCode }),
    message: "Your card was declined.",
  };
  const declined = failed(payment, error);
  write(declined);
  return cardError(error, declined);
}

function chargeOf(fields: Fields, method: PaymentMethod): Charge {
  const { number, expMonth, expYear, hasCvc, hasStreet, hasPostalCode } = method;
  const { addressChecks, cvcCheck, refund } = conductOf(number);
  const authenticated = textAt(fields, "payment_method_options", "card", "three_d_secure", "cryptogram");
  return {
    id: newId("ch"),
    authCode: randomBytes(3).toString("hex").toUpperCase(),
    networkId: `MCC${randomBytes(5).toString("hex").toUpperCase()}`,
    ...{ last4: number.slice(-4), brand: cardBrand(cardNumber(number)), expMonth, expYear },
    checks: {
      address_line1_check: hasStreet ? (addressChecks ?? "pass") : null,
      address_postal_code_check: hasPostalCode ? (addressChecks ?? "pass") : null,
      cvc_check: hasCvc ? (cvcCheck ?? "pass") : null,
    },
    threeDSecure: authenticated === undefined ? null : "authenticated",
    refund: refund ?? null,
  };
}
