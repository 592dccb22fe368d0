// Parses what a payer agreed to, in a card or in a charge that stores one.

import type { Consent, Period } from "../payment/consent.ts";
import { fitsCurrency } from "../payment/currency.ts";
import { type Amount, parseAmount } from "../payment/money.ts";
import type { Problems } from "../validation/problems.ts";
import type { ConsentFields } from "./schema/consent.ts";

const AMOUNTS = ["amount_at_most", "period_amount_at_most"] as const;

/** What its fields say of each other; each by itself is for their schema. */
export function wrongConsent(consent: ConsentFields | undefined, problems: Problems): Problems {
  const isWrong = Object.keys(problems).some((field) => field === "consent" || field.startsWith("consent."));
  if (consent === undefined || typeof consent !== "object" || isWrong) return {};
  const { currency, period, period_amount_at_most: inPeriod } = consent;
  const required = (field: string) => ({
    [`consent.${field}`]: ["is required: an amount and its period belong together"],
  });
  return {
    ...(currency === undefined && AMOUNTS.some((field) => consent[field] !== undefined) && WITHOUT_CURRENCY),
    ...(period === undefined && inPeriod !== undefined && required("period")),
    ...(period !== undefined && inPeriod === undefined && required("period_amount_at_most")),
    ...Object.fromEntries(
      AMOUNTS.filter((field) => {
        const text = consent[field];
        return text !== undefined && currency !== undefined && !fitsCurrency(amountOf(text), currency);
      }).map((field) => [`consent.${field}`, [`must be whole, since ${currency} has no hundredths`]]),
    ),
  };
}

const WITHOUT_CURRENCY: Problems = { "consent.currency": ["is required with an amount"] };

/** Of fields that are right. */
export function consentOf(consent: ConsentFields | undefined): Consent | null {
  if (consent === undefined) return null;
  const { currency, amount_at_most: most, period, period_amount_at_most: inPeriod, charges_at_most, until } = consent;
  return {
    ...(currency !== undefined && { currency }),
    ...(most !== undefined && { amountAtMost: amountOf(most) }),
    ...(period !== undefined &&
      inPeriod !== undefined && { perPeriod: { period: period as Period, amountAtMost: amountOf(inPeriod) } }),
    ...(charges_at_most !== undefined && { chargesAtMost: charges_at_most }),
    ...(until !== undefined && { until }),
  };
}

function amountOf(text: string): Amount {
  const parsed = parseAmount(text);
  if (!parsed.ok) throw new Error("broken invariant: an amount that its schema let through");
  return parsed.amount;
}
