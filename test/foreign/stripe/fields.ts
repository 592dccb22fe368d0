// What the gateway reads of Stripe's objects, each with the schema and field of Stripe's published document where it stands. It compiles
// only as long as it lists what is read, and nothing else.

import type {
  ChargeTold,
  Dispute,
  PaymentIntent,
  Refund,
  StripeError,
} from "../../../src/processors/stripe/objects.ts";
import type { Path } from "../paths.ts";

type Table<Read> = Readonly<Record<Path<Read>, string>>;

const CHECKS = "payment_method_details_card_checks";
const CARD = "payment_method_details_card";
const MULTICAPTURE = "payment_flows_private_payment_methods_card_details_api_resource_multicapture";

const CARD_DETAILS = {
  authorization_code: `${CARD}.authorization_code`,
  network_transaction_id: `${CARD}.network_transaction_id`,
  brand: `${CARD}.brand`,
  last4: `${CARD}.last4`,
  exp_month: `${CARD}.exp_month`,
  exp_year: `${CARD}.exp_year`,
  checks: `${CARD}.checks`,
  "checks.address_line1_check": `${CHECKS}.address_line1_check`,
  "checks.address_postal_code_check": `${CHECKS}.address_postal_code_check`,
  "checks.cvc_check": `${CHECKS}.cvc_check`,
  three_d_secure: `${CARD}.three_d_secure`,
  "three_d_secure.result": "three_d_secure_details_charge.result",
  multicapture: `${CARD}.multicapture`,
  "multicapture.status": `${MULTICAPTURE}.status`,
} as const;

const CHARGE = {
  id: "charge.id",
  status: "charge.status",
  payment_method_details: "charge.payment_method_details",
  "payment_method_details.card": "payment_method_details.card",
  ...under("payment_method_details.card", CARD_DETAILS),
} as const;

const ERROR = {
  type: "api_errors.type",
  code: "api_errors.code",
  decline_code: "api_errors.decline_code",
  message: "api_errors.message",
  param: "api_errors.param",
  advice_code: "api_errors.advice_code",
  network_advice_code: "api_errors.network_advice_code",
  network_decline_code: "api_errors.network_decline_code",
  payment_method: "api_errors.payment_method",
  "payment_method.card": "payment_method.card",
  "payment_method.card.checks": "payment_method_card.checks",
  "payment_method.card.checks.address_line1_check": "payment_method_card_checks.address_line1_check",
  "payment_method.card.checks.address_postal_code_check": "payment_method_card_checks.address_postal_code_check",
  "payment_method.card.checks.cvc_check": "payment_method_card_checks.cvc_check",
} as const;

const PAYMENT = {
  id: "payment_intent.id",
  object: "payment_intent.object",
  amount: "payment_intent.amount",
  amount_capturable: "payment_intent.amount_capturable",
  amount_received: "payment_intent.amount_received",
  currency: "payment_intent.currency",
  status: "payment_intent.status",
  cancellation_reason: "payment_intent.cancellation_reason",
  created: "payment_intent.created",
  description: "payment_intent.description",
  metadata: "payment_intent.metadata",
  capture_method: "payment_intent.capture_method",
  payment_method_options: "payment_intent.payment_method_options",
  "payment_method_options.card": "payment_intent_payment_method_options.card",
  "payment_method_options.card.request_multicapture": "payment_intent_payment_method_options_card.request_multicapture",
  next_action: "payment_intent.next_action",
  "next_action.redirect_to_url": "payment_intent_next_action.redirect_to_url",
  "next_action.redirect_to_url.url": "payment_intent_next_action_redirect_to_url.url",
  latest_charge: "payment_intent.latest_charge",
  ...under("latest_charge", CHARGE),
  last_payment_error: "payment_intent.last_payment_error",
  ...under("last_payment_error", ERROR),
} as const satisfies Table<PaymentIntent>;

/** By the name of the published schema. */
export const STRIPE_FIELDS = {
  payment_intent: PAYMENT,
  charge: {
    ...CHARGE,
    object: "charge.object",
    payment_intent: "charge.payment_intent",
    metadata: "charge.metadata",
  } satisfies Table<ChargeTold>,
  refund: {
    id: "refund.id",
    object: "refund.object",
    amount: "refund.amount",
    created: "refund.created",
    currency: "refund.currency",
    status: "refund.status",
    failure_reason: "refund.failure_reason",
    pending_reason: "refund.pending_reason",
    payment_intent: "refund.payment_intent",
    "payment_intent.id": "payment_intent.id",
    metadata: "refund.metadata",
  } satisfies Table<Refund>,
  dispute: {
    id: "dispute.id",
    object: "dispute.object",
    amount: "dispute.amount",
    currency: "dispute.currency",
    status: "dispute.status",
    reason: "dispute.reason",
    payment_method_details: "dispute.payment_method_details",
    "payment_method_details.card": "dispute_payment_method_details.card",
    "payment_method_details.card.network_reason_code": "dispute_payment_method_details_card.network_reason_code",
    payment_intent: "dispute.payment_intent",
    evidence_details: "dispute.evidence_details",
    "evidence_details.due_by": "dispute_evidence_details.due_by",
    balance_transactions: "dispute.balance_transactions",
    "balance_transactions.id": "balance_transaction.id",
    "balance_transactions.amount": "balance_transaction.amount",
    "balance_transactions.currency": "balance_transaction.currency",
    "balance_transactions.fee": "balance_transaction.fee",
  } satisfies Table<Dispute>,
  api_errors: {
    ...ERROR,
    payment_intent: "api_errors.payment_intent",
    ...under("payment_intent", PAYMENT),
  } satisfies Table<StripeError>,
  payment_method: { id: "payment_method.id", object: "payment_method.object" },
  balance_transaction: {
    ...{ id: "balance_transaction.id", object: "balance_transaction.object", amount: "balance_transaction.amount" },
    ...{ fee: "balance_transaction.fee", net: "balance_transaction.net", currency: "balance_transaction.currency" },
    ...{ type: "balance_transaction.type", reporting_category: "balance_transaction.reporting_category" },
    source: "balance_transaction.source",
    "source.amount_captured": "charge.amount_captured",
  },
  account: {
    ...{ id: "account.id", charges_enabled: "account.charges_enabled", payouts_enabled: "account.payouts_enabled" },
    details_submitted: "account.details_submitted",
  },
  event: {
    id: "event.id",
    type: "event.type",
    created: "event.created",
    data: "event.data",
    "data.object": "notification_event_data.object",
  },
} as const;

function under<P extends string, T extends Readonly<Record<string, string>>>(path: P, table: T) {
  const entries = Object.entries(table).map(([name, place]) => [`${path}.${name}`, place]);
  return Object.fromEntries(entries) as { readonly [Name in keyof T & string as `${P}.${Name}`]: T[Name] };
}
