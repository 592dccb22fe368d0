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
import { count, instant, list, orNull, type Reader, rowReader, text, wholeNumber, word } from "./rows.ts";

export interface StoredReport {
  readonly order: number;
  readonly at: string;
  readonly stage?: DisputeStage;
  readonly state?: DisputeState;
  readonly disputed?: { readonly amount: string; readonly currency: string };
  readonly withdrawn?: string;
  readonly fees?: readonly StoredFee[];
  readonly feeInAll?: { readonly amount: string; readonly currency: string };
  readonly reason?: string;
  readonly reasonCode?: string;
  readonly respondBy?: string | null;
}

interface StoredFee {
  readonly name: string;
  readonly amount: string;
  readonly currency: string;
}

/** As it goes into a column of JSON. */
export function storedReport(report: DisputeReport): StoredReport {
  const { at, disputed, withdrawn, fees, feeInAll, respondBy, ...rest } = report;
  return {
    ...rest,
    at: at.toISOString(),
    ...(disputed && { disputed: { amount: String(disputed.amount), currency: disputed.currency } }),
    ...(withdrawn !== undefined && { withdrawn: String(withdrawn) }),
    ...(fees && { fees: fees.map((fee) => ({ ...fee, amount: String(fee.amount) })) }),
    ...(feeInAll && { feeInAll: { amount: String(feeInAll.amount), currency: feeInAll.currency } }),
    ...(respondBy !== undefined && { respondBy: respondBy === null ? null : respondBy.toISOString() }),
  };
}

/** As it came out of one. */
export function reportFrom(stored: object): DisputeReport {
  const { disputed, withdrawn, fees, feeInAll, stage, state, reason, reasonCode, respondBy, ...rest } =
    reportRow(stored);
  return {
    ...rest,
    ...(stage !== undefined && { stage }),
    ...(state !== undefined && { state }),
    ...(disputed !== undefined && { disputed }),
    ...(withdrawn !== undefined && { withdrawn }),
    ...(fees !== undefined && { fees }),
    ...(feeInAll !== undefined && { feeInAll }),
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

const feeRow = rowReader("dispute_reports", { name: text, amount: wholeNumber, currency: text });

const reportRow = rowReader("dispute_reports", {
  order: count,
  at: isoInstant,
  stage: ifThere(word(DISPUTE_STAGES)),
  state: ifThere(word(DISPUTE_STATES)),
  disputed: ifThere((value: unknown) => disputedRow(value as object)),
  withdrawn: ifThere(amount),
  fees: ifThere(list((value: unknown) => feeRow(value as object))),
  feeInAll: ifThere((value: unknown) => disputedRow(value as object)),
  reason: ifThere(text),
  reasonCode: ifThere(text),
  respondBy: ifThere(orNull(isoInstant)),
});
