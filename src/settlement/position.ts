// Where a merchant's money stands in the settlement day, now: authorized and waiting for its automatic capture, collected for the next
// cut-off, in settlement, and settled within the last day. Read from the journal, processor record by processor record.

import type { Sql } from "../journal/database.ts";
import { count, instant, rowReader, text, wholeNumber } from "../journal/rows.ts";
import { type Asker, inTurn } from "../journal/search/ask.ts";
import { phaseAt } from "../payment/balances.ts";
import { type Amount, amountOf, plus, sum } from "../payment/money.ts";
import { type Batch, totalsOf } from "./batches.ts";

export const PARTS = ["collecting", "settling", "settled"] as const;
export type Part = (typeof PARTS)[number];

export interface PositionBatch extends Batch {
  readonly visibleAt: Date;
  readonly part: Part;
  readonly count: number;
  /** By sales and captures. */
  readonly captured: Amount;
  readonly voided: Amount;
  readonly refunded: Amount;
  /** Hundredths; may be negative. */
  readonly net: bigint;
}

export interface Awaiting {
  readonly processorId: string;
  readonly count: number;
  readonly amount: Amount;
}

export interface Position {
  /** What the next automatic captures will take. */
  readonly awaiting: readonly Awaiting[];
  /** By their cut-off. */
  readonly batches: readonly PositionBatch[];
}

const DAY_MS = 86_400_000;
/** From a cut-off to the moment at which its money shows as settled. */
const LONGEST_WINDOW_MS = 2 * DAY_MS;

/** A batch takes turns of its own: each adds up a day's events. */
export async function position(asker: Asker, merchantId: string, now: Date): Promise<Position> {
  const { pool } = asker;
  // A turn is one connection.
  const awaiting = await inTurn(asker, () => awaitingOf(pool, merchantId));
  const recent = await inTurn(asker, () => recentBatches(pool, merchantId, now));
  const batches: PositionBatch[] = [];
  for (const batch of recent) {
    const { totals, voided, net } = await totalsOf(asker, now, batch);
    const of = (...operations: readonly string[]) =>
      sum(totals.filter(({ operation }) => operations.includes(operation)).map(({ amount }) => amount));
    const part = PART_OF[phaseAt(batch, now)];
    const events = totals.reduce((all, one) => all + one.count, 0);
    batches.push({
      ...{ ...batch, part, voided, net, count: events },
      ...{ captured: plus(of("sale"), of("capture")), refunded: of("refund") },
    });
  }
  return { awaiting, batches };
}

const PART_OF = { open: "collecting", window: "settling", settled: "settled" } as const;

const awaitingRow = rowReader("open_authorizations", { processorId: text, count, amount: wholeNumber });

/**
 * By the rule of payment/auto-capture.ts: nothing of them was captured or voided, not even to fail after all. That is looked up one by one
 * (`offset 0`): joined, each might be compared with all captures and voids of the merchant.
 */
async function awaitingOf(sql: Sql, merchantId: string): Promise<Awaiting[]> {
  const rows = await sql`
    select a.processor_id as "processorId", count(*)::int as count, sum(auth.amount)::text as amount
    from open_authorizations a cross join lateral (
      select e.amount from events e join outcomes o using (merchant_id, transaction_id, sequence)
      where e.merchant_id = ${merchantId} and e.transaction_id = a.transaction_id and e.type = 'auth' and o.kind = 'approved'
      limit 1
    ) auth
    where a.merchant_id = ${merchantId} and not exists (
      select from events e join outcomes o using (merchant_id, transaction_id, sequence)
      where e.merchant_id = ${merchantId} and e.transaction_id = a.transaction_id and e.type in ('capture', 'void')
        and o.kind = 'approved' offset 0)
    group by a.processor_id`;
  return rows.map(awaitingRow).map(({ amount, ...rest }) => ({ ...rest, amount: amountOf(amount) }));
}

const batchRow = rowReader("batches", {
  id: text,
  merchantId: text,
  processorId: text,
  currency: text,
  cutoffAt: instant,
  visibleAt: instant,
});

/** Those that collect, settle, or have settled within a day. When one's money shows was written with each of its outcomes. */
async function recentBatches(sql: Sql, merchantId: string, now: Date) {
  const since = new Date(now.getTime() - DAY_MS);
  const rows = await sql`
    select b.id, b.merchant_id as "merchantId", b.processor_id as "processorId", p.currency, b.cutoff_at as "cutoffAt",
      one.visible_at as "visibleAt"
    from batches b join processors p on p.merchant_id = b.merchant_id and p.id = b.processor_id
    cross join lateral (
      select o.visible_at from outcomes o join events e using (merchant_id, transaction_id, sequence)
      where o.merchant_id = ${merchantId} and o.cutoff_at = b.cutoff_at and e.processor_id = b.processor_id limit 1
    ) one
    where b.merchant_id = ${merchantId} and b.cutoff_at > ${new Date(since.getTime() - LONGEST_WINDOW_MS)}
      and one.visible_at > ${since}
    order by b.cutoff_at, b.id`;
  return rows.map(batchRow);
}
