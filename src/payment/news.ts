// What a processor tells by itself about an event, and what follows from it. Pure. The order in which news come does not
// matter for money: a failure wins over a success.

import type { DeclineCategory } from "./decline.ts";
import type { DisputeReport } from "./dispute.ts";
import { type Amount, renderAmount } from "./money.ts";
import type { ActionRequired, ProcessorResponse, SettlementTimes, Unanswered } from "./outcome.ts";
import type { Event, Transaction } from "./transaction.ts";

export type News = EventNews | Disputed;
/** About an event, of which something may follow. */
export type EventNews = Ended | Reversed | Known | Kept;
export type Ended = Succeeded | Failed;

export interface Succeeded {
  readonly kind: "succeeded";
  readonly processorResponse: ProcessorResponse;
  readonly settlement?: SettlementTimes;
  /** Of how much, where the processor says it of the event itself. */
  readonly money?: Money;
  readonly entered?: Entered;
}

/** By an operator, who looked at the processor: it ends what is open, and changes no outcome. */
type Entered = true;

interface Money {
  readonly amount: Amount;
  readonly currency: string;
}

/** At once, or after all. */
export interface Failed {
  readonly kind: "failed";
  readonly processorResponse: ProcessorResponse;
  readonly category: DeclineCategory;
  readonly entered?: Entered;
}

/** A charge that was given up is taken back: no money of it is held or taken, now or later. */
export interface Reversed {
  readonly kind: "reversed";
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
  readonly kind: "settled" | "chargeback" | "other";
}

export const NEWS_KINDS: readonly News["kind"][] = [
  "succeeded",
  "failed",
  "reversed",
  "known",
  "settled",
  "dispute",
  "chargeback",
  "other",
];

/**
 * - `end`: the event had none, and this is it
 * - `late-failure`: it was approved, and failed after all
 * - `reversed`: it was given up, and is taken back now
 * - `still-charged`: it was given up, and its money is held or taken: it is to be taken back at once
 * - `known`: nothing new
 * - `kept`: for the operator to look at
 */
export type Consequence =
  | { readonly kind: "end"; readonly news: Ended }
  | { readonly kind: "late-failure"; readonly news: Failed }
  | { readonly kind: "reversed" }
  | { readonly kind: "still-charged"; readonly why: string }
  | { readonly kind: "known" }
  | { readonly kind: "kept"; readonly why: string };

/** What the operator reads. */
const WHY_KEPT: Readonly<Record<Kept["kind"], string>> = {
  settled: "the processor says that this money has settled; the gateway shows it by the record's schedule",
  chargeback:
    "the payer disputes this payment, and the message does not say what the gateway needs: look at the processor, and enter the dispute by hand",
  other: "the gateway does not know this kind of notification",
};

/** @param occurredAt of the news, by the processor */
export function consequenceOf(
  { currency }: Pick<Transaction, "currency">,
  event: Event,
  news: EventNews,
  occurredAt: Date,
): Consequence {
  if (news.kind === "reversed") return reversalOf(event);
  if (news.kind === "known") return news;
  if (news.kind !== "succeeded" && news.kind !== "failed") return kept(WHY_KEPT[news.kind]);
  const { type, amount, outcome } = event;
  const told = news.kind === "succeeded" ? news.money : undefined;
  const differs =
    told && (told.amount !== amount || told.currency !== currency)
      ? `it tells of ${shown(told)}, and the ${type} is of ${shown({ amount, currency })}`
      : undefined;
  if (isGivenUp(outcome)) {
    if (news.kind === "failed") return { kind: "known" };
    return { kind: "still-charged", why: differs ?? "the charge was given up, and is taken back" };
  }
  if (differs !== undefined) return kept(differs);
  switch (outcome?.kind) {
    case undefined:
      return { kind: "end", news };
    case "approved":
      if (news.kind === "succeeded") return { kind: "known" };
      if (news.entered) return kept("the operation was approved before this was entered");
      // What was reserved for the payer lapses by itself: there is no money to take back.
      return type === "auth" ? kept("an authorization does not fail after all") : { kind: "late-failure", news };
    case "failed-after-all":
      return { kind: "known" };
    case "declined":
    case "already-settled":
    case "not-sent":
      if (news.kind === "failed" || occurredAt <= outcome.at) return { kind: "known" };
      return kept(`it contradicts the outcome on record: ${outcome.kind}`);
  }
}

/** A charge of which the processor may hold or take money although the merchant was told that it failed. */
export const isGivenUp = (outcome: Event["outcome"]): outcome is Unanswered | ActionRequired =>
  outcome?.kind === "unanswered" || outcome?.kind === "action-required";

function reversalOf({ outcome }: Event): Consequence {
  if (isGivenUp(outcome)) return { kind: "reversed" };
  return kept("it was taken back at the processor, and was not given up here");
}

const kept = (why: string): Consequence => ({ kind: "kept", why });

const shown = ({ amount, currency }: Money): string => `${renderAmount(amount)} ${currency}`;
