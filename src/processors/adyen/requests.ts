// What Adyen is asked with: a charge as the body of POST /payments, which holds the card number and the CVV and goes nowhere but to the
// wire; a capture, void or refund as a modification of a payment, known by its pspReference.

import type { Instrument } from "../../payment/instrument.ts";
import type { Reason } from "../../payment/stored-credential.ts";
import { directoryServerId, type ThreeDSecure } from "../../payment/three-d-secure.ts";
import type { EchoedFields } from "../../payment/transaction.ts";
import type {
  Brought,
  CardChargeQuestion,
  ChargeQuestion,
  FollowUpQuestion,
  TokenChargeQuestion,
} from "../processor.ts";
import { cut, transliterate } from "../transliterate.ts";
import { billingAddress, deliveryAddress } from "./addresses.ts";
import { airlineOf } from "./airline.ts";
import { adyenValue } from "./minor-units.ts";
import { renderReference, verificationReference } from "./reference.ts";
import type { WholeSettings } from "./settings.ts";
import type { CancelJson, CaptureJson, DetailsJson, MpiJson, PaymentJson, RefundJson, ReversalJson } from "./types.ts";

/** Undefined if Adyen has no such amount in the currency. */
export function paymentRequest(
  question: CardChargeQuestion | TokenChargeQuestion,
  settings: WholeSettings,
): PaymentJson | undefined {
  const { type, amount, currency, instrument, fields, threeDSecure, ipAddress, passengers } = question;
  const value = adyenValue(amount, currency);
  if (value === undefined) return undefined;
  const airline = passengers && airlineOf(passengers);
  return {
    merchantAccount: settings.merchant_account,
    reference: renderReference(question),
    ...(question.requestId !== undefined && { metadata: { faregate_request: question.requestId } }),
    merchantOrderReference: question.merchantTransactionId,
    amount: { currency, value },
    returnUrl: question.returnUrl ?? settings.return_url,
    ...usageOf(question),
    ...authenticationOf(question),
    paymentMethod: paymentMethodOf(instrument, fields),
    ...(type === "sale" && { captureDelayHours: settings.capture_delay_hours }),
    ...additionalData(question),
    ...(threeDSecure && { mpiData: mpiData(threeDSecure) }),
    ...(ipAddress !== null && { shopperIP: ipAddress }),
    ...shopperOf(fields),
    ...(airline && { enhancedSchemeData: { airline } }),
  };
}

/**
 * Without a payer there is nobody to be challenged: where the law or the issuer wants it, the answer is reason 38, a decline. With one, Adyen
 * decides, and its own page does all of it: docs.adyen.com/online-payments/3d-secure/redirect-3ds2.
 */
function authenticationOf({
  returnUrl,
  threeDSecure,
}: ChargeQuestion): Pick<PaymentJson, "authenticationData" | "channel"> {
  if (returnUrl === undefined || threeDSecure !== null)
    return { authenticationData: { attemptAuthentication: "never" } };
  return { channel: "Web", authenticationData: { threeDSRequestData: { nativeThreeDS: "disabled" } } };
}

/**
 * docs.adyen.com/online-payments/tokenization, "zero-value authorization": the payment of nothing, which neither holds nor takes money.
 * A card that is kept is that of a returning shopper here, too.
 */
export function verificationRequest(
  question: CardChargeQuestion | TokenChargeQuestion,
  settings: WholeSettings,
): PaymentJson | undefined {
  const request = paymentRequest(question, settings);
  if (request === undefined) return undefined;
  const { merchantOrderReference: _, additionalData: __, ...others } = request;
  return { ...others, reference: verificationReference(question.reference) };
}

function paymentMethodOf(instrument: Instrument, fields: EchoedFields): PaymentJson["paymentMethod"] {
  const cvc = instrument.cvv && { cvc: instrument.cvv.reveal() };
  if (instrument.kind === "processor-token")
    return { type: "scheme", storedPaymentMethodId: instrument.token.reveal(), ...cvc };
  return {
    type: "scheme",
    number: instrument.number.reveal(),
    expiryMonth: instrument.expiryMonth,
    expiryYear: instrument.expiryYear,
    ...cvc,
    ...(nameOf(fields) && { holderName: nameOf(fields) }),
  };
}

