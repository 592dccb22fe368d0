// Of Stripe's objects what the gateway reads, and nothing else: checked when they come, and held against Stripe's own types when
// the gateway is compiled. https://docs.stripe.com/api

import type Stripe from "stripe";
import { type Static, type TSchema, Type } from "typebox";
import { Check } from "typebox/value";

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const MaybeText = Type.Optional(Nullable(Type.String()));

const CHECKS = Type.Object({
  address_line1_check: MaybeText,
  address_postal_code_check: MaybeText,
  cvc_check: MaybeText,
});

const CARD_DETAILS = Type.Object({
  brand: MaybeText,
  last4: MaybeText,
  exp_month: Type.Optional(Type.Integer()),
  exp_year: Type.Optional(Type.Integer()),
  authorization_code: MaybeText,
  network_transaction_id: MaybeText,
  checks: Type.Optional(Nullable(CHECKS)),
  three_d_secure: Type.Optional(Nullable(Type.Object({ result: MaybeText }))),
  multicapture: Type.Optional(Type.Object({ status: Type.String() })),
});

const PAYMENT_ID = "^pi_[0-9A-Za-z_]{1,200}$";

const CHARGE = Type.Object({
  id: Type.String(),
  status: Type.Optional(Type.String()),
  payment_method_details: Type.Optional(Nullable(Type.Object({ card: Type.Optional(CARD_DETAILS) }))),
});

/** As an event tells of it; its metadata are those that its payment had when the card came. */
const CHARGE_TOLD = Type.Object({
  ...CHARGE.properties,
  object: Type.Literal("charge"),
  status: Type.String(),
  payment_intent: Nullable(Type.String({ pattern: PAYMENT_ID })),
  metadata: Type.Record(Type.String(), Type.String()),
});

/** Of an error, and of a payment's last one. */
const ERROR_FIELDS = {
  type: Type.String(),
  code: Type.Optional(Type.String()),
  decline_code: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  param: Type.Optional(Type.String()),
  advice_code: Type.Optional(Type.String()),
  network_advice_code: Type.Optional(Type.String()),
  network_decline_code: Type.Optional(Type.String()),
  payment_method: Type.Optional(
    Type.Object({ card: Type.Optional(Type.Object({ checks: Type.Optional(Nullable(CHECKS)) })) }),
  ),
};
const PAYMENT_ERROR = Type.Object(ERROR_FIELDS);

const PAYMENT_INTENT = Type.Object({
  id: Type.String({ pattern: PAYMENT_ID }),
  object: Type.Literal("payment_intent"),
  amount: Type.Integer(),
  amount_capturable: Type.Integer(),
  amount_received: Type.Integer(),
  currency: Type.String(),
  status: Type.String(),
  cancellation_reason: MaybeText,
  created: Type.Optional(Type.Integer()),
  description: MaybeText,
  metadata: Type.Record(Type.String(), Type.String()),
  payment_method_options: Type.Optional(
    Nullable(Type.Object({ card: Type.Optional(Nullable(Type.Object({ request_multicapture: MaybeText }))) })),
  ),
  capture_method: Type.Optional(Type.String()),
  latest_charge: Nullable(Type.Union([Type.String(), CHARGE])),
  next_action: Type.Optional(
    Nullable(Type.Object({ redirect_to_url: Type.Optional(Nullable(Type.Object({ url: MaybeText }))) })),
  ),
  last_payment_error: Nullable(PAYMENT_ERROR),
});

const PAYMENT_METHOD = Type.Object({
  id: Type.String({ pattern: "^pm_[0-9A-Za-z_]{1,200}$" }),
  object: Type.Literal("payment_method"),
});

/** As it is kept, with its customer. */
const KEPT_METHOD = Type.Object({
  ...PAYMENT_METHOD.properties,
  type: Type.Literal("card"),
  customer: Nullable(Type.Union([Type.String({ pattern: "^cus_" }), Type.Object({ id: Type.String() })])),
  card: Type.Object({
    brand: Type.String(),
    last4: Type.String({ pattern: "^[0-9]{4}$" }),
    exp_month: Type.Integer({ minimum: 1, maximum: 12 }),
    exp_year: Type.Integer({ minimum: 2000, maximum: 2999 }),
    iin: MaybeText,
  }),
});

/** With its newest attempt, which has what was checked. */
const SETUP_INTENT = Type.Object({
  id: Type.String({ pattern: "^seti_[0-9A-Za-z_]{1,200}$" }),
  object: Type.Literal("setup_intent"),
  status: Type.String(),
  last_setup_error: Nullable(PAYMENT_ERROR),
  latest_attempt: Nullable(
    Type.Union([
      Type.String(),
      Type.Object({
        payment_method_details: Type.Object({
          card: Type.Optional(Type.Object({ checks: Type.Optional(Nullable(CHECKS)) })),
        }),
      }),
    ]),
  ),
});

const REFUND = Type.Object({
  id: Type.String({ pattern: "^[a-z]{2,4}_[0-9A-Za-z_]{1,200}$" }),
  object: Type.Literal("refund"),
  amount: Type.Integer(),
  created: Type.Optional(Type.Integer()),
  currency: Type.String(),
  status: Nullable(Type.String()),
  failure_reason: MaybeText,
  pending_reason: MaybeText,
  payment_intent: Type.Optional(
    Nullable(Type.Union([Type.String({ pattern: PAYMENT_ID }), Type.Object({ id: Type.String() })])),
  ),
  metadata: Nullable(Type.Record(Type.String(), Type.String())),
});

