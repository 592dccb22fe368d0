// What a dispute's stage, status and due date mean for who has to answer it.

import type { Dispute } from "../../../packages/client/src/openapi.ts";
import { momentOf, until } from "./dates.ts";
import type { StatusLabel, Tone } from "./status.ts";

export const STAGES: Readonly<Record<Dispute["stage"], string>> = {
  inquiry: "Inquiry",
  chargeback: "Chargeback",
  second_chargeback: "Second chargeback",
  pre_arbitration: "Pre-arbitration",
  arbitration: "Arbitration",
};

const STAGE_MEANS: Readonly<Record<Dispute["stage"], string>> = {
  inquiry: "The bank asks for information. No money has moved: a good response can prevent a chargeback.",
  chargeback: "The bank takes the payment back.",
  second_chargeback: "The bank did not accept the evidence, and took the money again.",
  pre_arbitration: "The last step at which the two banks can agree.",
  arbitration: "The card network decides, and the loser pays its fee.",
};

export const stageMeans = ({ stage }: Dispute): string => STAGE_MEANS[stage];

const OPEN: Readonly<Record<"needs_response" | "under_review", StatusLabel>> = {
  needs_response: { word: "Needs a response", tone: "wait" },
  under_review: { word: "Under review", tone: "info" },
};
const ENDED: Readonly<Record<NonNullable<Dispute["outcome"]>, StatusLabel>> = {
  won: { word: "Won", tone: "good" },
  lost: { word: "Lost", tone: "bad" },
  closed: { word: "Closed", tone: "plain" },
};

export function statusOfDispute({ status, outcome }: Pick<Dispute, "status" | "outcome">): StatusLabel {
  if (status !== "ended") return OPEN[status];
  return ENDED[outcome ?? "closed"];
}

/** One choice of five, in place of status and outcome. */
export const STATES = [
  { value: "needs_response", label: "Needs a response" },
  { value: "under_review", label: "Under review" },
  { value: "won", label: "Won" },
  { value: "lost", label: "Lost" },
  { value: "closed", label: "Closed without a winner" },
] as const;

/** As the API wants it: an open dispute has a status, one that has ended an outcome. */
export const fieldsOfState = (state: string): { readonly status: string } | { readonly outcome: string } =>
  state === "needs_response" || state === "under_review" ? { status: state } : { outcome: state };

const EVIDENCE: Readonly<Record<string, string>> = {
  stripe: "Upload evidence in the Stripe Dashboard, under Payments, Disputes.",
  adyen: "Upload evidence in Adyen's Customer Area, under Revenue & risk, Disputes.",
  iso8583:
    "Send evidence to the acquirer as agreed with it. It reports nothing to the gateway: an operator enters what happens.",
  simulator: "The sandbox has no bank: an operator enters what happens.",
};

/** What is to be done about it, and where. */
export function whatToDo(
  { status, outcome, stage, amount_withdrawn }: Dispute,
  processorKind: string | undefined,
): string {
  if (status === "under_review") return "Nothing for now: the bank or the card network decides.";
  if (status === "needs_response")
    return EVIDENCE[processorKind ?? ""] ?? "Upload evidence at the processor; the gateway takes none.";
  if (outcome === "won") return "It ended in your favour.";
  if (outcome === "lost")
    return Number(amount_withdrawn) > 0
      ? "It ended in the cardholder's favour: the cardholder keeps the money."
      : "It ended in the cardholder's favour.";
  return stage === "inquiry" ? "It ended without becoming a chargeback." : "It ended without a winner.";
}

const DAY_MS = 86_400_000;

export interface Due {
  /** `1 Dec 2026, 23:59 UTC` */
  readonly at: string;
  /** `in 9 days` */
  readonly left: string;
  readonly tone: Tone;
}

/** Undefined where nobody waits, or until when is not known. */
export function dueOf({ status, respond_by }: Pick<Dispute, "status" | "respond_by">, now: Date): Due | undefined {
  if (status !== "needs_response" || respond_by === null) return undefined;
  const at = `${momentOf(respond_by)} UTC`;
  const leftMs = new Date(respond_by).getTime() - now.getTime();
  if (leftMs < 0) return { at, left: "too late", tone: "bad" };
  const days = Math.floor(leftMs / DAY_MS);
  return { at, left: days > 1 ? `in ${days} days` : until(respond_by, now), tone: days < 3 ? "bad" : "wait" };
}