/**
 * API reference of /payments, version 72: `shopperInteraction` says whether the shopper gives the card's details now (Ecommerce) or they are
 * stored (ContAuth); `recurringProcessingModel` is required when details are stored or stored ones are charged; `industryUsage` names some of
 * the merchant's reasons.
 */
function usageOf({ instrument, storedCredential }: CardChargeQuestion | TokenChargeQuestion) {
  const isToken = instrument.kind === "processor-token";
  const isStored = isToken || storedCredential?.use === "later";
  const { initiator, reason } = storedCredential ?? {};
  const industryUsage = initiator === "merchant" && reason !== undefined ? INDUSTRY_USAGE[reason] : undefined;
  return {
    shopperInteraction: isStored ? ("ContAuth" as const) : ("Ecommerce" as const),
    ...((isStored || storedCredential) && { recurringProcessingModel: MODELS[reason ?? "none"] }),
    ...(industryUsage && { industryUsage }),
    ...(isToken && instrument.customer !== undefined && { shopperReference: instrument.customer }),
  };
}

/** Subscription: "a fixed or variable amount, which follows a fixed schedule". */
const MODELS = {
  none: "CardOnFile",
  recurring: "Subscription",
  installment: "Subscription",
  unscheduled: "UnscheduledCardOnFile",
  deposit: "UnscheduledCardOnFile",
  "no-show": "UnscheduledCardOnFile",
  "delayed-charge": "UnscheduledCardOnFile",
  resubmission: "UnscheduledCardOnFile",
} as const satisfies Record<Reason | "none", PaymentJson["recurringProcessingModel"]>;

const INDUSTRY_USAGE: { readonly [reason in Reason]?: NonNullable<PaymentJson["industryUsage"]> } = {
  installment: "installment",
  "no-show": "noShow",
  "delayed-charge": "delayedCharge",
};

/** API reference, AdditionalDataCommon: `networkTxReference` links the payment to the first of a chain. */
function additionalData({ type, storedCredential }: CardChargeQuestion | TokenChargeQuestion) {
  const networkTxReference = storedCredential?.networkTransactionId;
  if (type === "sale" && networkTxReference === undefined) return {};
  const manualCapture = type === "auth" && { manualCapture: "true" };
  return { additionalData: { ...manualCapture, ...(networkTxReference !== undefined && { networkTxReference }) } };
}

/** 3-D Secure that was done elsewhere. Its `xid` is the directory server's transaction id in version 2, there a UUID. */
function mpiData({ version = 1, protocol, status, eci, cavv, xid }: ThreeDSecure): MpiJson {
  const dsTransID = directoryServerId(xid);
  const shared = { cavv, eci, directoryResponse: status };
  if (version === 1) return { ...shared, xid, authenticationResponse: status, directoryResponse: "Y" };
  return { ...shared, threeDSVersion: protocol ?? THREE_D_SECURE_2, ...(dsTransID ? { dsTransID } : { xid }) };
}

/** If the first digit alone was sent: the lowest of its protocols that are in use. */
const THREE_D_SECURE_2 = "2.1.0";

function shopperOf(fields: EchoedFields): Partial<PaymentJson> {
  const { first_name: firstName, last_name: lastName, email, country, document_number } = fields;
  const billing = billingAddress(fields);
  const delivery = deliveryAddress(fields);
  const telephoneNumber = telephoneOf(fields.mobile_phone);
  const shopperStatement = statementOf(fields.dynamic_descriptor ?? fields.dynamic_descripton);
  return {
    ...(firstName && lastName && { shopperName: { firstName: cut(firstName, 80), lastName: cut(lastName, 80) } }),
    ...(email && email.length <= 256 && { shopperEmail: email }),
    ...(telephoneNumber && { telephoneNumber }),
    ...(document_number && { socialSecurityNumber: document_number }),
    ...(/^[A-Z]{2}$/.test(country ?? "") && country && { countryCode: country }),
    ...(billing && { billingAddress: billing }),
    ...(delivery && { deliveryAddress: delivery }),
    ...(shopperStatement && { shopperStatement }),
  };
}

