// Settlement batches as the operator sees them: what of a processor record's money was submitted at one cut-off. Read from
// the journal when asked for; a batch holds exactly the events whose outcomes carry its cut-off and that did not fail after all.

import { archivedUntil } from "../journal/archived.ts";
import type { Sql } from "../journal/database.ts";
import { count, instant, rowReader, text, wholeNumber, word } from "../journal/rows.ts";
import { type Asker, inTurn } from "../journal/search/ask.ts";
import { LINES } from "../journal/search/numbered.ts";
import { inPortions, MOST_ROWS } from "../journal/search/portions.ts";
import { balances } from "../payment/balances.ts";
import { type Amount, amountOf, minus, plus, sum, ZERO } from "../payment/money.ts";
import { settlementOf } from "../payment/outcome.ts";
import type { Transaction } from "../payment/transaction.ts";
import { isAfter } from "./archived.ts";

export const BATCH_OPERATIONS = ["sale", "capture", "refund"] as const;
export type BatchOperation = (typeof BATCH_OPERATIONS)[number];

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
  /** What goes to the merchant, in hundredths: sales and captures, less what was voided and refunded. May be negative. */
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
  // One after the other: a turn has one connection.
  const [counted] = await sql`select count(*)::int as total ${matching}`;
  const batches = await sql`
    select b.id, b.merchant_id as "merchantId", b.processor_id as "processorId", p.currency, b.cutoff_at as "cutoffAt"
    ${matching} order by b.cutoff_at desc, b.id limit ${BATCHES_ON_A_PAGE} offset ${(page - 1) * BATCHES_ON_A_PAGE}`;
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

const totalRow = rowReader("events", {
  operation: word(BATCH_OPERATIONS),
  cardBrand: text,
  count,
  amount: wholeNumber,
});

/** Added up from the events that are in it. @param asker takes a turn for each statement */
export async function totalsOf(asker: Asker, now: Date, batch: Batch): Promise<BatchTotals> {
  const { pool: sql } = asker;
  const rows = await inTurn(
    asker,
    async () => sql`
      select e.type as operation, t.card_brand as "cardBrand", count(*)::int as count, sum(e.amount)::text as amount
      ${eventsOf(sql, batch, sql`join transactions t on t.merchant_id = o.merchant_id and t.id = o.transaction_id`)}
      group by e.type, t.card_brand order by e.type, t.card_brand`,
  );
  const totals = rows.map(totalRow).map(({ amount, ...rest }) => ({ ...rest, amount: amountOf(amount) }));
  const of = (operation: BatchOperation) =>
    sum(totals.filter((one) => one.operation === operation).map(({ amount }) => amount));
  const voided = await voidedOf(asker, now, batch);
  return { totals, voided, net: minus(plus(of("sale"), of("capture")), voided) - of("refund") };
}

/** @param joined what else is read of each */
const eventsOf = (sql: Sql, { merchantId, processorId, cutoffAt }: Batch, joined = sql``) => sql`
  from outcomes o join events e using (merchant_id, transaction_id, sequence) ${joined}
  where o.merchant_id = ${merchantId} and o.cutoff_at = ${cutoffAt} and e.processor_id = ${processorId}
    and ${notFailedAfterAll(sql, "o")}`;

/** What failed after all moves no money, whatever cut-off it was to have. */
export const notFailedAfterAll = (sql: Sql, outcomes: "o" | "outcomes") => sql`not exists (
  select from late_failures f where f.merchant_id = ${sql(outcomes)}.merchant_id
    and f.transaction_id = ${sql(outcomes)}.transaction_id and f.sequence = ${sql(outcomes)}.sequence)`;

/**
 * Which capture a void cancelled follows from all events of its transaction. They are read in portions: a merchant may have sent a megabyte
 * with each.
 */
async function voidedOf(asker: Asker, now: Date, batch: Batch): Promise<Amount> {
  const { pool: sql } = asker;
  const { merchantId } = batch;
  const rows = await inTurn(
    asker,
    // Planned as one join, all events of the merchant might be read once for each of the batch: `offset 0` and `limit` leave no other
    // plan than to look into an index for each of its transactions.
    async () => sql`
      with batch as materialized (select distinct o.transaction_id ${eventsOf(sql, batch)})
      select t.number from batch b cross join lateral (
        select number from transactions where merchant_id = ${merchantId} and id = b.transaction_id limit 1
      ) t
      where exists (
        select from events v join outcomes vo using (merchant_id, transaction_id, sequence)
        where merchant_id = ${merchantId} and transaction_id = b.transaction_id
          and v.type = 'void' and vo.kind = 'approved' offset 0)
      order by t.number desc`,
  );
  const numbers = rows.map(({ number }) => Number(wholeNumber(number)));
  const kept = { merchantId, newest: numbers[0] ?? 0 };
  let voided = ZERO;
  for (let start = 0; start < numbers.length; start += MOST_ROWS)
    for await (const portion of inPortions(asker, kept, numbers.slice(start, start + MOST_ROWS), LINES))
      voided = plus(voided, sum(portion.map((transaction) => voidedIn(batch, transaction, now))));
  return voided;
}

/** Of what a transaction has in the batch. */
function voidedIn(batch: Batch, transaction: Transaction, now: Date): Amount {
  const inBatch = balances(transaction, now, "failed").captures.filter(({ sequence }) => {
    const event = transaction.events[sequence - 1];
    const settlement = settlementOf(event?.outcome);
    return event?.processorId === batch.processorId && settlement?.cutoffAt.getTime() === batch.cutoffAt.getTime();
  });
  return sum(inBatch.map((capture) => capture.voided));
}