/** With what it did to the account's balance. */
const BOOKED_REFUND = Type.Object({
  id: Type.String(),
  object: Type.Literal("refund"),
  balance_transaction: Nullable(Type.Object({ reporting_category: Type.String() })),
});

/** Of what moves an account's balance. */
export const BALANCE_TRANSACTION_ID = "^txn_[0-9A-Za-z_]{1,200}$";

const DISPUTE = Type.Object({
  id: Type.String({ pattern: "^[a-z]{2,4}_[0-9A-Za-z_]{1,200}$" }),
  object: Type.Literal("dispute"),
  amount: Type.Integer({ minimum: 0 }),
  currency: Type.String(),
  status: Type.String(),
  reason: Type.String(),
  payment_method_details: Type.Optional(
    Nullable(Type.Object({ card: Type.Optional(Nullable(Type.Object({ network_reason_code: MaybeText }))) })),
  ),
  payment_intent: Nullable(Type.String({ pattern: PAYMENT_ID })),
  evidence_details: Type.Object({ due_by: Nullable(Type.Integer()) }),
  balance_transactions: Type.Array(
    Type.Object({
      id: Type.Optional(Type.String({ pattern: BALANCE_TRANSACTION_ID })),
      amount: Type.Integer(),
      currency: Type.String(),
      fee: Type.Optional(Type.Integer()),
    }),
    { maxItems: 20 },
  ),
});

const ERROR = Type.Object({ ...ERROR_FIELDS, payment_intent: Type.Optional(PAYMENT_INTENT) });

export type ChargeTold = Static<typeof CHARGE_TOLD>;
export type Checks = Static<typeof CHECKS>;
export type CardDetails = Static<typeof CARD_DETAILS>;
export type PaymentError = Static<typeof PAYMENT_ERROR>;
export type PaymentIntent = Static<typeof PAYMENT_INTENT>;
export type SetupIntent = Static<typeof SETUP_INTENT>;
export type Refund = Static<typeof REFUND>;
export type Dispute = Static<typeof DISPUTE>;
export type StripeError = Static<typeof ERROR>;

/** Compiles as long as all that Stripe's types describe can be read as these. */
type Reads<Ours, Theirs extends Ours> = Theirs;
export type Held = [
  Reads<PaymentIntent, Stripe.PaymentIntent>,
  Reads<Static<typeof PAYMENT_METHOD>, Stripe.PaymentMethod>,
  Reads<SetupIntent, Stripe.SetupIntent>,
  // In an event nothing is expanded.
  Reads<ChargeTold, Stripe.Charge & { readonly payment_intent: string | null }>,
  Reads<Refund, Stripe.Refund>,
  Reads<PaymentError, Stripe.PaymentIntent.LastPaymentError>,
  Reads<Dispute, Stripe.Dispute & { readonly payment_intent: string | null }>,
];

/** Undefined for anything else. */
export const paymentIntentOf = (given: unknown): PaymentIntent | undefined =>
  Check(PAYMENT_INTENT, given) ? given : undefined;

/** Undefined for anything else. */
export const paymentMethodOf = (given: unknown): Static<typeof PAYMENT_METHOD> | undefined =>
  Check(PAYMENT_METHOD, given) ? given : undefined;

/** Undefined for anything else. */
export const setupIntentOf = (given: unknown): SetupIntent | undefined =>
  Check(SETUP_INTENT, given) ? given : undefined;

/** Undefined for anything else. */
export const keptMethodOf = (given: unknown): Static<typeof KEPT_METHOD> | undefined =>
  Check(KEPT_METHOD, given) ? given : undefined;

/** Undefined for anything else. */
export const chargeToldOf = (given: unknown): ChargeTold | undefined => (Check(CHARGE_TOLD, given) ? given : undefined);

/** Undefined for anything else. */
export const disputeOf = (given: unknown): Dispute | undefined => (Check(DISPUTE, given) ? given : undefined);

/** Undefined for anything else. */
export const refundOf = (given: unknown): Refund | undefined => (Check(REFUND, given) ? given : undefined);

/** Undefined for anything else. */
export const bookedRefundOf = (given: unknown): Static<typeof BOOKED_REFUND> | undefined =>
  Check(BOOKED_REFUND, given) ? given : undefined;

/** Undefined for anything else. */
export const refundsOf = (given: unknown): readonly Refund[] | undefined => listOf(REFUND, given);

/** Undefined for anything else. */
export const paymentIntentsOf = (given: unknown): readonly PaymentIntent[] | undefined => listOf(PAYMENT_INTENT, given);

/** Of the body of an error response. */
export function errorOf(given: unknown): StripeError | undefined {
  const error = typeof given === "object" && given !== null && "error" in given ? given.error : undefined;
  return Check(ERROR, error) ? error : undefined;
}

/** All of a list; one that goes on is none, since what is looked for may stand in the rest. */
function listOf<T extends TSchema>(schema: T, given: unknown): readonly Static<T>[] | undefined {
  const list = Type.Object({ data: Type.Array(schema), has_more: Type.Literal(false) });
  return Check(list, given) ? (given as { data: Static<T>[] }).data : undefined;
}
