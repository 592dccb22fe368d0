// Idempotency keys are kept for 30 days (decision R13); then they and their responses are removed, in small portions.

import type { Sql } from "./database.ts";
import { isOf } from "./distribution.ts";
import { turnsOf } from "./merchants-there.ts";
import { mayRemove } from "./rights.ts";

const KEPT_DAYS = 30;
const PORTION = 1_000;

/** @returns whether there may be more to remove */
export async function removeOldKeys(sql: Sql, now: Date): Promise<boolean> {
  if (!(await mayRemove(sql, "idempotency_keys"))) {
    const [row] = await sql<[{ more: boolean }]>`select faregate_remove_old_keys() as more`;
    return row.more;
  }
  const before = new Date(now.getTime() - KEPT_DAYS * 86_400_000);
  const answers = await removeSome(sql, "idempotency_answers", before);
  const keys = await removeSome(sql, "idempotency_keys", before);
  return answers || keys;
}

async function removeSome(sql: Sql, table: string, before: Date): Promise<boolean> {
  let more = false;
  for (const merchantId of await turnsOf(sql, table, sql`created_at < ${before}`)) {
    const removed = await sql`
      delete from ${sql(table)} where ${isOf(sql, merchantId)} and ctid = any(array(
        select ctid from ${sql(table)} where ${isOf(sql, merchantId)} and created_at < ${before}
        limit ${PORTION} for update skip locked))`;
    more ||= removed.count === PORTION;
  }
  return more;
}
