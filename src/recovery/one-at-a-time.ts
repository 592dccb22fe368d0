// Adopting is done by one operator at a time.

import type { TransactionSql } from "../journal/sql/sql.ts";

/** Of two operators who adopt the same at once, the second waits, and then finds it. Until the end of the database transaction. */
export async function oneAtATime(sql: TransactionSql): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('faregate recovery', 0))`;
}
