// What codes and words of an event mean, in a sentence for somebody who has not read the API's documentation.

import type { Action, Attempt, Event } from "../../../packages/client/src/openapi.ts";

export const BRANDS: Readonly<Record<string, string>> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  discover: "Discover",
  diners: "Diners Club",
  jcb: "JCB",
  unionpay: "UnionPay",
  maestro: "Maestro",
  elo: "Elo",
  hipercard: "Hipercard",
  unknown: "Card",
};

export const brandOf = (brand: string): string => BRANDS[brand] ?? "Card";

/** `•••• 1111` of `411111******1111` */
export const lastFour = (mask: string): string => `•••• ${mask.slice(-4).replaceAll("*", "•")}`;

export const OPERATIONS: Readonly<Record<Event["event_type"], string>> = {
  sale: "Sale",
  auth: "Authorization",
  capture: "Capture",
  void: "Void",
  refund: "Refund",
};

const DECLINES: Readonly<Record<NonNullable<Event["decline_category"]>, string>> = {
  "do-not-retry": "The issuer will never approve this card. Ask for another one.",
  "insufficient-funds": "There is not enough money in the account. Another day or another card may work.",
  "limit-exceeded": "This is above the card's limit.",
  "wrong-data": "Number, expiry date or CVV is wrong. Check them with the cardholder, or ask for another card.",
  "suspected-fraud": "The issuer or the processor suspects fraud.",
  "not-permitted": "This card may not be used for this.",
  configuration: "The merchant's account at the processor is not set up for this. The operator can correct it.",
  "authentication-required": "The cardholder has to authenticate first (3-D Secure).",
  "try-later": "The issuer could not decide. Try again later.",
  "already-settled": "The money has settled already: refund it instead.",
  "wrong-state": "The payment is not in a state for this.",
  refused: "The issuer declined without a reason. The cardholder can ask their bank, or use another card.",
};

/** What became of an event; undefined where its code says it all. */
export function meaningOf(event: Event): string | undefined {
  const { status, success, decline_category } = event;
  if (status === "pending") return "The outcome is not known yet. The gateway keeps asking until it is.";
  if (success)
    return event.by_processor ? "The processor did this by itself, or contrary to what was on record." : undefined;
  if (status === "error")
    return "The processor did not answer in time. The charge is reversed until that is confirmed.";
  if (saysExpired(event)) return EXPIRED;
  return decline_category === null ? undefined : DECLINES[decline_category];
}

const EXPIRED = "The card has expired, or the expiry date is not the card's. Check the date, or ask for another card.";

/** Nobody corrects a card that has expired. ISO 8583, field 39: 54, and 33 and 101 in other lists; others say so in words. */
const saysExpired = ({ decline_category, processor_code, processor_message }: Event): boolean =>
  decline_category === "wrong-data" && (processor_code === "54" || /expired/i.test(processor_message ?? ""));

/** Of a processor that did not take a charge. */
export function attemptOf(name: string, { reason }: Pick<Attempt, "reason">) {
  return reason === "declined"
    ? { title: `${name} declined`, meaning: "The charge went on to the next processor." }
    : { title: `${name} was out of reach`, meaning: "Nothing was sent to it; the next processor took the charge." };
}

const AVS: Readonly<Record<NonNullable<Event["avs_response"]>, string>> = {
  match: "Street and postal code match",
  address_match: "Street matches, postal code does not",
  postal_match: "Postal code matches, street does not",
  no_match: "Neither street nor postal code matches",
  unavailable: "The issuer did not check it",
  not_supported: "The issuer cannot check it",
};

const CVV: Readonly<Record<NonNullable<Event["cvv_response"]>, string>> = {
  match: "Matches",
  no_match: "Does not match",
  not_processed: "Was not checked",
  not_present: "Not on the card",
  unsupported: "The issuer cannot check it",
};

const THREE_D_SECURE: Readonly<Record<NonNullable<Event["threeds_response"]>, string>> = {
  success: "The cardholder was authenticated",
  attempted: "Authentication was attempted; the issuer does not take part",
  failed: "Authentication failed",
  unavailable: "Authentication was not possible",
  error: "The result could not be verified",
};

export type Tone = "good" | "bad" | "plain";

export interface CheckResult {
  readonly name: string;
  readonly words: string;
  readonly tone: Tone;
  /** As the processor said it. */
  readonly raw: string | null;
}

/** 3-D Secure, AVS and CVV of a charge; what was not asked says so. */
export function checksOf(event: Event): readonly CheckResult[] {
  const { avs_response: avs, cvv_response: cvv, threeds_response: secure } = event;
  return [
    {
      name: "3-D Secure",
      words: secure === null ? "Not used" : THREE_D_SECURE[secure],
      tone: toneOf(secure, ["success", "attempted"], ["failed", "error"]),
      raw: event.processor_threeds_response,
    },
    {
      name: "Address (AVS)",
      words: avs === null ? "No address was sent" : AVS[avs],
      tone: toneOf(avs, ["match"], ["no_match"]),
      raw: event.processor_avs_response,
    },
    {
      name: "CVV",
      words: cvv === null ? "No CVV was sent" : CVV[cvv],
      tone: toneOf(cvv, ["match"], ["no_match"]),
      raw: event.processor_cvv_response,
    },
  ];
}

function toneOf(word: string | null, good: readonly string[], bad: readonly string[]): Tone {
  if (word !== null && good.includes(word)) return "good";
  return word !== null && bad.includes(word) ? "bad" : "plain";
}

type Refusal = NonNullable<Action["reason"]>;

/** Why an operation is not possible now. */
const REASONS: Partial<Record<Refusal, string>> = {
  "charge-not-approved": "The charge was not approved, so there is no money to move.",
  "sale-is-captured": "A sale is captured already.",
  "processor-captures-once": "The processor allows only one capture.",
  "nothing-left-to-capture": "Nothing is left to capture.",
  "void-after-settlement": "The money has settled. Use a refund.",
  "nothing-left-to-void": "Nothing is left to void.",
  "processor-voids-whole-payments":
    "The processor voids whole payments only, not one that was captured, voided or refunded in part.",
  "void-must-be-whole": "Only everything that is left can be voided here.",
  "nothing-captured": "Nothing was captured. Use a void.",
  "nothing-left-to-refund": "Nothing is left to refund.",
  "refund-before-settlement": "Not settled yet. A void may be possible instead.",
  "partial-refund-inside-window": "Settlement is in progress: only all of it can be refunded, or wait.",
  "reversal-before-settlement": "No void is possible, and not all that is left can be refunded yet.",
  "nothing-left-to-reverse": "Nothing is left to give back.",
  "too-many-events": "The transaction has reached its limit of events. A reversal can still give back what is left.",
  "card-number-not-kept": "The processor needs the card number for this, and it is not stored any more.",
  "operation-in-flight": "Another operation is in flight. Try again in a moment.",
};

export const whyNot = (reason: Refusal | undefined): string =>
  reason === undefined ? "Not possible." : (REASONS[reason] ?? `Not possible: ${reason.replaceAll("-", " ")}.`);
