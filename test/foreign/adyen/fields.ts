// What the gateway reads of Adyen's answers and webhooks, each with the schema and field of Adyen's published documents where it stands. It
// compiles only as long as it lists what is read of an item, and of an answer what Adyen's library knows.

import type { Item } from "../../../src/processors/adyen/notifications/item.ts";
import type { PaymentAnswer } from "../../../src/processors/adyen/types.ts";
import type { Path } from "../paths.ts";

const COMMON = "ResponseAdditionalDataCommon";

/** Of an answer to POST /payments. */
export const ADYEN_PAYMENT = {
  pspReference: "PaymentResponse.pspReference",
  resultCode: "PaymentResponse.resultCode",
  refusalReason: "PaymentResponse.refusalReason",
  refusalReasonCode: "PaymentResponse.refusalReasonCode",
  additionalData: "PaymentResponse.additionalData",
} as const satisfies Readonly<Record<keyof PaymentAnswer, string>>;

/** Of the same, to tell whether it is about the payment that was asked for. */
export const ADYEN_ABOUT = ["PaymentResponse.merchantReference", "PaymentResponse.amount"];

export const ADYEN_ADDITIONAL_DATA = [
  ...["networkTxReference", "authCode", "avsResult", "avsResultRaw", "cvcResult", "cvcResultRaw"],
  ...["refusalReasonRaw", "merchantAdviceCode"],
].map((name) => `${COMMON}.${name}`);

/** Of a modification, a refused request, and what the check of an account asks. */
export const ADYEN_OTHERS = [
  ...["PaymentCaptureResponse", "PaymentCancelResponse", "PaymentRefundResponse", "PaymentReversalResponse"].flatMap(
    (schema) => [`${schema}.status`, `${schema}.pspReference`],
  ),
  ...["StandalonePaymentCancelResponse.status", "StandalonePaymentCancelResponse.pspReference"],
  ...["ServiceError.errorCode", "ServiceError.message", "ServiceError.pspReference"],
  ...["PaymentMethodsResponse.paymentMethods", "PaymentMethod.type"],
];

const ITEM = "NotificationRequestItem";
const DISPUTES = "DisputesNotificationAdditionalData";

/** Of an item of a webhook. */
export const ADYEN_ITEM: Readonly<Record<Path<Item>, string>> = {
  eventCode: `${ITEM}.eventCode`,
  success: `${ITEM}.success`,
  pspReference: `${ITEM}.pspReference`,
  merchantReference: `${ITEM}.merchantReference`,
  merchantAccountCode: `${ITEM}.merchantAccountCode`,
  eventDate: `${ITEM}.eventDate`,
  originalReference: `${ITEM}.originalReference`,
  reason: `${ITEM}.reason`,
  amount: `${ITEM}.amount`,
  "amount.value": "Amount.value",
  "amount.currency": "Amount.currency",
  additionalData: `${ITEM}.additionalData`,
  "additionalData.hmacSignature": `${DISPUTES}.hmacSignature`,
  "additionalData.chargebackReasonCode": `${DISPUTES}.chargebackReasonCode`,
  "additionalData.rfiReasonCode": `${DISPUTES}.rfiReasonCode`,
  "additionalData.disputeStatus": `${DISPUTES}.disputeStatus`,
  "additionalData.defensePeriodEndsAt": `${DISPUTES}.defensePeriodEndsAt`,
};
