// The shapes of Adyen's Checkout API, version 72, taken from its makers' library: our requests and what we read of its answers
// are held to them at compile time. Nothing of the library is there when the gateway runs.

import type { CardDetails } from "@adyen/api-library/lib/src/typings/checkout/cardDetails.js";
import type { PaymentCancelRequest } from "@adyen/api-library/lib/src/typings/checkout/paymentCancelRequest.js";
import type { PaymentCaptureRequest } from "@adyen/api-library/lib/src/typings/checkout/paymentCaptureRequest.js";
import type { PaymentDetailsRequest } from "@adyen/api-library/lib/src/typings/checkout/paymentDetailsRequest.js";
import type { PaymentRefundRequest } from "@adyen/api-library/lib/src/typings/checkout/paymentRefundRequest.js";
import type { PaymentRequest } from "@adyen/api-library/lib/src/typings/checkout/paymentRequest.js";
import type { PaymentResponse } from "@adyen/api-library/lib/src/typings/checkout/paymentResponse.js";
import type { PaymentReversalRequest } from "@adyen/api-library/lib/src/typings/checkout/paymentReversalRequest.js";
import type { StandalonePaymentCancelRequest } from "@adyen/api-library/lib/src/typings/checkout/standalonePaymentCancelRequest.js";

/** As it stands in JSON: the words of an enumeration, dates as their text. */
type InJson<T> = T extends string
  ? `${T}`
  : T extends Date
    ? string
    : T extends readonly (infer Item)[]
      ? readonly InJson<Item>[]
      : T extends object
        ? { readonly [Name in keyof T]: InJson<T[Name]> }
        : T;

type Card = Required<Pick<CardDetails, "number" | "expiryMonth" | "expiryYear">> &
  Pick<CardDetails, "cvc" | "holderName">;
type StoredCard = Required<Pick<CardDetails, "storedPaymentMethodId">> & Pick<CardDetails, "cvc">;

export type PaymentJson = InJson<
  Pick<
    PaymentRequest,
    | "merchantAccount"
    | "reference"
    | "metadata"
    | "merchantOrderReference"
    | "amount"
    | "returnUrl"
    | "shopperInteraction"
    | "shopperReference"
    | "recurringProcessingModel"
    | "industryUsage"
    | "captureDelayHours"
    | "additionalData"
    | "authenticationData"
    | "channel"
    | "mpiData"
    | "shopperName"
    | "shopperEmail"
    | "shopperIP"
    | "shopperStatement"
    | "telephoneNumber"
    | "socialSecurityNumber"
    | "countryCode"
    | "billingAddress"
    | "deliveryAddress"
    | "enhancedSchemeData"
  >
> & {
  readonly paymentMethod: (InJson<Card> | InJson<StoredCard>) & { readonly type: `${CardDetails.TypeEnum.Scheme}` };
};

export type MpiJson = NonNullable<PaymentJson["mpiData"]>;
export type AddressJson = NonNullable<PaymentJson["billingAddress"]>;
export type AirlineJson = NonNullable<NonNullable<PaymentJson["enhancedSchemeData"]>["airline"]>;

export type CaptureJson = InJson<Pick<PaymentCaptureRequest, "merchantAccount" | "amount" | "reference">>;
export type RefundJson = InJson<Pick<PaymentRefundRequest, "merchantAccount" | "amount" | "reference">>;
export type CancelJson = InJson<Pick<PaymentCancelRequest, "merchantAccount" | "reference">>;
export type ReversalJson = InJson<Pick<PaymentReversalRequest, "merchantAccount" | "reference">>;
export type CancelByReferenceJson = InJson<
  Pick<StandalonePaymentCancelRequest, "merchantAccount" | "paymentReference" | "reference">
>;

export type DetailsJson = InJson<Pick<PaymentDetailsRequest, "details">>;

/** What is read of an answer to a payment: each of it may be missing. */
export type PaymentAnswer = InJson<
  Pick<PaymentResponse, "pspReference" | "resultCode" | "refusalReason" | "refusalReasonCode" | "additionalData">
>;
export type ResultCode = NonNullable<PaymentAnswer["resultCode"]>;
