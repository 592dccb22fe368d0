// The rows of disputes and of what was reported about them, as they are written and read.

import { DISPUTE_STAGES, DISPUTE_STATES, type DisputeSummary, type KnownReport } from "../payment/dispute.ts";
import { type Amount, amountOf } from "../payment/money.ts";
import { reportFrom } from "./dispute-reports.ts";
import { count, instant, object, orNull, type Reader, rowReader, text, wholeNumber, word } from "./rows.ts";

/** What is known of it from the beginning, and stays. */
export interface DisputeOpening {
  readonly merchantId: string;
  /** The gateway's. */
  readonly id: string;
  readonly transactionId: string;
  readonly merchantTransactionId: string;
  /** The charge that is disputed. */
  readonly eventId: string;
  readonly processorId: string;
  /** The processor's name for it. */
  readonly reference: string | null;
}

export interface Dispute extends DisputeOpening, DisputeSummary {
  readonly createdAt: Date;
  /** When something of it was last other than before. */
  readonly updatedAt: Date;
}

/** What its reports add up to. */
export const summaryColumns = (summary: DisputeSummary) => ({
  stage: summary.stage,
  state: summary.state,
  amount: summary.amount,
  currency: summary.currency,
  withdrawn: summary.withdrawn,
  fee: summary.fee?.amount ?? null,
  fee_currency: summary.fee?.currency ?? null,
  reason: summary.reason,
  reason_code: summary.reasonCode,
  respond_by: summary.respondBy,
  opened_at: summary.openedAt,
});

const amount: Reader<Amount> = (value) => amountOf(wholeNumber(value));

const row = rowReader("disputes", {
  merchant_id: text,
  id: text,
  transaction_id: text,
  merchant_transaction_id: text,
  event_id: text,
  processor_id: text,
  reference: orNull(text),
  stage: word(DISPUTE_STAGES),
  state: word(DISPUTE_STATES),
  amount,
  currency: text,
  withdrawn: amount,
  fee: orNull(wholeNumber),
  fee_currency: orNull(text),
  reason: orNull(text),
  reason_code: orNull(text),
  respond_by: orNull(instant),
  opened_at: instant,
  created_at: instant,
  updated_at: instant,
});

/** A row of the disputes themselves. */
export function disputeRow(given: object): Dispute {
  const found = row(given);
  return {
    merchantId: found.merchant_id,
    id: found.id,
    transactionId: found.transaction_id,
    merchantTransactionId: found.merchant_transaction_id,
    eventId: found.event_id,
    processorId: found.processor_id,
    reference: found.reference,
    stage: found.stage,
    state: found.state,
    amount: found.amount,
    currency: found.currency,
    withdrawn: found.withdrawn,
    fee: feeOf(found.fee, found.fee_currency),
    reason: found.reason,
    reasonCode: found.reason_code,
    respondBy: found.respond_by,
    openedAt: found.opened_at,
    createdAt: found.created_at,
    updatedAt: found.updated_at,
  };
}

const feeOf = (amount: bigint | null, currency: string | null): DisputeSummary["fee"] =>
  amount === null || currency === null ? null : { amount, currency };

const reportColumns = rowReader("dispute_reports", {
  number: count,
  source: orNull(text),
  report: object,
  created_at: instant,
});

/** A row of its reports. */
export function knownReport(given: object): KnownReport {
  const { number, source, report, created_at: knownAt } = reportColumns(given);
  return { ...reportFrom(report), number, source, knownAt };
}
