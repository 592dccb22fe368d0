// What a processor tells by itself about an event, and what follows from it. Pure. The order in which news come does not
// matter for money: a failure wins over a success.

import type { DeclineCategory } from "./decline.ts";
import type { Event, ProcessorResponse, SettlementTimes } from "./transaction.ts";

export type News = Ended | Kept;
export type Ended = Succeeded | Failed;

export interface Succeeded {
  readonly kind: "succeeded";
  readonly processorResponse: ProcessorResponse;
  readonly settlement?: SettlementTimes;
}

/** At once, or after all. */
export interface Failed {
  readonly kind: "failed";
  readonly processorResponse: ProcessorResponse;
  readonly category: DeclineCategory;
}

/** For the operator: nothing of the transaction follows from it yet. */
export interface Kept {
  readonly kind: "settled" | "chargeback" | "other";
}

export const NEWS_KINDS: readonly News["kind"][] = ["succeeded", "failed", "settled", "chargeback", "other"];

/**
 * - `end`: the event had none, and this is it
 * - `late-failure`: it was approved, and failed after all
 * - `known`: nothing new
 * - `kept`: for the operator to look at
 */
export type Consequence =
  | { readonly kind: "end"; readonly news: Ended }
  | { readonly kind: "late-failure"; readonly news: Failed }
  | { readonly kind: "known" }
  | { readonly kind: "kept"; readonly why: string };

/** @param occurredAt of the news, by the processor */
export function consequenceOf({ type, outcome }: Event, news: News, occurredAt: Date): Consequence {
  if (news.kind !== "succeeded" && news.kind !== "failed")
    return kept("it changes nothing about the transaction by itself");
  switch (outcome?.kind) {
    case undefined:
      return { kind: "end", news };
    case "approved":
      if (news.kind === "succeeded") return { kind: "known" };
      // What was reserved for the payer lapses by itself: there is no money to take back.
      return type === "auth" ? kept("an authorization does not fail after all") : { kind: "late-failure", news };
    case "failed-after-all":
      return { kind: "known" };
    case "unanswered":
    case "action-required":
      return news.kind === "failed" ? { kind: "known" } : kept("the charge was given up, and is taken back");
    case "declined":
    case "already-settled":
    case "not-sent":
      if (news.kind === "failed" || occurredAt <= outcome.at) return { kind: "known" };
      return kept(`it contradicts the outcome on record: ${outcome.kind}`);
  }
}

const kept = (why: string): Consequence => ({ kind: "kept", why });
