// How an event of a transaction ended: what the processor said, and what follows from it for the money.

import type { DeclineCategory } from "./decline.ts";
import type { ThreeDSecureOutcome } from "./three-d-secure.ts";
import type { AvsWord, CvvWord } from "./verification.ts";

/** How an event ended. */
export type Outcome = FirstOutcome | FailedAfterAll;

/** Written once, on evidence, never changed; that an approved event failed after all is written beside it. */
export type FirstOutcome = Approved | Declined | AlreadySettled | ActionRequired | Unanswered | NotSent;
export const FIRST_OUTCOME_KINDS: readonly FirstOutcome["kind"][] = [
  "approved",
  "declined",
  "already-settled",
  "action-required",
  "unanswered",
  "not-sent",
];

export interface Approved {
  readonly kind: "approved";
  readonly at: Date;
  readonly processorResponse: ProcessorResponse;
  /** When this money settles; null for an auth and a void, which move none. */
  readonly settlement: SettlementTimes | null;
}

/** The processor approved it and told later that it failed. To all rules it has failed. */
export interface FailedAfterAll extends LateFailure {
  readonly kind: "failed-after-all";
  /** What was known before. */
  readonly approval: Approved;
}

export interface LateFailure {
  /** When the gateway knew. */
  readonly at: Date;
  readonly processorResponse: ProcessorResponse;
  readonly category: DeclineCategory;
}

export interface Declined {
  readonly kind: "declined";
  readonly at: Date;
  readonly processorResponse: ProcessorResponse;
  /** Absent on what was declined before categories were kept. */
  readonly category?: DeclineCategory;
}

/** A void that came too late: a refund is to be tried (specification 7). */
export interface AlreadySettled {
  readonly kind: "already-settled";
  readonly at: Date;
  readonly processorResponse: ProcessorResponse;
}

/** A charge that would need the payer in a browser: it failed, and is reversed until the processor confirms that. */
export interface ActionRequired {
  readonly kind: "action-required";
  readonly at: Date;
  readonly processorResponse: ProcessorResponse;
}

/** A charge that was sent and never answered: it is reversed until the processor confirms that. */
export interface Unanswered {
  readonly kind: "unanswered";
  readonly at: Date;
  readonly processorResponse: ProcessorResponse;
}

/** Nothing was sent: the processor refused the connection, or the gateway stopped before it asked. */
export interface NotSent {
  readonly kind: "not-sent";
  readonly at: Date;
  readonly processorResponse: ProcessorResponse;
}

/** The instants in force when the money was captured; a later change of the schedule does not move them. */
export interface SettlementTimes {
  readonly cutoffAt: Date;
  readonly settledAt: Date;
  readonly visibleAt: Date;
}

/** What the processor said, in its words and in ours. */
export interface ProcessorResponse {
  readonly code: string;
  readonly message: string;
  readonly transactionId: string | null;
  readonly authCode: string | null;
  readonly avs: AvsWord | null;
  readonly rawAvs: string | null;
  readonly cvv: CvvWord | null;
  readonly rawCvv: string | null;
  readonly threeDSecure: ThreeDSecureOutcome | null;
  readonly rawThreeDSecure: string | null;
  readonly detail: string | null;
  /** The scheme's, of a charge: of a card on file it is remembered with the card, and nowhere else. */
  readonly networkTransactionId?: string;
}

/** What was known of an outcome at an instant at which there was one. */
export const outcomeAt = (outcome: Outcome, at: Date): Outcome =>
  outcome.kind === "failed-after-all" && at < outcome.at ? outcome.approval : outcome;

/** Why it failed, by what can be done about it; null where it did not, and where nobody knows why. */
export function declineCategoryOf(outcome: Outcome | null): DeclineCategory | null {
  switch (outcome?.kind) {
    case "declined":
      return outcome.category ?? null;
    case "failed-after-all":
      return outcome.category;
    case "already-settled":
      return "already-settled";
    case "action-required":
      return "authentication-required";
    case "approved":
    case "unanswered":
    case "not-sent":
    case undefined:
      return null;
  }
}

/** When the money of an approved event settles; null where it moved none. */
export const settlementOf = (outcome: Outcome | null | undefined): SettlementTimes | null =>
  outcome?.kind === "approved" ? outcome.settlement : null;
