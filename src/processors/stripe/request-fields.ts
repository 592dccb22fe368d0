// What Stripe is asked with. A charge takes three requests: the payment is created under our reference and the card as a payment method,
// which moves nothing, and the payment is confirmed with the card. So its id is found again without the card number, which nobody keeps: by
// creating it again.

import type Stripe from "stripe";
import { countryOf } from "../../payment/country.ts";
import type { StoredCredential } from "../../payment/stored-credential.ts";
import { directoryServerId, type ThreeDSecure } from "../../payment/three-d-secure.ts";
import type { ChargeType, EchoedFields } from "../../payment/transaction.ts";
import type { CardChargeQuestion, ChargeQuestion, FollowUpQuestion } from "../processor.ts";
import { transliterate } from "../transliterate.ts";

/** Where our names stand in the metadata of Stripe's objects. */
export const REFERENCE = "faregate_reference";
export const TRANSACTION = "faregate_transaction";
const REQUEST = "faregate_request";
const VERIFICATION = "faregate_verification";
/** Of a refund that takes an unanswered charge back, which is no operation of its own. */
export const REVERSAL_OF = "faregate_reversal_of";

/** Of the charge, and of a later question about it: the same for both, or Stripe refuses the key. */
export type CreatedCharge = Pick<
  ChargeQuestion,
  "reference" | "requestId" | "transactionId" | "currency" | "merchantTransactionId" | "fields"
> & { readonly type: ChargeType };

export const createFields = (charge: CreatedCharge, amount: number) =>
  ({
    amount,
    currency: charge.currency.toLowerCase(),
    capture_method: charge.type === "sale" ? "automatic" : "manual",
    allowed_payment_method_types: ["card"],
    description: charge.merchantTransactionId.slice(0, 1000),
    statement_descriptor_suffix: descriptorSuffix(charge.fields),
    metadata: { [REFERENCE]: charge.reference, [TRANSACTION]: charge.transactionId, [REQUEST]: charge.requestId },
  }) satisfies Loose<Stripe.PaymentIntentCreateParams>;

/** The card, as https://docs.stripe.com/api/payment_methods/create has it: a payment itself takes no card number. */
export const paymentMethodFields = ({ instrument, fields }: CardChargeQuestion) =>
  ({
    type: "card",
    card: {
      number: instrument.number.reveal(),
      exp_month: Number(instrument.expiryMonth),
      exp_year: Number(instrument.expiryYear),
      cvc: instrument.cvv?.reveal(),
    },
    billing_details: {
      name: nameIn(fields),
      email: emailOf(fields.email),
      phone: fields.mobile_phone,
      address: addressIn(fields, ""),
    },
  }) satisfies Loose<Stripe.PaymentMethodCreateParams>;

/** Of a card that is verified; `off_session`, as it will be charged. https://docs.stripe.com/api/setup_intents/create */
export const setupFields = (
  { reference, requestId }: Pick<ChargeQuestion, "reference" | "requestId">,
  method: { readonly payment_method: string; readonly customer?: string | undefined },
) =>
  ({
    ...method,
    confirm: true,
    usage: "off_session",
    allowed_payment_method_types: ["card"],
    metadata: { [VERIFICATION]: reference, [REQUEST]: requestId },
    expand: ["latest_attempt"],
  }) satisfies Loose<Stripe.SetupIntentCreateParams>;

type ConfirmedCharge = Pick<ChargeQuestion, "type" | "fields" | "threeDSecure" | "storedCredential" | "returnUrl">;

/** Its answer has what the issuer said of address, CVV and 3-D Secure. */
export const confirmFields = (
  { type, fields, threeDSecure, storedCredential, returnUrl }: ConfirmedCharge,
  paymentMethod: string,
  multicapture: boolean,
) =>
  ({
    payment_method: paymentMethod,
    payment_method_options: {
      card: {
        request_multicapture: type === "auth" && multicapture ? "if_available" : undefined,
        three_d_secure: threeDSecure ? threeDSecureFields(threeDSecure) : undefined,
      },
    },
    ...(storedCredential && usageFields(storedCredential)),
    shipping: shippingIn(fields),
    // With it a challenge is a redirect (next_action.redirect_to_url).
    return_url: returnUrl,
    expand: ["latest_charge"],
  }) satisfies Loose<Stripe.PaymentIntentConfirmParams>;

