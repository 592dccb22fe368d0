// What a payer agreed to when a card was stored: limits of the charges that the merchant initiates later. Pure. Days and periods are those
// of the calendar in UTC; weeks begin on Monday.

import { type Amount, minus, renderAmount, ZERO } from "./money.ts";
import type { Refusal } from "./refusal.ts";

export const PERIODS = ["day", "week", "month", "year"] as const;
export type Period = (typeof PERIODS)[number];

/** What is absent is not limited. */
export interface Consent {
  /** ISO 4217, of all charges. There wherever an amount is limited. */
  readonly currency?: string;
  /** Of one charge. */
  readonly amountAtMost?: Amount;
  readonly perPeriod?: { readonly period: Period; readonly amountAtMost: Amount };
  /** In all. */
  readonly chargesAtMost?: number;
  /** The last day, `2031-05-01`. */
  readonly until?: string;
}

export interface ConsentedCharge {
  readonly amount: Amount;
  readonly currency: string;
}

/** Charges that were made by it: also those of which nobody knows the end yet. Declined ones are not among them. */
export interface UsedConsent {
  readonly charges: number;
  /** Since {@link periodStart}. */
  readonly inPeriod: Amount;
}

/** Why the consent does not cover this charge; undefined if it does. */
export function beyondConsent(
  { currency, amountAtMost, perPeriod, chargesAtMost, until }: Consent,
  charge: ConsentedCharge,
  { charges, inPeriod }: UsedConsent,
  now: Date,
): Refusal | undefined {
  if (until !== undefined && dayOf(now) > until) return { name: "consent-expired", field: "card_id" };
  if (chargesAtMost !== undefined && charges >= chargesAtMost) return { name: "consent-used-up", field: "card_id" };
  if (currency !== undefined && charge.currency !== currency)
    return { name: "consent-in-other-currency", field: "currency" };
  if (amountAtMost !== undefined && charge.amount > amountAtMost)
    return { name: "consent-exceeded", field: "amount", most: amountAtMost };
  if (perPeriod === undefined) return undefined;
  const left = perPeriod.amountAtMost > inPeriod ? minus(perPeriod.amountAtMost, inPeriod) : ZERO;
  return charge.amount > left ? { name: "consent-exceeded-in-period", field: "amount", most: left } : undefined;
}

/** When the period began that `now` is in. */
export function periodStart(period: Period, now: Date): Date {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  switch (period) {
    case "day":
      return new Date(Date.UTC(year, month, day));
    case "week":
      return new Date(Date.UTC(year, month, day - ((now.getUTCDay() + 6) % 7)));
    case "month":
      return new Date(Date.UTC(year, month, 1));
    case "year":
      return new Date(Date.UTC(year, 0, 1));
  }
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** As the API shows it, and the audit log. */
export const shownConsent = ({ currency, amountAtMost, perPeriod, chargesAtMost, until }: Consent) => ({
  ...(currency !== undefined && { currency }),
  ...(amountAtMost !== undefined && { amount_at_most: renderAmount(amountAtMost) }),
  ...(perPeriod && { period: perPeriod.period, period_amount_at_most: renderAmount(perPeriod.amountAtMost) }),
  ...(chargesAtMost !== undefined && { charges_at_most: chargesAtMost }),
  ...(until !== undefined && { until }),
});
