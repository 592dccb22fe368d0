// What follows from what a processor tells by itself about an event. Pure. The order in which news come does not matter for
// money: of one operation, a failure for good wins over a success, a success over a refusal at first, and all of them over what an
// operator entered. Money that moved contrary to the record is added to it.

import { renderAmount } from "./money.ts";
import {
  type Ended,
  type EventNews,
  type Failed,
  type Heard,
  isGivenUp,
  type Kept,
  type Money,
  type Reversed,
  type Succeeded,
} from "./news.ts";
import type { Outcome } from "./outcome.ts";
import {
  addedFor,
  carriedOut,
  failsForGood,
  isAnother,
  isEntered,
  isMadeAgain,
  isOvertaken,
  isSuccess,
  madeBefore,
  nameOf,
  type Situation,
} from "./told-operations.ts";
import { type Event, isCharge, succeeded, type Transaction } from "./transaction.ts";
import { NOTHING_CHECKED } from "./verification.ts";

/**
 * - `end`: the event had none, and this is it
 * - `late-failure`: it was approved, and failed after all
 * - `add`: the processor moved money contrary to what is on record, so an event is added that says so
 * - `reversed`: it was given up, and is taken back now
 * - `taken-back`: it was approved, and the processor holds or takes no money of it any more
 * - `still-charged`: it was given up, and its money is held or taken: it is to be taken back at once
 * - `known`: nothing new
 * - `kept`: for the operator to look at
 */
export type Consequence =
  | { readonly kind: "end"; readonly news: Ended }
  | {
      readonly kind: "late-failure";
      readonly event: Event;
      readonly news: Failed;
      /** More follows from the same news then. */
      readonly goesOn?: true;
    }
  | Add
  | { readonly kind: "reversed" }
  | { readonly kind: "taken-back"; readonly charge: Event }
  | { readonly kind: "still-charged"; readonly why: string }
  | { readonly kind: "known" }
  | { readonly kind: "kept"; readonly why: string };

export interface Add {
  readonly kind: "add";
  readonly event: Pick<Event, "type" | "amount" | "shares"> & { readonly byProcessor: string };
  readonly news: Succeeded;
  /** For the merchant and the operator. */
  readonly why: string;
  /** The event itself has no outcome, and another amount than its own was moved: it ends as declined. */
  readonly instead?: true;
}

/** A live account's message at a test record, or the other way around: it never changes anything. */
export const OTHER_MODE =
  "it is of the processor's live mode and this is a test record, or the other way around: look at where its webhook goes";

/** What the operator reads. */
const WHY_KEPT: Readonly<Record<Kept["kind"], string>> = {
  settled: "the processor says that this money has settled; the gateway shows it by the record's schedule",
  chargeback:
    "the payer disputes this payment, and the message does not say what the gateway needs: look at the processor, and enter the dispute by hand",
  "other-mode": OTHER_MODE,
  other: "the gateway does not know this kind of notification",
};

/**
 * When the processor says that it happened does not matter: that time is not always signed.
 * @param heard of the same event
 */
export function consequenceOf(
  transaction: Transaction,
  event: Event,
  news: EventNews,
  heard: readonly Heard[],
): Consequence {
  switch (news.kind) {
    case "succeeded":
      return successOf({ transaction, event, heard }, news);
    case "failed":
      return failureOf({ transaction, event, heard }, news);
    case "reversed":
      return reversalOf(transaction, event, news);
    case "known":
      return news;
    default:
      return kept(WHY_KEPT[news.kind]);
  }
}

function successOf(situation: Situation, news: Succeeded): Consequence {
  const { transaction, event, heard } = situation;
  const { outcome } = event;
  const differs = difference(transaction, event, news);
  if (isGivenUp(outcome))
    return { kind: "still-charged", why: differs ?? "the charge was given up, and is taken back" };
  if (differs !== undefined && news.money?.currency !== transaction.currency) return kept(differs);
  if (news.entered) return outcome === null ? { kind: "end", news } : afterwards(outcome);
  if (isOvertaken(situation, news)) return { kind: "known" };
  // That it failed before is told by another notification, which may come later.
  const before = news.again && madeBefore(situation, news);
  if (before) return { kind: "late-failure", event: before, news: failedBefore(news), goesOn: true };
  switch (outcome?.kind) {
    case undefined:
      if (differs === undefined) return { kind: "end", news };
      return isCharge(event) ? kept(differs) : added(situation, news, { instead: true });
    case "approved":
      if (isAnother(situation, news))
        return isCharge(event)
          ? kept("another payment under the same reference: take it back at the processor")
          : added(situation, news);
      return differs === undefined ? { kind: "known" } : kept(differs);
    case "failed-after-all":
      return news.again || isAnother(situation, news) || !heard.some(failsForGood)
        ? added(situation, news)
        : { kind: "known" };
    case "declined":
    case "already-settled":
    case "not-sent":
      return added(situation, news);
  }
}