const nameOf = ({ first_name, last_name }: EchoedFields): string =>
  [first_name, last_name].filter((name) => name).join(" ");

/** API reference: a plus sign, country code and number; anything else is not used anyway. */
function telephoneOf(phone: string | undefined): string | undefined {
  const digits = phone?.replace(/[\s().-]/g, "");
  return digits !== undefined && /^\+\d{5,18}$/.test(digits) ? digits : undefined;
}

const ON_STATEMENTS = /[0-9A-Za-z .,'_\-?+*/]/;

/** API reference, `shopperStatement`: at most 22 of these characters. A descriptor `name|contact` loses its bar. */
function statementOf(descriptor: string | undefined): string | undefined {
  return transliterate((descriptor ?? "").replaceAll("|", " "), 22, ON_STATEMENTS) || undefined;
}

/** API reference, POST /payments/details: what a payer brings back from a redirect. Undefined if it is nothing of the kind. */
export function detailsRequest({ redirectResult, MD, PaRes }: Brought): DetailsJson | undefined {
  if (redirectResult) return { details: { redirectResult } };
  return MD && PaRes ? { details: { MD, PaRes } } : undefined;
}

type FollowUpRequest =
  | {
      readonly kind: "request";
      readonly path: string;
      readonly body: CaptureJson | CancelJson | RefundJson | ReversalJson;
    }
  /** Adyen has nothing that does it. */
  | { readonly kind: "impossible"; readonly why: string };

export function followUpRequest(question: FollowUpQuestion, merchantAccount: string): FollowUpRequest {
  const { type, currency, original } = question;
  const value = adyenValue(question.amount, currency);
  const payment = original.processorTransactionId;
  if (payment === null) return impossible("THE PAYMENT HAS NO PSP REFERENCE");
  if (value === undefined) return impossible(`ADYEN HAS NO SUCH AMOUNT IN ${currency}`);
  const body = { merchantAccount, reference: renderReference(question) };
  const at = (what: string) => `/payments/${encodeURIComponent(payment)}/${what}`;
  switch (type) {
    case "capture":
      return { kind: "request", path: at("captures"), body: { ...body, amount: { currency, value } } };
    case "refund":
      return { kind: "request", path: at("refunds"), body: { ...body, amount: { currency, value } } };
    case "void":
      return voidRequest(question, at, body);
  }
}

/**
 * The rules refuse what is impossible here, but an earlier version may have begun it. What was not captured is cancelled; a payment that
 * was captured once is cancelled or refunded as a whole, as Adyen finds it.
 */
function voidRequest(
  { captures, uncaptured, original }: FollowUpQuestion,
  at: (what: string) => string,
  body: CancelJson,
) {
  const [captured, ...others] = captures;
  if (captured === undefined) {
    // All that was captured has been given back: Adyen cancels no part of a payment.
    if (uncaptured !== original.amount) return impossible("CAPTURED IN PART: WHAT IS LEFT LAPSES");
    return { kind: "request", path: at("cancels"), body } as const;
  }
  // API reference, /reversals: "The reversed amount is always the full payment amount", and not for multiple partial captures.
  if (others.length > 0 || uncaptured > 0n) return impossible("CAPTURED IN PARTS: REFUND THEM INSTEAD");
  if (captured.left !== original.amount) return impossible("REFUNDED IN PART: REFUND THE REST INSTEAD");
  return { kind: "request", path: at("reversals"), body } as const;
}

const impossible = (why: string): FollowUpRequest => ({ kind: "impossible", why });
