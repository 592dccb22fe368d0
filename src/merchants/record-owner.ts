// Which merchant a record belongs to.

import type { Sql } from "../journal/database.ts";
import { orNull, rowReader, text } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { isUuid } from "../uuid.ts";

const TABLES = {
  user: "users",
  token: "tokens",
  processor: "processors",
  webhook: "webhook_endpoints",
  person: "people",
  dispute: "disputes",
} as const;
/** The records that a merchant has. */
export type OwnedRecord = keyof typeof TABLES;

/** Whether a merchant may have such a record. */
export const isOwned = (record: string): record is OwnedRecord => Object.hasOwn(TABLES, record);

/** The merchant's id; null if there is no such record, or it is nobody's, as operators are. */
export async function ownerOf(sql: Sql | TransactionSql, record: OwnedRecord, id: string): Promise<string | null> {
  if (!isUuid(id)) return null;
  const [row] = await sql`select merchant_id from ${sql(TABLES[record])} where id = ${id}`;
  return row === undefined ? null : ownerRow(row).merchant_id;
}

const ownerRow = rowReader("records", { merchant_id: orNull(text) });