function failureOf(situation: Situation, news: Failed): Consequence {
  const { transaction, event, heard } = situation;
  const { outcome, type } = event;
  if (isGivenUp(outcome)) return { kind: "known" };
  if (isMadeAgain(situation, news))
    return heard.some((one) => failsForGood(one) && one.operation === news.operation)
      ? kept("the operation failed, was made again, and may have failed again: look at it at the processor")
      : { kind: "known" };
  if (outcome === null) return { kind: "end", news };
  const there = addedFor(transaction, event, news.operation).find(succeeded);
  if (there !== undefined && !news.refused && !news.entered) return { kind: "late-failure", event: there, news };
  if (outcome.kind !== "approved") return { kind: "known" };
  if (news.entered) return kept("the operation was approved before this was entered");
  if (news.refused) {
    if (isEntered(heard) && !heard.some(isSuccess)) return { kind: "late-failure", event, news };
    if (isAnother(situation, news)) return { kind: "known" };
    return kept("the processor refuses what it had approved: look at it there");
  }
  // What was reserved for the payer lapses by itself: there is no money to take back.
  return type === "auth" ? kept("an authorization does not fail after all") : { kind: "late-failure", event, news };
}

function difference({ currency }: Transaction, { type, amount }: Event, { money }: Succeeded): string | undefined {
  if (money === undefined || (money.amount === amount && money.currency === currency)) return undefined;
  return `it tells of ${shown(money)}, and the ${type} is of ${shown({ amount, currency })}`;
}

/** Of an operator's entry about what has an outcome. */
const afterwards = ({ kind }: Outcome): Consequence =>
  kind === "approved" ? { kind: "known" } : kept(`it contradicts the outcome on record: ${kind}`);

/** Once for each operation, and never beside one that is there. */
function added(situation: Situation, news: Succeeded, more: Pick<Add, "instead"> = {}): Consequence {
  const { transaction, event } = situation;
  const { operation, again, money } = news;
  const { type, outcome } = event;
  const byProcessor = nameOf(event.id, operation, again);
  const before = addedFor(transaction, event, operation);
  if (before.some((one) => succeeded(one) || one.byProcessor === byProcessor))
    return more.instead ? { kind: "end", news: carriedOutOtherwise(news) } : { kind: "known" };
  if (isCharge(event) && transaction.events.some((one) => one !== event && isCharge(one) && mayHavePaid(one)))
    return kept(
      "the processor took this charge, and another one pays for the transaction: take it back at the processor",
    );
  const amount = money?.amount ?? event.amount;
  return {
    kind: "add",
    event: { type, amount, shares: amount === event.amount ? event.shares : null, byProcessor },
    news,
    why: `the processor carried out ${shown({ amount, currency: transaction.currency })} of a ${type} that is on record as ${again ? "failed" : wordOf(outcome)}`,
    ...more,
  };
}

function wordOf(outcome: Outcome | null): string {
  switch (outcome?.kind) {
    case undefined:
      return "open over another amount";
    case "approved":
      return "carried out already";
    case "failed-after-all":
      return "failed";
    default:
      return outcome?.kind.replaceAll("-", " ") ?? "";
  }
}

const mayHavePaid = ({ outcome }: Event): boolean => outcome === null || outcome.kind === "approved";

const failedBefore = ({ processorResponse }: Succeeded): Failed => ({
  kind: "failed",
  processorResponse: { ...processorResponse, code: "FAILED", message: "FAILED, AND MADE AGAIN BY THE PROCESSOR" },
  category: "wrong-state",
});

/** What the event itself ends with. */
const carriedOutOtherwise = ({ processorResponse }: Succeeded): Failed => ({
  kind: "failed",
  processorResponse: { ...processorResponse, code: "NO", message: "CARRIED OUT OVER ANOTHER AMOUNT" },
  category: "wrong-state",
});

function reversalOf(transaction: Transaction, event: Event, { entered, lapsed }: Reversed): Consequence {
  if (isGivenUp(event.outcome)) return { kind: "reversed" };
  if (lapsed) return event.outcome === null && event.challenge ? { kind: "end", news: LAPSED } : { kind: "known" };
  const charge = isCharge(event) ? carriedOut(transaction, event) : undefined;
  if (charge !== undefined && !entered) return { kind: "taken-back", charge };
  return kept("it was taken back at the processor, and was not given up here");
}

/** Of a charge that waits for its payer. */
const LAPSED: Failed = {
  kind: "failed",
  processorResponse: {
    ...{ code: "1A", message: "THE PAYER DID NOT AUTHENTICATE", transactionId: null, authCode: null },
    ...NOTHING_CHECKED,
  },
  category: "authentication-required",
};

const kept = (why: string): Consequence => ({ kind: "kept", why });

const shown = ({ amount, currency }: Money): string => `${renderAmount(amount)} ${currency}`;
