// For tests and measurements: a page with all its transactions in hand.

import type { Transaction } from "../../payment/transaction.ts";
import type { Sql } from "../database.ts";
import type { ListFilter } from "./list-filter.ts";
import { findPage } from "./lists.ts";

export async function listPage(
  pool: Sql,
  merchantId: string,
  filter: ListFilter,
  page: number,
): Promise<{ transactions: Transaction[]; total: number }> {
  const { total, portions } = await findPage(pool, merchantId, filter, page);
  return { transactions: (await Array.fromAsync(portions())).flat(), total };
}
