// Reading transactions whole, by their ids.

import type { Transaction } from "../payment/transaction.ts";
import { arrayOf, names } from "./columns.ts";
import type { Sql } from "./database.ts";
import { TRANSACTION_COLUMNS } from "./transaction-columns.ts";
import { selectWhole, transactionsOf, type WholeRow } from "./whole-rows.ts";

/** One transaction, whole; undefined where this merchant has none with this id, or it is archived. */
export async function findTransaction(sql: Sql, merchantId: string, id: string): Promise<Transaction | undefined> {
  const rows = await sql.unsafe<WholeRow[]>(BY_ID, [merchantId, id], { prepare: true });
  return transactionsOf(rows)[0];
}

/** Those of these that there are, in no order. */
export async function findTransactions(sql: Sql, merchantId: string, ids: readonly string[]): Promise<Transaction[]> {
  if (ids.length === 0) return [];
  const parameters = [merchantId, arrayOf(sql, "uuid", ids)];
  return transactionsOf(await sql.unsafe<WholeRow[]>(BY_IDS, parameters, { prepare: true }));
}

const COLUMNS = `number, created_at, ${names(TRANSACTION_COLUMNS)}`;

const BY_ID = selectWhole(`
  select ${COLUMNS} from transactions t where merchant_id = $1 and id = $2 and not exists (
    select from archived_transactions a where a.merchant_id = $1 and a.id = t.id)`);

const BY_IDS = selectWhole(`
  select ${COLUMNS} from transactions where merchant_id = $1 and id = any($2)`);
