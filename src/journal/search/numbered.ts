// Reading transactions whole, by their numbers: each row, and its events beside their outcomes.

import type { Transaction } from "../../payment/transaction.ts";
import { arrayOf } from "../columns.ts";
import type { Sql } from "../database.ts";
import { EVENT_ROW, type EventRow, type TransactionRow, transactionFrom } from "../transaction-rows.ts";
import { ask, isBig } from "./ask.ts";
import type { Extent } from "./extent.ts";

/**
 * @param numbers descending, as what comes back
 * @param newest the merchant's newest number
 */
export async function numbered(
  pool: Sql,
  merchantId: string,
  numbers: readonly number[],
  newest: number,
  { columns }: Extent,
): Promise<Transaction[]> {
  if (numbers.length === 0) return [];
  const parameters = [merchantId, arrayOf(pool, "int8", numbers)];
  const [rows, events] = await Promise.all([
    ask<TransactionRow>(pool, rowsWith(columns), parameters, isBig(newest)),
    ask<EventRow>(pool, EVENTS, parameters, isBig(newest)),
  ]);
  const ofTransaction = Map.groupBy(events, (event) => event.transaction_id);
  return rows.map((row) => transactionFrom(row, ofTransaction.get(row.id) ?? []));
}

// A look into an index for each number, whatever the planner thinks of how much the merchant has: it cannot join what is
// limited or ordered in another way.
const rowsWith = (columns: string) => `
select t.* from unnest($2::int8[]) as n(number)
cross join lateral (select ${columns} from transactions where merchant_id = $1 and number = n.number limit 1) t
order by t.number desc`;

const EVENTS = `
select ${EVENT_ROW} from unnest($2::int8[]) as n(number)
cross join lateral (select id from transactions where merchant_id = $1 and number = n.number limit 1) t
cross join lateral (
  select * from events where merchant_id = $1 and transaction_id = t.id order by sequence
) e
left join lateral (
  select * from outcomes where merchant_id = $1 and transaction_id = e.transaction_id and sequence = e.sequence limit 1
) o on true
left join lateral (
  select * from late_failures where merchant_id = $1 and transaction_id = e.transaction_id and sequence = e.sequence limit 1
) f on true
order by e.transaction_id, e.sequence`;
