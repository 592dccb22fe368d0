// What the gateway knows of transactions that were archived: that they were, and since when its own account of a merchant is whole.
// The archiving itself is in src/archive/.

import type { Sql } from "./database.ts";
import { instant, orNull } from "./rows.ts";

/** Whether this transaction is in an archive. It is not found anywhere else then. */
export async function isArchived(sql: Sql, merchantId: string, transactionId: string): Promise<boolean> {
  const rows = await sql`
    select from archived_transactions where merchant_id = ${merchantId} and id = ${transactionId}`;
  return rows.length > 0;
}

/** Up to this instant a merchant's ledger and batches may lack what is archived. Null: nothing is. */
export async function archivedUntil(sql: Sql, merchantId: string): Promise<Date | null> {
  const [row] = await sql`select last_change from archives where merchant_id = ${merchantId}`;
  return row === undefined ? null : orNull(instant)(row.last_change);
}
