// The events of a settlement batch, streamed, and the columns of their CSV, as the API and the command line show it.

import type { Sql } from "../journal/database.ts";
import { count, instant, orNull, rowReader, text, word } from "../journal/rows.ts";
import { exporter, inTurn } from "../journal/search/ask.ts";
import { amountOf, renderAmount } from "../payment/money.ts";
import { NIL_UUID } from "../uuid.ts";
import { timestamp } from "../validation/fields.ts";
import { mustBeWhole } from "./archived.ts";
import { BATCH_OPERATIONS, type Batch, type BatchOperation, notFailedAfterAll } from "./batches.ts";

export const BATCH_EVENT_COLUMNS = [
  "event_id",
  "transaction_id",
  "merchant_transaction_id",
  "event_type",
  "amount",
  "currency",
  "card_number",
  "card_brand",
  "processor_code",
  "processor_transaction_id",
  "auth_code",
  "created_at",
] as const;

/** How CSV of these columns is laid out. */
export const BATCH_EVENT_LAYOUT = {
  codes: ["merchant_transaction_id", "processor_code", "processor_transaction_id", "auth_code"],
} as const;

/** One event as a line of the CSV. */
export const batchEventLine = (batch: Batch) => (event: BatchEvent) => ({
  ...event,
  amount: renderAmount(amountOf(BigInt(event.amount))),
  currency: batch.currency,
  created_at: timestamp(event.created_at),
});

export interface BatchEvent {
  readonly event_id: string;
  readonly transaction_id: string;
  readonly merchant_transaction_id: string;
  readonly event_type: BatchOperation;
  /** Hundredths. */
  readonly amount: string;
  readonly card_number: string;
  readonly card_brand: string;
  readonly processor_code: string;
  readonly processor_transaction_id: string | null;
  readonly auth_code: string | null;
  readonly created_at: Date;
}

const EVENTS_AT_ONCE = 1_000;

/** Whose turns the operator's reads take: each portion is some ten milliseconds of work. */
export const OPERATOR = "operator";

/**
 * In the order in which they were concluded, so that an outcome that comes late, of an event from before the cut-off, is the
 * last: nothing is missed or told twice, whenever it comes.
 * @param signal ends it when nobody reads it any more
 * @param holder whose turns it takes: a merchant's id, or the operator's
 */
export async function* streamEvents(
  sql: Sql,
  batch: Batch,
  signal?: AbortSignal,
  holder = OPERATOR,
): AsyncGenerator<readonly BatchEvent[], void, void> {
  const asker = exporter(sql, holder, signal);
  let place: Place | undefined = BEGINNING;
  while (place !== undefined) {
    const after: Place = place;
    const rows = await inTurn(asker, () => eventsAfter(sql, batch, after));
    const inBatch = rows.filter(({ processor_id }) => processor_id === batch.processorId);
    if (inBatch.length > 0) yield inBatch;
    place = rows.length < EVENTS_AT_ONCE ? undefined : rows.at(-1);
  }
  await mustBeWhole(sql, batch.merchantId, { from: batch.cutoffAt });
}

interface Place {
  /** A text, which keeps the microseconds that a Date would lose. */
  readonly concluded_at: string;
  readonly transaction_id: string;
  readonly sequence: number;
}
const BEGINNING: Place = {
  concluded_at: "-infinity",
  transaction_id: NIL_UUID,
  sequence: 0,
};

/** Of all processor records whose cut-off this is: an index knows the cut-off and the order, and the event its record. */
const eventsAfter = async (
  sql: Sql,
  { merchantId, cutoffAt }: Batch,
  { concluded_at, transaction_id, sequence }: Place,
) => {
  const rows = await sql`
    with page as materialized (
      select transaction_id, sequence, created_at, processor_code, processor_transaction_id, auth_code from outcomes
      where merchant_id = ${merchantId} and cutoff_at = ${cutoffAt} and ${notFailedAfterAll(sql, "outcomes")}
        and (created_at, transaction_id, sequence) > (${concluded_at}::text::timestamptz, ${transaction_id}::uuid, ${sequence}::int4)
      order by created_at, transaction_id, sequence limit ${EVENTS_AT_ONCE}
    )
    select e.id as event_id, o.transaction_id, t.merchant_transaction_id, e.type as event_type, e.amount,
      t.card_mask as card_number, t.card_brand, o.processor_code, o.processor_transaction_id, o.auth_code, e.created_at,
      e.processor_id, o.sequence, o.created_at::text as concluded_at
    from page o cross join lateral (
      select id, type, amount, processor_id, created_at from events
      where merchant_id = ${merchantId} and transaction_id = o.transaction_id and sequence = o.sequence limit 1
    ) e cross join lateral (
      select merchant_transaction_id, card_mask, card_brand from transactions
      where merchant_id = ${merchantId} and id = o.transaction_id limit 1
    ) t
    order by o.created_at, o.transaction_id, o.sequence`;
  return rows.map(eventRow);
};

const eventRow = rowReader<BatchEvent & Place & { readonly processor_id: string }>("outcomes", {
  event_id: text,
  transaction_id: text,
  merchant_transaction_id: text,
  event_type: word(BATCH_OPERATIONS),
  amount: text,
  card_number: text,
  card_brand: text,
  processor_code: text,
  processor_transaction_id: orNull(text),
  auth_code: orNull(text),
  created_at: instant,
  processor_id: text,
  sequence: count,
  concluded_at: text,
});
