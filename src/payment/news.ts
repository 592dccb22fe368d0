// What a processor tells by itself about an event, or an operator about one that is unresolved. What follows from it is in consequence.ts.

import type { DeclineCategory } from "./decline.ts";
import type { DisputeReport } from "./dispute.ts";
import type { Amount } from "./money.ts";
import type { ActionRequired, Outcome, ProcessorResponse, SettlementTimes, Unanswered } from "./outcome.ts";
import type { FollowUpType } from "./transaction.ts";

export type News = EventNews | Made | Disputed;
/** About an event, of which something may follow. */
export type EventNews = Ended | Reversed | Known | Kept;
export type Ended = Succeeded | Failed;

export interface Succeeded {
  readonly kind: "succeeded";
  readonly processorResponse: ProcessorResponse;
  readonly settlement?: SettlementTimes;
  /** Of how much, where the processor says it of the event itself. */
  readonly money?: Money;
  /** The processor's name for the operation, where it may make several under one reference of ours. */
  readonly operation?: string;
  /** The processor made it again by itself after it had failed. */
  readonly again?: true;
  readonly entered?: Entered;
}

/** By an operator, who looked at the processor: it ends what is open, changes no outcome, and yields to what the processor says. */
type Entered = true;

export interface Money {
  readonly amount: Amount;
  readonly currency: string;
}

export interface Failed {
  readonly kind: "failed";
  readonly processorResponse: ProcessorResponse;
  readonly category: DeclineCategory;
  readonly operation?: string;
  /** It was refused at first: a success of the same operation came after that. Otherwise it failed for good, after any success. */
  readonly refused?: true;
  readonly entered?: Entered;
}

/** What else was told of the same event, applied or not, in any order. */
export type Heard =
  | Pick<Succeeded, "kind" | "operation" | "again" | "entered">
  | Pick<Failed, "kind" | "operation" | "refused" | "entered">
  | Reversed;

/** A charge that was given up is taken back: no money of it is held or taken, now or later. */
export interface Reversed {
  readonly kind: "reversed";
  readonly entered?: Entered;
  /** Its payer can complete it no more. That says nothing of a charge that was not given up. */
  readonly lapsed?: true;
}

/**
 * The processor did something to a payment of ours without being asked: an authorization expired, or somebody captured, canceled or refunded
 * at the processor's own site. It is about the charge.
 */
export interface Made {
  readonly kind: "made";
  /** `reversal`: a void or, of what was captured, a refund. */
  readonly type: FollowUpType | "reversal";
  /** The processor's name for it, the same in all that it says about it. */
  readonly operation: string;
  /** The processor's name for the payment, where the message itself does not say which of ours it is. */
  readonly payment: string | null;
  /** Of how much; a void without is of all that is not captured, or of a sale; of no more than that in any case. */
  readonly money?: Money;
  /** `money` is all that was made by now of this type, and not this time alone. */
  readonly inAll?: true;
  /** The processor made it again by itself after it had failed. */
  readonly again?: true;
  /** `failed`: for good, after any success. */
  readonly end: "succeeded" | "failed";
  readonly processorResponse: ProcessorResponse;
}

/** What is said about a dispute; nothing of the event follows from it. */
export interface Disputed {
  readonly kind: "dispute";
  /** The processor's name for the dispute, the same in all that it says about it. */
  readonly reference: string;
  /** The processor's name for the payment, where the message itself does not say which of ours it is. */
  readonly payment: string | null;
  /** `at` is the notification's. */
  readonly report: Omit<DisputeReport, "at">;
}

/** Nothing that the processor does not tell in full by another notification. */
export interface Known {
  readonly kind: "known";
}

/** For the operator: nothing follows from it. `chargeback`: a dispute whose message cannot be read as one. */
export interface Kept {
  readonly kind: "settled" | "chargeback" | "other-mode" | "other";
}

export const NEWS_KINDS: readonly News["kind"][] = [
  "succeeded",
  "failed",
  "reversed",
  "made",
  "known",
  "settled",
  "dispute",
  "chargeback",
  "other-mode",
  "other",
];

/** A charge of which the processor may hold or take money although the merchant was told that it failed. */
export const isGivenUp = (outcome: Outcome | null | undefined): outcome is Unanswered | ActionRequired =>
  outcome?.kind === "unanswered" || outcome?.kind === "action-required";
