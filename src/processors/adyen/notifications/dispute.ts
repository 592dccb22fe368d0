// What an item of a standard webhook says about a dispute. Which step of the dispute it is, and over how much, is signed, and decides
// about money and order; reason, due date and status are not, and are only shown.
//
// docs.adyen.com/risk-management/disputes-api/dispute-notifications: the codes, and that all of one dispute have its pspReference.

import { isCurrency } from "../../../payment/currency.ts";
import type { DisputeStage, DisputeState } from "../../../payment/dispute.ts";
import { wordsOfReason } from "../../../payment/dispute-reasons.ts";
import { ZERO } from "../../../payment/money.ts";
import type { Disputed } from "../../../payment/news.ts";
import { holdsCardNumber } from "../../../payment/stray-card-number.ts";
import { ofAdyenValue } from "../minor-units.ts";
import type { Item } from "./item.ts";

interface Step {
  readonly stage?: DisputeStage;
  readonly state?: DisputeState;
  /** Adyen says whose way it went only in `disputeStatus`. */
  readonly endsByStatus?: true;
  readonly money?: "withdrawn" | "returned";
}

/** In the order of a dispute. The money moves only with codes of which Adyen says so. */
const STEPS = {
  REQUEST_FOR_INFORMATION: { stage: "inquiry", state: "needs_response" },
  NOTIFICATION_OF_CHARGEBACK: { stage: "chargeback", state: "needs_response" },
  // Evidence may have been supplied since the notification of it.
  CHARGEBACK: { stage: "chargeback", money: "withdrawn" },
  INFORMATION_SUPPLIED: { state: "under_review" },
  DISPUTE_DEFENSE_PERIOD_ENDED: { state: "lost" },
  // "This stage is not final."
  CHARGEBACK_REVERSED: { stage: "chargeback", state: "under_review", endsByStatus: true, money: "returned" },
  ISSUER_RESPONSE_TIMEFRAME_EXPIRED: { state: "won" },
  SECOND_CHARGEBACK: { stage: "second_chargeback", state: "lost", money: "withdrawn" },
  PREARBITRATION_OPEN: { stage: "pre_arbitration", state: "needs_response" },
  PREARBITRATION_DECLINED: { stage: "pre_arbitration", state: "under_review", endsByStatus: true },
  PREARBITRATION_ACCEPTED: { stage: "pre_arbitration", state: "under_review", endsByStatus: true },
  PREARBITRATION_LOST: { stage: "pre_arbitration", state: "lost" },
  PREARBITRATION_ISSUER_WITHDRAWN: { stage: "pre_arbitration", state: "won" },
  PREARBITRATION_WON: { stage: "pre_arbitration", state: "won" },
  SCHEME_ARBITRATION: { stage: "arbitration", state: "under_review" },
  SCHEME_ARBITRATION_LOST: { stage: "arbitration", state: "lost" },
  SCHEME_ARBITRATION_WON: { stage: "arbitration", state: "won" },
} as const satisfies Readonly<Record<string, Step>>;
type Code = keyof typeof STEPS;
const COURSE = Object.keys(STEPS);

/** Steps of an inquiry stand between its beginning and the notification of a chargeback. */
const AFTER_INQUIRY = 100;

/** They tell of a dispute, and nothing of where it stands. */
const REMARKS = new Set(["ISSUER_COMMENTS"]);

export const isOfDispute = ({ eventCode }: Item): boolean => COURSE.includes(eventCode) || REMARKS.has(eventCode);

/** Undefined for what says nothing of where the dispute stands, or over how much it is. */
export function disputeOf(item: Item): Disputed | undefined {
  const { eventCode, amount: given, pspReference, success } = item;
  const order = COURSE.indexOf(eventCode);
  const amount = given && isCurrency(given.currency) ? ofAdyenValue(given.value, given.currency) : undefined;
  if (order < 0 || given === undefined || amount === undefined || success !== "true" || pspReference === "")
    return undefined;
  const step: Step = STEPS[eventCode as Code];
  const state = stateOf(step, item);
  return {
    kind: "dispute",
    reference: pspReference,
    payment: null,
    report: {
      order: asksOnly(item) ? order : order * AFTER_INQUIRY,
      ...(step.stage !== undefined && { stage: step.stage }),
      ...(state !== undefined && { state }),
      disputed: { amount, currency: given.currency },
      ...(step.money !== undefined && { withdrawn: step.money === "withdrawn" ? amount : ZERO }),
      ...reasonOf(item),
      ...dueOf(item),
    },
  };
}

function stateOf({ state, endsByStatus }: Step, item: Item): DisputeState | undefined {
  const status = item.additionalData?.disputeStatus;
  if (endsByStatus && status === "Won") return "won";
  if (endsByStatus && status === "Lost") return "lost";
  // An inquiry that nobody answered is not lost: a chargeback may follow.
  return asksOnly(item) && state === "lost" ? "closed" : state;
}

/** What follows a request for information, and no chargeback. */
const asksOnly = ({ eventCode, additionalData }: Item): boolean =>
  additionalData?.rfiReasonCode !== undefined &&
  (eventCode === "INFORMATION_SUPPLIED" || eventCode === "DISPUTE_DEFENSE_PERIOD_ENDED");

function reasonOf({ reason: given, additionalData }: Item): { reason?: string; reasonCode?: string } {
  const code = shown(additionalData?.chargebackReasonCode ?? additionalData?.rfiReasonCode, 32);
  const words = shown(given, 200);
  const reason = words === "" ? wordsOfReason(code) : words;
  return { ...(reason !== undefined && { reason }), ...(code !== "" && { reasonCode: code }) };
}

function shown(given: unknown, most: number): string {
  const text =
    typeof given === "string"
      ? given
          .replace(/\p{Cc}+/gu, " ")
          .trim()
          .slice(0, most)
      : "";
  return holdsCardNumber(text) ? "" : text;
}

function dueOf({ additionalData }: Item): { respondBy?: Date } {
  const given = String(additionalData?.defensePeriodEndsAt);
  const due = new Date(/^\d{4}-\d{2}-\d{2}T/.test(given) ? given : Number.NaN);
  return Number.isNaN(due.getTime()) ? {} : { respondBy: due };
}
