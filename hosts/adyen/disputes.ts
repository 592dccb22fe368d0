// Disputes, as the payer's bank and the Customer Area would bring them about: each step is one or two items of standard webhooks, under
// a pspReference that is the same for all of one dispute. docs.adyen.com/risk-management/disputes-api/dispute-notifications

import type { Payment } from "./accounts.ts";
import type { Item } from "./entry.ts";

export interface Disputing {
  /** `open` is the step without one. */
  readonly step?: keyof typeof CODES;
  /** In the currency's minor unit; all of the payment without. */
  readonly amount?: number;
  readonly currency?: string;
}

const CODES = {
  inquire: ["REQUEST_FOR_INFORMATION"],
  open: ["NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK"],
  respond: ["INFORMATION_SUPPLIED"],
  win: ["CHARGEBACK_REVERSED", "ISSUER_RESPONSE_TIMEFRAME_EXPIRED"],
  lose: ["SECOND_CHARGEBACK"],
  lapse: ["DISPUTE_DEFENSE_PERIOD_ENDED"],
} as const;

const DAYS_MS = 7 * 86_400_000;

/** In the order in which Adyen would send them. */
export function itemsOfDispute(
  { psp, reference, value, currency }: Payment,
  merchantAccount: string,
  { step = "open", ...over }: Disputing,
  now: Date,
): readonly Item[] {
  if (!Object.hasOwn(CODES, step)) throw new TypeError(`There is no step ${step}.`);
  return CODES[step].map((eventCode) => ({
    eventCode,
    success: "true",
    pspReference: `D${psp.slice(1)}`,
    originalReference: psp,
    merchantReference: reference,
    merchantAccountCode: merchantAccount,
    amount: { value: over.amount ?? value, currency: over.currency ?? currency },
    eventDate: now.toISOString(),
    reason: "Other Fraud-Card Absent Environment",
    additionalData: {
      chargebackReasonCode: "10.4",
      chargebackSchemeCode: "visa",
      defensePeriodEndsAt: new Date(now.getTime() + DAYS_MS).toISOString(),
    },
  }));
}