/**
 * https://docs.stripe.com/api/payment_intents/confirm: `off_session` says that the payer is not there, `setup_future_usage` that the card will be
 * charged later; Stripe does not take both. It has no field for the scheme's id of a first charge: it knows those of its own payments.
 */
function usageFields({ initiator, reason, use }: StoredCredential) {
  if (initiator === "merchant") return { off_session: reason === "recurring" ? ("recurring" as const) : true };
  if (use === "later") return {};
  return { setup_future_usage: reason === undefined ? ("on_session" as const) : ("off_session" as const) };
}

/** Stripe's parameters, in which what is undefined is left out. */
export type Loose<T> = T extends readonly (infer E)[]
  ? readonly Loose<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Loose<T[K]> | undefined }
    : T;

const ECIS: readonly string[] = ["01", "02", "05", "06", "07"];

/** https://docs.stripe.com/payments/payment-intents/three-d-secure-import */
const threeDSecureFields = ({ version = 1, protocol, cavv, xid, eci, status }: ThreeDSecure) => ({
  version: protocol ?? (version === 1 ? "1.0.2" : "2.2.0"),
  cryptogram: cavv,
  transaction_id: directoryServerId(xid) ?? xid,
  // Stripe knows no other ones, and refuses the charge for them.
  electronic_commerce_indicator: ECIS.includes(eci) ? eci : undefined,
  ares_trans_status: version === 2 ? status : undefined,
});

/** Two characters for what Stripe puts between, ten for the account's prefix at most, and these: 22 in all. */
const LONGEST_SUFFIX = 10;

const ON_STATEMENTS = /[^<>\\'"*]/;

/** https://docs.stripe.com/get-started/account/statement-descriptors: Latin letters, one at least, and none of <>\'"* */
function descriptorSuffix(fields: EchoedFields): string | undefined {
  const [name = ""] = (fields.dynamic_descriptor ?? fields.dynamic_descripton ?? "").split("|");
  const suffix = transliterate(name, LONGEST_SUFFIX, ON_STATEMENTS);
  return /[A-Za-z]/.test(suffix) ? suffix : undefined;
}

/** Stripe refuses the whole charge for an address that is none (email_invalid), and for a country that it does not know. */
const emailOf = (email = ""): string | undefined =>
  /^[!-?A-~]+@[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)+$/.test(email) ? email : undefined;

const nameIn = ({ first_name, last_name }: EchoedFields): string | undefined =>
  [first_name, last_name].filter((name) => name !== undefined).join(" ") || undefined;

const addressIn = (fields: EchoedFields, of: "" | "shipping_") => ({
  line1: fields[`${of}street_address_1`],
  line2: of === "" ? fields.street_address_2 : undefined,
  city: fields[`${of}city`],
  state: fields[`${of}state`],
  country: countryOf(fields[`${of}country`]),
  postal_code: fields[`${of}zip`],
});

/** Stripe takes it whole or not at all. */
function shippingIn(fields: EchoedFields) {
  const name = nameIn(fields);
  const address = addressIn(fields, "shipping_");
  return name === undefined || address.line1 === undefined ? undefined : { name, address };
}

/** A payment's metadata names each capture of it by its reference, with its amount in Stripe's units. */
export const captureFields = ({ reference }: FollowUpQuestion, amount: number, goesOn: boolean) =>
  ({
    amount_to_capture: amount,
    final_capture: goesOn ? false : undefined,
    metadata: { [reference]: String(amount) },
    expand: ["latest_charge"],
  }) satisfies Loose<Stripe.PaymentIntentCaptureParams>;

export const refundFields = (
  { reference, requestId, transactionId }: Pick<FollowUpQuestion, "reference" | "requestId" | "transactionId">,
  payment: string,
  amount: number,
) =>
  ({
    payment_intent: payment,
    amount,
    metadata: { [REFERENCE]: reference, [TRANSACTION]: transactionId, [REQUEST]: requestId },
  }) satisfies Loose<Stripe.RefundCreateParams>;
