// What Adyen's answer to a payment says. Pure. What is not clearly a yes or a no is told as unanswered, and never as an approval.

import { isDeepStrictEqual } from "node:util";
import type { CardBrand } from "../../payment/card-brand.ts";
import { isPayerAddress } from "../../payment/challenge.ts";
import type { DeclineCategory } from "../../payment/decline.ts";
import type { ProcessorResponse } from "../../payment/outcome.ts";
import { networkTransactionIdIn } from "../../payment/stored-credential.ts";
import { eciNote, type ThreeDSecure, threeDSecureOutcome } from "../../payment/three-d-secure.ts";
import { NOTHING_CHECKED } from "../../payment/verification.ts";
import type { ActionRequired, Answer, ChargeQuestion } from "../processor.ts";
import type { Refused, Told } from "./api.ts";
import { checksOf } from "./checks.ts";
import { categoryOf, codeOf, refusalOf } from "./refusals.ts";
import type { PaymentAnswer, PaymentJson, ResultCode } from "./types.ts";

export interface Presented {
  readonly brand: CardBrand;
  readonly threeDSecure: ThreeDSecure | null;
}

export const presentedBy = ({ instrument, threeDSecure }: ChargeQuestion): Presented => ({
  brand: instrument.brand,
  threeDSecure,
});

/** docs.adyen.com/online-payments/payment-result-codes */
const MEANING: Readonly<Record<ResultCode, "approved" | "declined" | "pending" | "action" | "unclear">> = {
  Authorised: "approved",
  Refused: "declined",
  Cancelled: "declined",
  Error: "declined",
  Pending: "pending",
  Received: "pending",
  RedirectShopper: "action",
  ChallengeShopper: "action",
  IdentifyShopper: "action",
  PresentToShopper: "action",
  AuthenticationFinished: "action",
  AuthenticationNotRequired: "action",
  // Was not asked for: what is held is taken back.
  PartiallyAuthorised: "unclear",
  Success: "unclear",
};

/** Whether nothing in it is another payment's: its answer would be none to this one. Both fields may be absent. */
export function isAbout({ body }: Told, asked: Pick<PaymentJson, "reference" | "amount">): boolean {
  const { merchantReference = asked.reference, amount = asked.amount } = body;
  return merchantReference === asked.reference && isDeepStrictEqual(amount, asked.amount);
}

export function readPayment({ body, underKey }: Told, presented: Presented): Answer {
  const read = payment(body);
  const meaning = Object.hasOwn(MEANING, read.resultCode) ? MEANING[read.resultCode as ResultCode] : "unclear";
  switch (meaning) {
    case "approved":
      return approvalOf(read, presented);
    case "declined": {
      const refusal = refusalOf(read.refusalReasonCode);
      const category = categoryOf(refusal, read.data.merchantAdviceCode);
      const processorResponse = refusalResponse(read, presented);
      return { kind: "declined", processorResponse, category, ...(underKey && { isFirstAnswer: true }) };
    }
    case "pending":
      return { kind: "pending", why: `${read.resultCode}, ${read.pspReference ?? "without a pspReference"}` };
    case "action":
      return {
        kind: "action-required",
        processorResponse: { ...refusalResponse(read, presented), code: "38", message: read.resultCode },
        ...pageOf(body),
      };
    case "unclear":
      return unclear(read, presented);
  }
}

/** docs.adyen.com/online-payments/3d-secure/redirect-3ds2: `action` of the type redirect, a link or a form. */
function pageOf({ resultCode, action }: Told["body"]): Pick<ActionRequired, "page"> {
  if (resultCode !== "RedirectShopper" || typeof action !== "object" || action === null) return {};
  const { type, method, url, data } = action as Readonly<Record<string, unknown>>;
  if (type !== "redirect" || typeof url !== "string" || !isPayerAddress(url)) return {};
  if (method === "GET") return { page: { url } };
  if (method !== "POST") return {};
  const fields = Object.entries(data ?? {}).filter((field): field is [string, string] => typeof field[1] === "string");
  return { page: { url, fields: Object.fromEntries(fields) } };
}

/** Neither yes nor no: money may be held, so it is taken back. */
function unclear(read: Read, presented: Presented): Answer {
  const { resultCode } = read;
  const why = `the answer's resultCode is ${resultCode || "missing"}`;
  if (resultCode === "") return { kind: "unanswered", why };
  const code = resultCode === "PartiallyAuthorised" ? "PARTIAL" : "UNKNOWN";
  const processorResponse = { ...responseOf(read, presented), code, message: resultCode };
  return { kind: "undecided", why, processorResponse, category: "refused", repeats: 1 };
}

