// Reading transactions whole: the row and its events, each beside its outcome.

import type { Transaction } from "../payment/transaction.ts";
import { arrayOf } from "./columns.ts";
import type { Sql } from "./database.ts";
import { EVENT_ROW, EVENT_TABLES, type EventRow, type TransactionRow, transactionFrom } from "./transaction-rows.ts";

/** One transaction, whole; undefined where this merchant has none with this id, or it is archived. */
export async function findTransaction(sql: Sql, merchantId: string, id: string): Promise<Transaction | undefined> {
  const [[row], events] = await Promise.all([
    sql<TransactionRow[]>`
      select * from transactions t where merchant_id = ${merchantId} and id = ${id} and not exists (
        select from archived_transactions a where a.merchant_id = t.merchant_id and a.id = t.id)`,
    sql<EventRow[]>`
      select ${sql.unsafe(EVENT_ROW)} from ${sql.unsafe(EVENT_TABLES)}
      where e.merchant_id = ${merchantId} and e.transaction_id = ${id} order by e.sequence`,
  ]);
  // Without events: it was archived between the two questions.
  return row && events.length > 0 ? transactionFrom(row, events) : undefined;
}

/** Those of these that there are, in no order. */
export async function findTransactions(sql: Sql, merchantId: string, ids: readonly string[]): Promise<Transaction[]> {
  if (ids.length === 0) return [];
  const wanted = arrayOf(sql, "uuid", ids);
  const [rows, events] = await Promise.all([
    sql<TransactionRow[]>`select * from transactions where merchant_id = ${merchantId} and id = any(${wanted})`,
    sql<EventRow[]>`
      select ${sql.unsafe(EVENT_ROW)} from ${sql.unsafe(EVENT_TABLES)}
      where e.merchant_id = ${merchantId} and e.transaction_id = any(${wanted}) order by e.transaction_id, e.sequence`,
  ]);
  const ofTransaction = Map.groupBy(events, (event) => event.transaction_id);
  return rows.flatMap((row) => {
    const its = ofTransaction.get(row.id);
    return its === undefined ? [] : [transactionFrom(row, its)];
  });
}
