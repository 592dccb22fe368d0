// A processor record's operations as the journal has them, read in portions by when they were sent, or by their transactions.

import { arrayOf } from "../../journal/columns.ts";
import type { Sql } from "../../journal/database.ts";
import { count, flag, instant, orNull, rowReader, text, wholeNumber, word } from "../../journal/rows.ts";
import { amountOf } from "../../payment/money.ts";
import { FIRST_OUTCOME_KINDS, type FirstOutcome } from "../../payment/outcome.ts";
import { EVENT_TYPES, type EventType } from "../../payment/transaction.ts";
import type { Operation, Reversal } from "./operations.ts";

export interface Account {
  readonly merchantId: string;
  readonly processorId: string;
}

/** Short enough for the database's time limit on a statement. */
const PORTION_MS = 3_600_000;
const ROWS_AT_ONCE = 2_000;

/** @param from both in milliseconds */
export async function* operationsSent(
  sql: Sql,
  { merchantId, processorId }: Account,
  from: number,
  until: number,
): AsyncGenerator<readonly Operation[]> {
  for (let begin = from; begin < until; begin += PORTION_MS) {
    const end = Math.min(begin + PORTION_MS, until);
    yield* ahead(portions(sql, { merchantId, processorId }, begin, end));
  }
}

/** By the index on time, each from the last of the one before. */
async function* portions(
  sql: Sql,
  { merchantId, processorId }: Account,
  begin: number,
  end: number,
): AsyncGenerator<readonly Operation[]> {
  let from = sql`e.created_at >= ${new Date(begin)}`;
  for (;;) {
    const rows = await sql`
      ${columns(sql)}
      where e.merchant_id = ${merchantId} and ${from} and e.created_at < ${new Date(end)}
        and e.processor_id = ${processorId}
      order by e.created_at, e.transaction_id, e.sequence limit ${ROWS_AT_ONCE}`;
    yield rows.map((row) => operationOf(operationRow(row)));
    const last = rows[ROWS_AT_ONCE - 1];
    if (last === undefined) return;
    // The time as the database has it: a Date knows milliseconds only.
    from = sql`(e.created_at, e.transaction_id, e.sequence) > (${text(last.at)}, ${text(last.transaction_id)}, ${count(last.sequence)})`;
  }
}

/** The database works at the next portion while the one before is being read. */
async function* ahead<T>(portions: AsyncIterable<T>): AsyncGenerator<T> {
  const reading = portions[Symbol.asyncIterator]();
  let next = reading.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = reading.next();
      // Whoever reads on is told.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await reading.return?.();
  }
}

/** Of all the merchant's processor records, with the id of each. */
export async function operationsOf(
  sql: Sql,
  { merchantId }: Account,
  transactionIds: readonly string[],
): Promise<readonly { readonly operation: Operation; readonly processorId: string }[]> {
  const rows = await sql`
    ${columns(sql)}
    where e.merchant_id = ${merchantId} and e.transaction_id = any(${arrayOf(sql, "uuid", transactionIds)})`;
  return rows.map(operationRow).map((row) => ({ operation: operationOf(row), processorId: row.processor_id }));
}

/**
 * Which of these transactions are another merchant's: several may share an account at the processor, and what is said of it is about all
 * of them. Only merchants with a record of the same kind are looked at, each by its key.
 */
export async function ofOtherMerchants(
  sql: Sql,
  { merchantId, processorId }: Account,
  transactionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (transactionIds.length === 0) return new Set();
  const others = await sql`
    select distinct merchant_id as id from processors
    where kind = (select kind from processors where id = ${processorId}) and merchant_id <> ${merchantId}`;
  const merchants = arrayOf(
    sql,
    "uuid",
    others.map(({ id }) => text(id)),
  );
  const ids = arrayOf(sql, "uuid", transactionIds);
  const rows = await sql`
    select id from transactions where merchant_id = any(${merchants}) and id = any(${ids})
    union all
    select id from archived_transactions where merchant_id = any(${merchants}) and id = any(${ids})`;
  return new Set(rows.map(({ id }) => text(id)));
}

/** Which of these transactions of the merchant's own are in an archive. */
export async function archivedOf(
  sql: Sql,
  { merchantId }: Account,
  transactionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (transactionIds.length === 0) return new Set();
  const rows = await sql`
    select id from archived_transactions
    where merchant_id = ${merchantId} and id = any(${arrayOf(sql, "uuid", transactionIds)})`;
  return new Set(rows.map(({ id }) => text(id)));
}

interface Row {
  readonly id: string;
  readonly transaction_id: string;
  readonly sequence: number;
  readonly type: EventType;
  readonly amount: bigint;
  readonly processor_id: string;
  readonly created_at: Date;
  readonly kind: FirstOutcome["kind"] | null;
  readonly ended_at: Date | null;
  readonly failed_at: Date | null;
  readonly reversal_pending: boolean | null;
  readonly reversed_at: Date | null;
  readonly by_processor: string | null;
  readonly processor_name: string | null;
}

const operationRow = rowReader<Row>("events", {
  id: text,
  transaction_id: text,
  sequence: count,
  type: word(EVENT_TYPES),
  amount: wholeNumber,
  processor_id: text,
  created_at: instant,
  kind: orNull(word(FIRST_OUTCOME_KINDS)),
  ended_at: orNull(instant),
  failed_at: orNull(instant),
  reversal_pending: orNull(flag),
  reversed_at: orNull(instant),
  by_processor: orNull(text),
  processor_name: orNull(text),
});

const columns = (sql: Sql) => sql`
  select e.id, e.created_at::text as at, e.transaction_id, e.sequence, e.type, e.amount, e.processor_id, e.created_at, o.kind, o.created_at as ended_at,
    f.created_at as failed_at, e.by_processor, o.processor_transaction_id as processor_name,
    case when o.kind in ('unanswered', 'action-required') then exists (
      select from unresolved u
      where u.merchant_id = e.merchant_id and u.transaction_id = e.transaction_id and u.sequence = e.sequence
    ) end as reversal_pending,
    case when o.kind in ('unanswered', 'action-required') then (
      select c.created_at from confirmed_reversals c
      where c.merchant_id = e.merchant_id and c.transaction_id = e.transaction_id and c.sequence = e.sequence
    ) end as reversed_at
  from events e left join outcomes o on o.merchant_id = e.merchant_id and o.transaction_id = e.transaction_id
    and o.sequence = e.sequence
  left join late_failures f on f.merchant_id = e.merchant_id and f.transaction_id = e.transaction_id
    and f.sequence = e.sequence`;

const operationOf = (row: Row): Operation => ({
  eventId: row.id,
  transactionId: row.transaction_id,
  sequence: row.sequence,
  type: row.type,
  amount: amountOf(row.amount),
  sentAt: row.created_at.getTime(),
  outcome: outcomeOf(row),
  endedAt: (row.failed_at ?? row.ended_at)?.getTime() ?? null,
  reversal: row.kind === "unanswered" || row.kind === "action-required" ? reversalOf(row) : null,
  ...(row.processor_name !== null && { processorName: row.processor_name }),
  ...(row.by_processor !== null && { byProcessor: row.by_processor }),
});

function outcomeOf({ kind, failed_at }: Row): Operation["outcome"] {
  if (failed_at !== null) return "failed-after-all";
  // To the books it is the same: perhaps booked, and then taken back.
  return kind === "action-required" ? "unanswered" : kind;
}

const reversalOf = ({ reversal_pending, reversed_at }: Row): Reversal =>
  reversal_pending ? { kind: "pending" } : { kind: "confirmed", at: reversed_at?.getTime() ?? null };