/** An approval without a reference could not be captured or taken back by it. */
function approvalOf(read: Read, presented: Presented): Answer {
  if (read.pspReference === null) return { kind: "unanswered", why: "the answer says yes and has no pspReference" };
  const networkTransactionId = networkTransactionIdIn(read.data.networkTxReference);
  const processorResponse = {
    ...responseOf(read, presented),
    ...{ code: "00", message: "Authorised", authCode: authCodeOf(read.data.authCode) },
    ...(networkTransactionId !== null && { networkTransactionId }),
  };
  return { kind: "approved", processorResponse };
}

interface Read extends Pick<PaymentAnswer, "refusalReason" | "refusalReasonCode"> {
  readonly resultCode: string;
  readonly pspReference: string | null;
  readonly data: Readonly<Record<string, string | undefined>>;
}

function payment(body: Told["body"]): Read {
  const { resultCode, pspReference, refusalReason, refusalReasonCode, additionalData } = body;
  return {
    resultCode: text(resultCode, 40) ?? "",
    pspReference: text(pspReference, 255) ?? null,
    data: textsOf(additionalData),
    ...(text(refusalReason, 200) && { refusalReason: text(refusalReason, 200) ?? "" }),
    ...(text(refusalReasonCode, 10) && { refusalReasonCode: text(refusalReasonCode, 10) ?? "" }),
  };
}

const refusalResponse = (read: Read, presented: Presented): ProcessorResponse => ({
  ...responseOf(read, presented),
  code: codeOf(read.refusalReasonCode),
  message: read.refusalReason ?? refusalOf(read.refusalReasonCode).reason,
});

function responseOf(read: Read, { brand, threeDSecure }: Presented): Omit<ProcessorResponse, "code" | "message"> {
  const { refusalReasonRaw, merchantAdviceCode } = read.data;
  const detail = [
    refusalReasonRaw,
    merchantAdviceCode && `merchant advice ${merchantAdviceCode}`,
    threeDSecure && eciNote(brand, threeDSecure.status, threeDSecure.eci),
  ].filter((part) => part);
  return {
    transactionId: read.pspReference,
    authCode: null,
    ...checksOf(read.data, brand),
    threeDSecure: threeDSecureOutcome(threeDSecure, "not-checked"),
    rawThreeDSecure: null,
    detail: detail.join("; ").slice(0, 255) || null,
  };
}

/** Six letters and digits, as every network gives them; anything else is none. */
export const authCodeOf = (code: string | undefined): string | null =>
  /^[0-9A-Za-z]{6}$/.test(code ?? "") ? (code ?? "").toUpperCase() : null;

// docs.adyen.com/development-resources/error-codes: what is about the card or the payer.
const CARD_ERRORS: Readonly<Record<string, DeclineCategory>> = {
  101: "wrong-data", // invalid card number
  102: "wrong-data", // the brand cannot be told from it
  103: "wrong-data", // CVC is not the right length
  105: "authentication-required", // invalid PaRes from the issuer
  129: "wrong-data", // expiry date invalid
  104: "wrong-data", // billing address
  117: "wrong-data",
  118: "wrong-data", // delivery address
  119: "wrong-data", // the payer's name
  120: "wrong-data", // email
  124: "wrong-data", // phone number
  128: "wrong-data", // the card holder is missing
  137: "configuration", // invalid amount
  140: "wrong-data", // expiry month
  141: "wrong-data", // expiry year
};

/** Of the request or the account, whatever the card. */
const OF_THE_ACCOUNT: ReadonlySet<string> = new Set([
  "010",
  "100",
  "107",
  "109",
  "130",
  "138",
  "139",
  "158",
  "167",
  "702",
  "803",
  "901",
  "902",
  "903",
  "905",
  "906",
  "907",
  "908",
  "912",
]);

/** A request that Adyen's API refused: nothing was done. */
export function refusedRequest(
  { errorCode, message, status, pspReference }: Refused,
  charge: Presented | null,
): Answer {
  const processorResponse: ProcessorResponse = {
    code: /^[0-9A-Za-z_]{2,10}$/.test(errorCode) ? errorCode : `${status}`,
    message: message || "The request was refused",
    transactionId: pspReference,
    authCode: null,
    ...NOTHING_CHECKED,
    threeDSecure: threeDSecureOutcome(charge?.threeDSecure ?? null, "not-checked"),
  };
  const ofCharge = OF_THE_ACCOUNT.has(errorCode) || errorCode === "" ? "configuration" : "refused";
  const category =
    charge === null
      ? "wrong-state"
      : Object.hasOwn(CARD_ERRORS, errorCode)
        ? (CARD_ERRORS[errorCode] ?? ofCharge)
        : ofCharge;
  return { kind: "declined", processorResponse, category };
}

const text = (value: unknown, most: number): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, most) : undefined;

function textsOf(data: unknown): Readonly<Record<string, string | undefined>> {
  if (typeof data !== "object" || data === null) return {};
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, text(value, 255)]));
}
