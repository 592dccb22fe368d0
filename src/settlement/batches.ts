// Settlement batches as the operator sees them: what of a processor record's money was submitted at one cut-off. Read from
// the journal when asked for; a batch holds exactly the events whose outcomes carry its cut-off and that did not fail after all.

import { archivedUntil } from "../journal/archived.ts";
import type { Sql } from "../journal/database.ts";
import { findTransactions } from "../journal/reads.ts";
import { count, instant, orNull, rowReader, text, wholeNumber, word } from "../journal/rows.ts";
import { exporter, inTurn } from "../journal/search/ask.ts";
import { balances } from "../payment/balances.ts";
import { type Amount, amountOf, minus, plus, sum, ZERO } from "../payment/money.ts";
import { settlementOf } from "../payment/outcome.ts";
import { isAfter } from "./archived.ts";

const OPERATIONS = ["sale", "capture", "refund"] as const;
export type BatchOperation = (typeof OPERATIONS)[number];

export interface Batch {
  readonly id: string;
  readonly merchantId: string;
  readonly processorId: string;
  readonly currency: string;
  readonly cutoffAt: Date;
}

export interface BatchTotal {
  readonly operation: BatchOperation;
  readonly cardBrand: string;
  readonly count: number;
  readonly amount: Amount;
}

export interface BatchTotals {
  readonly totals: readonly BatchTotal[];
  /** Of its sales and captures, what was cancelled before it settled. */
  readonly voided: Amount;
  /** What goes to the merchant, in minor units: sales and captures, less what was voided and refunded. May be negative. */
  readonly net: bigint;
}

export interface BatchFilter {
  readonly merchantId?: string | undefined;
  readonly processorId?: string | undefined;
}

export const BATCHES_ON_A_PAGE = 50;

/** Batches whose cut-off has passed, newest first, 50 a page. */
export async function listBatches(
  sql: Sql,
  now: Date,
  { merchantId, processorId }: BatchFilter,
  page: number,
): Promise<{ readonly batches: readonly Batch[]; readonly total: number }> {
  const matching = sql`
    from batches b join processors p on p.merchant_id = b.merchant_id and p.id = b.processor_id
    where b.cutoff_at <= ${now}
      ${merchantId === undefined ? sql`` : sql`and b.merchant_id = ${merchantId}`}
      ${processorId === undefined ? sql`` : sql`and b.processor_id = ${processorId}`}`;
  const [batches, [counted]] = await Promise.all([
    sql`
      select b.id, b.merchant_id as "merchantId", b.processor_id as "processorId", p.currency, b.cutoff_at as "cutoffAt"
      ${matching} order by b.cutoff_at desc, b.id limit ${BATCHES_ON_A_PAGE} offset ${(page - 1) * BATCHES_ON_A_PAGE}`,
    sql`select count(*)::int as total ${matching}`,
  ]);
  return { batches: batches.map(batchRow), total: count(counted?.total) };
}

/** Undefined before its cut-off too: until then it has no end. */
export async function findBatch(sql: Sql, now: Date, id: string): Promise<Batch | undefined> {
  const [batch] = await sql`
    select b.id, b.merchant_id as "merchantId", b.processor_id as "processorId", p.currency, b.cutoff_at as "cutoffAt"
    from batches b join processors p on p.merchant_id = b.merchant_id and p.id = b.processor_id
    where b.id = ${id} and b.cutoff_at <= ${now}`;
  return batch && batchRow(batch);
}

const batchRow = rowReader<Batch>("batches", {
  id: text,
  merchantId: text,
  processorId: text,
  currency: text,
  cutoffAt: instant,
});

/** Why its totals and events are not told; undefined: they are whole. */
export async function whyNotWhole(sql: Sql, { merchantId, cutoffAt }: Batch): Promise<string | undefined> {
  const archived = await archivedUntil(sql, merchantId);
  if (archived === null || isAfter({ from: cutoffAt }, archived)) return undefined;
  return "Transactions of this batch are archived, and its totals with them. The operator of the gateway can restore them.";
}

const totalRow = rowReader("events", { operation: word(OPERATIONS), cardBrand: text, count, amount: wholeNumber });

