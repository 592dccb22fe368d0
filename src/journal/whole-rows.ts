// Transactions and their events, each beside its outcome, read in one statement: what is read is as it was at one instant.

import type { Transaction } from "../payment/transaction.ts";
import { TRANSACTION_COLUMNS } from "./transaction-columns.ts";
import { EVENT_ROW, type EventRow, type TransactionRow, transactionFrom } from "./transaction-rows.ts";

/** An event, and beside the first of a transaction that transaction; beside the others there are nulls. */
export interface WholeRow extends TransactionRow, EventRow {}

/** In the order of the rows, of which each transaction's are in the order of its events. */
export const transactionsOf = (rows: readonly WholeRow[]): Transaction[] =>
  [...Map.groupBy(rows, (row) => row.transaction_id).values()].flatMap((its) => {
    const [first] = its;
    return first === undefined ? [] : [transactionFrom(first, its)];
  });

const COLUMNS = ["number", "created_at", ...TRANSACTION_COLUMNS.map(({ name }) => name)];

/**
 * The statement that reads them, the greatest number first. A look into an index for each, whatever the planner thinks of how much the
 * merchant ($1) has: it cannot join what is limited or ordered in another way.
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
order by t.number desc, e.sequence`;

const onFirst = (column: string): string => `case when e.sequence = 1 then t.${column} end as ${column}`;
