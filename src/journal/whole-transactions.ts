// Reads transactions whole: each with its events, and each event with its outcome, in one statement. So what is read is as it was at one
// instant.

import type { Transaction } from "../payment/transaction.ts";
import { arrayOf } from "./columns.ts";
import type { Sql } from "./database.ts";
import type { TransactionSql } from "./sql/sql.ts";
import { TRANSACTION_COLUMNS } from "./transaction-columns.ts";
import { EVENT_ROW, type EventRow, type TransactionRow, transactionFrom } from "./transaction-rows.ts";

/** One transaction; undefined if this merchant has none with this id, or it is archived. */
export async function findTransaction(
  sql: TransactionSql,
  merchantId: string,
  id: string,
): Promise<Transaction | undefined> {
  const rows = await sql.unsafe<WholeRow[]>(BY_ID, [merchantId, id], { prepare: true });
  return transactionsOf(rows)[0];
}

/** Those of these ids that exist, in no order. Archived ones are among them until they are removed. */
export async function findTransactions(sql: Sql, merchantId: string, ids: readonly string[]): Promise<Transaction[]> {
  if (ids.length === 0) return [];
  const parameters = [merchantId, arrayOf(sql, "uuid", ids)];
  return transactionsOf(await sql.unsafe<WholeRow[]>(BY_IDS, parameters, { prepare: true }));
}

/** An event. The first event of a transaction comes with the transaction's own columns; in the rows of the others these are null. */
export interface WholeRow extends TransactionRow, EventRow {}

/** In the order of the rows. The rows of a transaction come in the order of its events. */
export const transactionsOf = (rows: readonly WholeRow[]): Transaction[] =>
  [...Map.groupBy(rows, (row) => row.transaction_id).values()].flatMap((its) => {
    const [first] = its;
    return first === undefined ? [] : [transactionFrom(first, its)];
  });

/**
 * The statement that reads transactions, the greatest number first. For each it looks into an index, however many rows the planner
 * expects of the merchant ($1): `limit` and `order by` within a lateral join leave it no other plan.
 * @param transactions selects all columns of a {@link TransactionRow}
 * @param also other columns of it, by name
 * @param condition on which events are read
 */
export const selectWhole = (transactions: string, also: readonly string[] = [], condition = "true") => `
select ${[...COLUMNS, ...also].map(onFirst).join(", ")}, ${EVENT_ROW} from (${transactions}) t
cross join lateral (
  select * from events where merchant_id = $1 and transaction_id = t.id and ${condition} order by sequence
) e
left join lateral (
  select * from outcomes where merchant_id = $1 and transaction_id = e.transaction_id and sequence = e.sequence limit 1
) o on true
left join lateral (
  select * from late_failures where merchant_id = $1 and transaction_id = e.transaction_id and sequence = e.sequence limit 1
) f on true
left join lateral (
  select * from challenges where merchant_id = $1 and transaction_id = e.transaction_id and sequence = e.sequence limit 1
) c on true
order by t.number desc, e.sequence`;

const COLUMNS = ["number", "created_at", ...TRANSACTION_COLUMNS.map(({ name }) => name)];

const onFirst = (column: string): string => `case when e.sequence = 1 then t.${column} end as ${column}`;

const OF_TRANSACTIONS = COLUMNS.join(", ");

const BY_ID = selectWhole(`
  select ${OF_TRANSACTIONS} from transactions t where merchant_id = $1 and id = $2 and not exists (
    select from archived_transactions a where a.merchant_id = $1 and a.id = t.id)`);

const BY_IDS = selectWhole(`
  select ${OF_TRANSACTIONS} from transactions where merchant_id = $1 and id = any($2)`);
