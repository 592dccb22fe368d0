// What an item of a standard webhook means for the event that it names. Pure. What names another kind of event than the code is
// about, such as a capture by hand in the Customer Area, which names the payment, was made by itself.
//
// docs.adyen.com/development-resources/webhooks/webhook-types: the event codes of the standard webhook.

import type { Failed, Kept, Known, Made, News, Succeeded } from "../../../payment/news.ts";
import type { ProcessorResponse } from "../../../payment/outcome.ts";
import { holdsCardNumber } from "../../../payment/stray-card-number.ts";
import type { EventType } from "../../../payment/transaction.ts";
import { NOTHING_CHECKED } from "../../../payment/verification.ts";
import { ofAdyenValue } from "../minor-units.ts";
import { authCodeOf } from "../read-payment.ts";
import { codeOf, codeOfReason, refusalOf } from "../refusals.ts";
import { disputeOf, isOfDispute } from "./dispute.ts";
import type { Item } from "./item.ts";

/** By event code: the types of event it ends. */
const ENDS: Readonly<Record<string, readonly EventType[]>> = {
  AUTHORISATION: ["sale", "auth"],
  CAPTURE: ["capture"],
  CANCELLATION: ["void"],
  CANCEL_OR_REFUND: ["void"],
  REFUND: ["refund"],
  REFUND_WITH_DATA: ["refund"],
};

/** Whose amount is that of the event. A cancellation names the payment's, whatever was captured of it. */
const NAMES_AMOUNT: ReadonlySet<string> = new Set(["AUTHORISATION", "CAPTURE", "REFUND", "REFUND_WITH_DATA"]);

/** After all, whatever `success` says: that is about the event, not about the capture or refund. */
const FAILS: Readonly<Record<string, readonly EventType[]>> = {
  // Of a sale: Adyen captures it by itself.
  CAPTURE_FAILED: ["capture", "sale"],
  // A void of what was captured is a refund there.
  REFUND_FAILED: ["refund", "void"],
  REFUNDED_REVERSED: ["refund", "void"],
};

/** @param type of the event that our reference names; null where it is none of ours */
export function newsOf(item: Item, type: EventType | null): News {
  const { eventCode } = item;
  const succeeded = item.success === "true";
  if (isOfDispute(item)) return disputeOf(item) ?? { kind: "chargeback" };
  if (type === null) return madeTo(item) ?? { kind: "other" };
  if (own(ENDS, eventCode)?.includes(type)) {
    if (!succeeded && !isRefused(item)) return { kind: "other" };
    return succeeded ? success(item) : { ...failure(item, type), refused: true };
  }
  if (isMadeAgain(item) && type === "sale") return success(item);
  if (own(FAILS, eventCode)?.includes(type)) return failure(item, type);
  const charge = type === "sale" || type === "auth";
  const made = charge ? madeBy(item) : undefined;
  if (made !== undefined) return made;
  if (eventCode === "POSTPONED_REFUND") return { kind: "known" };
  // "The offer expired, for example, because the shopper abandoned the session": of a payment that waited for its payer.
  if (eventCode === "OFFER_CLOSED" && charge && succeeded) return { kind: "reversed", lapsed: true };
  return eventCode === "TECHNICAL_CANCEL" && charge && succeeded ? { kind: "reversed" } : { kind: "other" };
}

/** Where `success` is missing or another word, it is neither a success nor a no. */
const isRefused = ({ success: succeeded }: Item): boolean => succeeded === "false";

/** What is done to a payment under the payment's own reference, by itself or in the Customer Area. */
const MADE: Readonly<Record<string, Made["type"]>> = {
  CAPTURE: "capture",
  CAPTURE_FAILED: "capture",
  CANCELLATION: "void",
  EXPIRE: "void",
  CANCEL_OR_REFUND: "reversal",
  REFUND: "refund",
  REFUND_WITH_DATA: "refund",
  REFUND_FAILED: "refund",
  REFUNDED_REVERSED: "refund",
};

/** EXPIRE and the cancellations name the payment's amount, whatever is left of it. */
const OF_ALL_THAT_IS_LEFT: ReadonlySet<string> = new Set(["CANCELLATION", "EXPIRE", "CANCEL_OR_REFUND"]);

