// How the host writes its objects, as Stripe does; held against Stripe's own types.

import type Stripe from "stripe";
import type { BalanceTransaction } from "./balance.ts";
import type { Charge, Dispute, Payment, PaymentFault, Refund, State } from "./state.ts";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** It was carried out or judged, so that its key remembers it; false for what was turned away before. */
  readonly kept: boolean;
}

export const ok = (body: unknown): Answer => ({ status: 200, body, kept: true });

export const paymentBody = (payment: Payment, expanded: boolean) =>
  ({
    id: payment.id,
    object: "payment_intent",
    created: payment.created,
    livemode: false,
    amount: payment.amount,
    amount_capturable: payment.capturable,
    amount_received: payment.received,
    currency: payment.currency,
    capture_method: payment.manual ? "manual" : "automatic",
    status: payment.status,
    description: payment.description,
    statement_descriptor_suffix: payment.suffix,
    cancellation_reason: payment.canceledFor,
    metadata: payment.metadata,
    payment_method_options: payment.multicapture ? { card: { request_multicapture: "if_available" } as never } : {},
    next_action: nextAction(payment),
    last_payment_error: payment.error && errorFields(payment.error),
    latest_charge:
      payment.charge &&
      (expanded ? (chargeBody(payment.charge, payment.multicapture) as Stripe.Charge) : payment.charge.id),
  }) satisfies Partial<Stripe.PaymentIntent>;

/** Without a `return_url` it is Stripe's own script that goes on. */
function nextAction({ status, challenge, returnUrl }: Payment): Stripe.PaymentIntent.NextAction | null {
  if (status !== "requires_action" || challenge === undefined) return null;
  if (returnUrl === undefined) return { type: "use_stripe_sdk", use_stripe_sdk: {} };
  return { type: "redirect_to_url", redirect_to_url: { url: challenge.url, return_url: returnUrl } };
}

/** As an event tells of it. */
export const chargeOfPayment = (payment: Payment, charge: Charge) => ({
  ...chargeBody(charge, payment.multicapture),
  amount: payment.amount,
  captured: !payment.manual,
  currency: payment.currency,
  payment_intent: payment.id,
  status: "succeeded",
  metadata: chargeMetadata(payment),
});

/** Those that its payment had when it was made: our names, and no capture's. */
const chargeMetadata = ({ metadata }: Payment) =>
  Object.fromEntries(Object.entries(metadata).filter(([name]) => name.startsWith("faregate_")));

const chargeBody = (charge: Charge, multicapture: boolean) => ({
  id: charge.id,
  object: "charge",
  status: "succeeded",
  payment_method_details: {
    type: "card",
    card: {
      authorization_code: charge.authCode,
      network_transaction_id: charge.networkId ?? null,
      last4: charge.last4,
      brand: charge.brand,
      exp_month: charge.expMonth,
      exp_year: charge.expYear,
      checks: charge.checks,
      three_d_secure: charge.threeDSecure && { result: charge.threeDSecure },
      multicapture: { status: multicapture ? "available" : "unavailable" },
    },
  },
});

export const refundBody = (refund: Refund) =>
  ({
    id: refund.id,
    object: "refund",
    created: refund.created,
    amount: refund.amount,
    currency: refund.currency,
    payment_intent: refund.payment,
    status: refund.status,
    metadata: refund.metadata,
    ...(refund.failure && { failure_reason: refund.failure }),
    ...(refund.status === "pending" && { pending_reason: "processing" as const }),
  }) satisfies Partial<Stripe.Refund>;

/** With what it did to the account's balance: what was only held moves nothing. */
export const bookedRefundBody = (refund: Refund) => ({
  ...refundBody(refund),
  balance_transaction:
    refund.releases === "all"
      ? null
      : { id: `txn_${refund.id}`, reporting_category: refund.releases ? "partial_capture_reversal" : "refund" },
});

export const disputeBody = (dispute: Dispute, charge: string) =>
  ({
    id: dispute.id,
    object: "dispute",
    created: dispute.created,
    livemode: false,
    amount: dispute.amount,
    currency: dispute.currency,
    charge,
    payment_intent: dispute.payment,
    status: dispute.status,
    reason: dispute.reason,
    payment_method_details: {
      type: "card",
      card: { brand: "visa", case_type: "chargeback", network: "visa", network_reason_code: dispute.networkReason },
    },
    is_charge_refundable: dispute.status.startsWith("warning_"),
    metadata: {},
    evidence_details: { due_by: dispute.dueBy, has_evidence: false, past_due: false, submission_count: 0 } as never,
    balance_transactions: dispute.movements.map((amount, index) => ({
      id: `txn_${dispute.id}_${index}`,
      object: "balance_transaction",
      amount,
      currency: dispute.currency,
      fee: amount < 0 ? 1500 : 0,
    })) as never,
  }) satisfies Partial<Stripe.Dispute>;

/** Where the type says less than the reporting category. */
const TYPES: Readonly<Partial<Record<BalanceTransaction["type"], "adjustment" | "refund">>> = {
  dispute: "adjustment",
  dispute_reversal: "adjustment",
  partial_capture_reversal: "refund",
};

/** With its source expanded, and of a refund its charge. */
export const balanceBody = (one: BalanceTransaction, state: State, withCharges: boolean) =>
  ({
    id: one.id,
    object: "balance_transaction",
    created: one.created,
    available_on: one.created,
    amount: one.amount,
    fee: one.fee,
    net: one.amount - one.fee,
    currency: one.currency,
    type: TYPES[one.type] ?? (one.type as "charge"),
    reporting_category: one.type,
    status: "available",
    source: sourceOf(one, state, withCharges),
  }) satisfies Partial<Omit<Stripe.BalanceTransaction, "source">> & { source: unknown };

function sourceOf(
  { source }: BalanceTransaction,
  { payments, refunds, disputes }: State,
  withCharges: boolean,
): unknown {
  const [payment, refund, dispute] = [payments.get(source), refunds.get(source), disputes.get(source)];
  const refunded = payments.get(refund?.payment ?? "");
  if (refund)
    return { ...refundBody(refund), charge: withCharges ? refunded && chargeOf(refunded) : refunded?.charge?.id };
  if (dispute) return disputeBody(dispute, payments.get(dispute.payment)?.charge?.id ?? "");
  if (payment === undefined) return { id: source, object: "payout" };
  return chargeOf(payment);
}

const chargeOf = (payment: Payment) => ({
  id: payment.charge?.id,
  object: "charge",
  payment_intent: payment.id,
  amount: payment.amount,
  amount_captured: payment.received,
  currency: payment.currency,
  metadata: chargeMetadata(payment),
});

const errorFields = (fault: PaymentFault) => ({ type: "card_error", ...fault });

export const cardError = (fault: PaymentFault, payment: Payment): Answer => ({
  status: 402,
  body: { error: { ...errorFields(fault), payment_intent: paymentBody(payment, false) } },
  kept: true,
});

/** The payment is not in a state for it. */
export const wrongState = (code: string, message: string, payment: Payment): Answer => ({
  status: 400,
  body: { error: { type: "invalid_request_error", code, message, payment_intent: paymentBody(payment, false) } },
  kept: true,
});

/** Turned away before it was looked at, whatever it was. */
export const fault = (status: number, type: string, code: string | undefined, message: string): Answer => ({
  status,
  body: { error: { type, code, message } },
  kept: false,
});

export const invalid = (message: string, code?: string): Answer => fault(400, "invalid_request_error", code, message);