/** Added up from the events that are in it. */
export async function totalsOf(sql: Sql, now: Date, batch: Batch): Promise<BatchTotals> {
  const rows = await sql`
    select e.type as operation, t.card_brand as "cardBrand", count(*)::int as count, sum(e.amount)::text as amount
    ${eventsOf(sql, batch)} group by e.type, t.card_brand order by e.type, t.card_brand`;
  const totals = rows.map(totalRow).map(({ amount, ...rest }) => ({ ...rest, amount: amountOf(amount) }));
  const of = (operation: BatchOperation) =>
    sum(totals.filter((one) => one.operation === operation).map(({ amount }) => amount));
  const voided = await voidedOf(sql, now, batch);
  return { totals, voided, net: minus(plus(of("sale"), of("capture")), voided) - of("refund") };
}

export interface BatchEvent {
  readonly event_id: string;
  readonly transaction_id: string;
  readonly merchant_transaction_id: string;
  readonly event_type: BatchOperation;
  /** Minor units. */
  readonly amount: string;
  readonly card_number: string;
  readonly card_brand: string;
  readonly processor_code: string;
  readonly processor_transaction_id: string | null;
  readonly auth_code: string | null;
  readonly created_at: Date;
}

const EVENTS_AT_ONCE = 1_000;

/** Portions of all exports take turns: each is some ten milliseconds of work. */
const OPERATOR = "operator";

/**
 * In the order in which they were concluded, so that an outcome that comes late, of an event from before the cut-off, is the
 * last: nothing is missed or told twice, whenever it comes.
 * @param signal ends it when nobody reads it any more
 */
export async function* streamEvents(
  sql: Sql,
  batch: Batch,
  signal?: AbortSignal,
): AsyncGenerator<readonly BatchEvent[], void, void> {
  const asker = exporter(sql, OPERATOR, signal);
  let place: Place | undefined = BEGINNING;
  while (place !== undefined) {
    const after: Place = place;
    const rows = await inTurn(asker, () => eventsAfter(sql, batch, after));
    const inBatch = rows.filter(({ processor_id }) => processor_id === batch.processorId);
    if (inBatch.length > 0) yield inBatch;
    place = rows.length < EVENTS_AT_ONCE ? undefined : rows.at(-1);
  }
}

interface Place {
  /** A text, which keeps the microseconds that a Date would lose. */
  readonly concluded_at: string;
  readonly transaction_id: string;
  readonly sequence: number;
}
const BEGINNING: Place = {
  concluded_at: "-infinity",
  transaction_id: "00000000-0000-0000-0000-000000000000",
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
  event_type: word(OPERATIONS),
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

const eventsOf = (sql: Sql, { merchantId, processorId, cutoffAt }: Batch) => sql`
  from outcomes o join events e using (merchant_id, transaction_id, sequence)
    join transactions t on t.merchant_id = o.merchant_id and t.id = o.transaction_id
  where o.merchant_id = ${merchantId} and o.cutoff_at = ${cutoffAt} and e.processor_id = ${processorId}
    and ${notFailedAfterAll(sql, "o")}`;

/** What failed after all moves no money, whatever cut-off it was to have. */
const notFailedAfterAll = (sql: Sql, outcomes: "o" | "outcomes") => sql`not exists (
  select from late_failures f where f.merchant_id = ${sql(outcomes)}.merchant_id
    and f.transaction_id = ${sql(outcomes)}.transaction_id and f.sequence = ${sql(outcomes)}.sequence)`;

/** Which capture a void cancelled follows from all events of its transaction. */
async function voidedOf(sql: Sql, now: Date, batch: Batch): Promise<Amount> {
  const ids = await sql`
    select distinct t.id ${eventsOf(sql, batch)} and exists (
      select from events v join outcomes vo using (merchant_id, transaction_id, sequence)
      where v.merchant_id = o.merchant_id and v.transaction_id = o.transaction_id and v.type = 'void' and vo.kind = 'approved')`;
  let voided = ZERO;
  for (let start = 0; start < ids.length; start += EVENTS_AT_ONCE) {
    const some = ids.slice(start, start + EVENTS_AT_ONCE).map(({ id }) => text(id));
    for (const transaction of await findTransactions(sql, batch.merchantId, some)) {
      const inBatch = balances(transaction, now, "failed").captures.filter(({ sequence }) => {
        const event = transaction.events[sequence - 1];
        const settlement = settlementOf(event?.outcome);
        return event?.processorId === batch.processorId && settlement?.cutoffAt.getTime() === batch.cutoffAt.getTime();
      });
      voided = plus(voided, sum(inBatch.map((capture) => capture.voided)));
    }
  }
  return voided;
}
