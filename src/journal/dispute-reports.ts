// A report about a dispute as JSON, and back: amounts as texts and instants in ISO 8601, as JSON has neither. What stands in the
// database is read, not believed.

import {
  DISPUTE_STAGES,
  DISPUTE_STATES,
  type DisputeReport,
  type DisputeStage,
  type DisputeState,
} from "../payment/dispute.ts";
import { amountOf } from "../payment/money.ts";
import { count, instant, orNull, type Reader, rowReader, text, wholeNumber, word } from "./rows.ts";

export interface StoredReport {
  readonly order: number;
  readonly at: string;
  readonly stage?: DisputeStage;
  readonly state?: DisputeState;
  readonly disputed?: { readonly amount: string; readonly currency: string };
  readonly withdrawn?: string;
  readonly reason?: string;
  readonly reasonCode?: string;
  readonly respondBy?: string | null;
}

/** As it goes into a column of JSON. */
export function storedReport({ at, disputed, withdrawn, respondBy, ...rest }: DisputeReport): StoredReport {
  return {
    ...rest,
    at: at.toISOString(),
    ...(disputed && { disputed: { amount: String(disputed.amount), currency: disputed.currency } }),
    ...(withdrawn !== undefined && { withdrawn: String(withdrawn) }),
    ...(respondBy !== undefined && { respondBy: respondBy === null ? null : respondBy.toISOString() }),
  };
}

/** As it came out of one. */
export function reportFrom(stored: object): DisputeReport {
  const { disputed, withdrawn, stage, state, reason, reasonCode, respondBy, ...rest } = reportRow(stored);
  return {
    ...rest,
    ...(stage !== undefined && { stage }),
    ...(state !== undefined && { state }),
    ...(disputed !== undefined && { disputed }),
    ...(withdrawn !== undefined && { withdrawn }),
    ...(reason !== undefined && { reason }),
    ...(reasonCode !== undefined && { reasonCode }),
    ...(respondBy !== undefined && { respondBy }),
  };
}

const ifThere =
  <T>(reader: Reader<T>): Reader<T | undefined> =>
  (value) =>
    value === undefined ? undefined : reader(value);

const isoInstant: Reader<Date> = (value) => instant(new Date(text(value)));
const amount: Reader<ReturnType<typeof amountOf>> = (value) => amountOf(wholeNumber(value));
const disputedRow = rowReader("dispute_reports", { amount, currency: text });

const reportRow = rowReader("dispute_reports", {
  order: count,
  at: isoInstant,
  stage: ifThere(word(DISPUTE_STAGES)),
  state: ifThere(word(DISPUTE_STATES)),
  disputed: ifThere((value: unknown) => disputedRow(value as object)),
  withdrawn: ifThere(amount),
  reason: ifThere(text),
  reasonCode: ifThere(text),
  respondBy: ifThere(orNull(isoInstant)),
});
