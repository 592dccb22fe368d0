// A merchant's ledger of a period: one record a movement, as the API and the command line show it. Read from the journal
// when asked for; its sums over a batch are the batch's own. What disputes move is in no batch: processors take it by itself.

import type { Sql } from "../journal/database.ts";
import type { Dispute } from "../journal/dispute-rows.ts";
import { streamReported } from "../journal/disputes-reported.ts";
import type { Period } from "../journal/search/span.ts";
import { streamTouched } from "../journal/search/touched.ts";
import { type DisputeMovement, disputeMovementsOf } from "../payment/dispute.ts";
import { renderSigned } from "../payment/money.ts";
import { type Movement, movementsOf } from "../payment/movements.ts";
import { batchId } from "../payment/status.ts";
import type { Transaction } from "../payment/transaction.ts";
import { timestamp } from "../validation/fields.ts";
import { mustBeWhole } from "./archived.ts";

export const LEDGER_COLUMNS = [
  "occurred_at",
  "settled_at",
  "paid_at",
  "movement",
  "reversing",
  "currency",
  "amount",
  "merchant_transaction_id",
  "transaction_id",
  "event_id",
  "passenger_id",
  "passenger_name",
  "ticket_number",
  "batch_id",
  "processor_id",
  "processor_transaction_id",
  "dispute_id",
] as const;

/** How CSV of these columns is laid out. */
export const LEDGER_LAYOUT = {
  amounts: ["amount"],
  codes: ["merchant_transaction_id", "ticket_number", "processor_transaction_id"],
} as const;

export type LedgerRecord = ReturnType<typeof recordOf> | ReturnType<typeof recordOfDispute>;

/**
 * Transactions newest first, the movements of each in the order in which they were known; then disputes, in the same way.
 * @param period by the instant of each movement
 * @param signal ends it when nobody reads it any more
 */
export async function* streamLedger(
  sql: Sql,
  merchantId: string,
  period: Period,
  now: Date,
  signal?: AbortSignal,
): AsyncGenerator<readonly LedgerRecord[], void, void> {
  for await (const transactions of streamTouched(sql, merchantId, period, signal)) {
    const records = transactions.flatMap((transaction) =>
      movementsOf(transaction)
        .filter(({ at }) => isIn(period, at))
        .map((movement) => recordOf(transaction, movement, now)),
    );
    if (records.length > 0) yield records;
  }
  for await (const reported of streamReported(sql, merchantId, period, signal)) {
    const records = reported.flatMap(({ dispute, reports }) =>
      disputeMovementsOf(reports)
        .filter(({ at }) => isIn(period, at))
        .map((movement) => recordOfDispute(dispute, movement)),
    );
    if (records.length > 0) yield records;
  }
  await mustBeWhole(sql, merchantId, period);
}

const isIn = ({ from, before }: Period, at: Date): boolean =>
  (from === null || from <= at) && (before === null || at < before);

function recordOf(transaction: Transaction, { at, event, submitted, ...movement }: Movement, now: Date) {
  const { passenger, settlement } = movement;
  const processorResponse =
    event.outcome?.kind === "failed-after-all"
      ? event.outcome.approval.processorResponse
      : event.outcome?.processorResponse;
  return {
    occurred_at: timestamp(at),
    settled_at: settlement !== null && settlement.visibleAt <= now ? timestamp(settlement.visibleAt) : null,
    // No processor tells the gateway of its payouts.
    paid_at: null,
    movement: event.type,
    reversing: movement.reversing,
    currency: transaction.currency,
    amount: renderSigned(movement.amount),
    merchant_transaction_id: transaction.merchantTransactionId,
    transaction_id: transaction.id,
    event_id: event.id,
    passenger_id: passenger?.id ?? null,
    passenger_name: passenger?.passenger_name ?? null,
    ticket_number: passenger?.ticket_number ?? null,
    batch_id: settlement !== null && settlement.cutoffAt <= now ? batchId(submitted.processorId, settlement) : null,
    processor_id: event.processorId,
    processor_transaction_id: processorResponse?.transactionId ?? null,
    dispute_id: null,
  };
}

/** Of the whole transaction: a dispute names no passengers. */
function recordOfDispute(dispute: Dispute, { kind, at, currency, amount, reversing }: DisputeMovement) {
  return {
    occurred_at: timestamp(at),
    settled_at: null,
    paid_at: null,
    movement: kind,
    reversing,
    currency,
    amount: renderSigned(amount),
    merchant_transaction_id: dispute.merchantTransactionId,
    transaction_id: dispute.transactionId,
    event_id: dispute.eventId,
    passenger_id: null,
    passenger_name: null,
    ticket_number: null,
    batch_id: null,
    processor_id: dispute.processorId,
    processor_transaction_id: dispute.reference,
    dispute_id: dispute.id,
  };
}

/** A record as a line of CSV. */
export const ledgerLine = (record: LedgerRecord) => ({ ...record, reversing: String(record.reversing) });
