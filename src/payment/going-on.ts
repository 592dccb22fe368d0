// Whether a charge that a processor declined goes on to another one: by what the decline says of the card, and within the limits
// that the schemes set to repeats. Pure; who is asked next is gateway/try-in-turn.ts.
//
// Sources, read in November 2026; the schemes' own manuals are for their members:
// - Visa: 15 reattempts in 30 days of the same card, amount and merchant, none after a "category 1" decline.
//   https://support.checkout.com/hc/en-us/articles/25482040901394, https://developers.tabapay.com/docs/excessive-retry-rules
//   Since 2025 Visa allows 20 in most regions; the lower limit breaks neither.
// - Mastercard: 10 in 24 hours and 35 in 30 days of the same card and merchant, none after the merchant advice codes 03 and 21.
//   The same pages, and https://developer.paypal.com/braintree/docs/reference/general/merchant-responses/merchant-advice-codes

import type { CardBrand } from "./card-brand.ts";
import type { DeclineCategory } from "./decline.ts";
import type { Amount } from "./money.ts";
import type { Declined } from "./outcome.ts";
import { type Event, isCharge, newestOf, type Transaction, wasSent } from "./transaction.ts";

/** The most processors that a merchant may let be asked for one charge. */
export const MOST_ATTEMPTS = 5;

/** After this, nobody else is asked: a caller waits for no longer than this and for the last processor. */
export const LONGEST_TRYING_MS = 30_000;

/**
 * Reasons of one processor, or none at all. Money that is not there, data that are wrong and cards that are blocked are the same
 * everywhere, and Visa takes "not permitted" (57) for a card that is never to be tried again.
 */
const MAY_BE_APPROVED_ELSEWHERE: ReadonlySet<DeclineCategory> = new Set(["refused", "configuration", "try-later"]);

/**
 * ISO 8583:1987, field 39. 12, an invalid transaction, is the merchant's doing, and yet Visa counts it among what is never to be tried
 * again. 94 is a duplicate: a charge like it was made a moment ago and may have been approved, so another one could be the second payment.
 */
const ENDS_IT: ReadonlySet<string> = new Set(["12", "94"]);

/** With an advice of when to try again, "later" is a date, and no other processor. */
const ADVISED_BY_MASTERCARD: ReadonlySet<CardBrand> = new Set(["mastercard", "maestro", "unknown"]);

/**
 * Whether another processor is asked after this end of the newest charge event. What is not known to have failed ends it: silence,
 * an answer that is still to come, a payer who would have to act.
 * @param attemptsAtMost processors to which the charge may be sent; 1: a decline ends it
 */
export function goesOn(transaction: Transaction, attemptsAtMost: number, now: Date): boolean {
  if (tryingLeftMs(transaction, now) <= 0) return false;
  const { outcome } = newestOf(transaction);
  const sent = transaction.events.filter((event) => isCharge(event) && wasSent(event)).length;
  switch (outcome?.kind) {
    // Nothing was sent, so this is the same attempt at another place (decision F4).
    case "not-sent":
      return sent === 0 || sent < attemptsAtMost;
    case "declined":
      return sent < attemptsAtMost && mayBeApprovedElsewhere(outcome, transaction.card.brand);
    default:
      return false;
  }
}

/** For so long may another processor still be asked. */
export const tryingLeftMs = ({ createdAt }: Transaction, now: Date): number =>
  createdAt.getTime() + LONGEST_TRYING_MS - now.getTime();

function mayBeApprovedElsewhere({ category, processorResponse }: Declined, brand: CardBrand): boolean {
  if (category === undefined || processorResponse.cvv === "no_match") return false;
  if (ENDS_IT.has(processorResponse.code)) return false;
  if (category === "try-later" && ADVISED_BY_MASTERCARD.has(brand)) return false;
  return MAY_BE_APPROVED_ELSEWHERE.has(category);
}

/** So many tries within so long, and no further one; a try is a charge that was sent and not approved. */
export interface RepeatLimit {
  readonly tries: number;
  readonly withinMs: number;
  /** Whether only tries of this amount count. */
  readonly amount?: Amount;
}

/** When a card was tried in vain, and for how much. */
export interface Try {
  readonly at: Date;
  readonly amount: Amount;
}

const DAY_MS = 86_400_000;
export const LONGEST_LIMIT_MS = 30 * DAY_MS;

/** The first try is no reattempt: 16 of them are 15 reattempts. */
const REATTEMPTS: RepeatLimit = { tries: 16, withinMs: LONGEST_LIMIT_MS };
const MASTERCARD: readonly RepeatLimit[] = [
  { tries: 10, withinMs: DAY_MS },
  { tries: 35, withinMs: LONGEST_LIMIT_MS },
];

/**
 * What holds before another processor is asked; undefined where the charge was sent nowhere yet, which repeats nothing. Brands of
 * which no limit is known have Visa's for whatever amount, and one that nobody knows has all of them.
 */
export function repeatLimits({ card: { brand }, events }: Transaction): readonly RepeatLimit[] | undefined {
  const sent = events.find((event): event is Event => isCharge(event) && event.outcome !== null && wasSent(event));
  return sent && limitsOf(brand, sent.amount);
}

/** What holds before a card of this brand is charged this amount once more. */
export function limitsOf(brand: CardBrand, amount: Amount): readonly RepeatLimit[] {
  switch (brand) {
    case "visa":
      return [{ ...REATTEMPTS, amount }];
    case "mastercard":
    case "maestro":
      return MASTERCARD;
    case "unknown":
      return [REATTEMPTS, ...MASTERCARD];
    default:
      return [REATTEMPTS];
  }
}

/** Whether the card may be tried once more. */
export const withinLimits = (limits: readonly RepeatLimit[], tries: readonly Try[], now: Date): boolean =>
  limits.every((limit) => {
    const since = now.getTime() - limit.withinMs;
    const counted = tries.filter(
      ({ at, amount }) => at.getTime() > since && (limit.amount === undefined || amount === limit.amount),
    );
    return counted.length < limit.tries;
  });
