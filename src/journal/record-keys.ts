// The idempotency keys of requests that make another record than a transaction: a key and its response are written with the record.

import type { KeyClaim, KeyedResponse } from "./journal.ts";
import type { TransactionSql } from "./sql/sql.ts";

/** What the request makes. */
export interface MadeRecord {
  readonly merchantId: string;
  readonly id: string;
  readonly createdAt: Date;
}

/** @returns whether the key was free; if another request is under way with it, after that has ended */
export async function claimKeyOfRecord(
  sql: TransactionSql,
  { merchantId, id, createdAt }: MadeRecord,
  { key, requestHash }: KeyClaim,
): Promise<boolean> {
  const claimed = await sql`
    insert into idempotency_keys (merchant_id, key, request_hash, transaction_id, sequence, created_at)
    values (${merchantId}, ${key}, ${requestHash}, ${id}, 1, ${createdAt}) on conflict do nothing returning key`;
  return claimed.length > 0;
}

/** What a request with the same key gets: written with the record, and its key. */
export async function insertResponseOfRecord(
  sql: TransactionSql,
  { merchantId, createdAt }: MadeRecord,
  response: KeyedResponse & { readonly body: string },
): Promise<void> {
  await sql`
    insert into idempotency_answers (merchant_id, key, status, body, created_at)
    values (${merchantId}, ${response.key}, ${response.status}, ${response.body}, ${createdAt})`;
}