function madeBy(item: Item): Made | Known | Kept | undefined {
  const { eventCode, amount: given, pspReference, success: succeeded } = item;
  const type = own(MADE, eventCode);
  if (type === undefined) return undefined;
  const fails = Object.hasOwn(FAILS, eventCode);
  // Nothing came of it.
  if (!fails && succeeded !== "true") return { kind: isRefused(item) ? "known" : "other" };
  const all = OF_ALL_THAT_IS_LEFT.has(eventCode);
  const amount = given && !all ? ofAdyenValue(given.value, given.currency) : undefined;
  if (pspReference === "" || (!all && amount === undefined)) return { kind: "other" };
  return {
    kind: "made",
    type,
    operation: pspReference,
    payment: null,
    ...(given && amount !== undefined && { money: { amount, currency: given.currency } }),
    ...(isMadeAgain(item) && { again: true }),
    end: fails ? "failed" : "succeeded",
    processorResponse: fails
      ? failure(item, "capture").processorResponse
      : { ...responseOf(item), code: "00", message: eventCode },
  };
}

/** Somebody typed a reference in the Customer Area: whose payment it is, the payment's name says, which is signed, too. */
function madeTo(item: Item): Made | undefined {
  const made = item.originalReference === undefined ? undefined : madeBy(item);
  return made?.kind === "made" ? { ...made, payment: item.originalReference ?? null } : undefined;
}

const own = <T>(of: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(of, name) ? of[name] : undefined;

/**
 * docs.adyen.com/online-payments/capture/failure-reasons: a capture that had failed was made again. Adyen says so in `reason` alone, which
 * is not signed; the capture itself is. A copy with a forged reason could only undo a failure that Adyen had told.
 */
export const isMadeAgain = ({ eventCode, success: succeeded, reason }: Item): boolean =>
  eventCode === "CAPTURE" && succeeded === "true" && /^transaction (auto-)?recaptured$/i.test(reason?.trim() ?? "");

/** An amount that is none of ours is an operation that is none of ours. */
function success(item: Item): Succeeded | Kept {
  const { eventCode, amount: given, reason } = item;
  const names = given !== undefined && NAMES_AMOUNT.has(eventCode);
  const amount = names ? ofAdyenValue(given.value, given.currency) : undefined;
  if (names && amount === undefined) return { kind: "other" };
  return {
    kind: "succeeded",
    processorResponse: {
      ...responseOf(item),
      code: "00",
      message: eventCode,
      // `AUTHCODE:1111:12/2030`, of which the rest is about the card.
      authCode: eventCode === "AUTHORISATION" ? authCodeOf(reason?.split(":")[0]) : null,
    },
    ...(names && amount !== undefined && { money: { amount, currency: given.currency } }),
    ...operationOf(item),
    ...(isMadeAgain(item) && { again: true }),
  };
}

function failure(item: Item, type: EventType): Failed {
  const message = reasonOf(item) || `${item.eventCode} FAILED`;
  if (type !== "sale" && type !== "auth")
    return {
      kind: "failed",
      processorResponse: { ...responseOf(item), code: "FAILED", message },
      category: "wrong-state",
      ...operationOf(item),
    };
  const reason = codeOfReason(message);
  const processorResponse = { ...responseOf(item), code: codeOf(reason), message };
  return { kind: "failed", processorResponse, category: refusalOf(reason).category, ...operationOf(item) };
}

/** Each attempt of an operation has a pspReference of its own, and what fails of it later names that one. */
const operationOf = ({ pspReference }: Item) => (pspReference === "" ? {} : { operation: pspReference });

const responseOf = ({ pspReference }: Item): Omit<ProcessorResponse, "code" | "message"> => ({
  transactionId: pspReference.slice(0, 255) || null,
  authCode: null,
  ...NOTHING_CHECKED,
});

/** In Adyen's words; of an approved authorization it would tell of the card. */
export function reasonOf({ eventCode, success: succeeded, reason }: Item): string {
  const words = reason?.trim().slice(0, 200) ?? "";
  if (eventCode === "AUTHORISATION" && succeeded === "true") return "";
  return holdsCardNumber(words) ? "" : words;
}
