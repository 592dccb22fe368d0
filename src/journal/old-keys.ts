// Idempotency keys are kept for 30 days (decision R13); then they and their responses are removed, in small portions.

import type { Sql } from "./database.ts";
import { KEPT_DAYS, type Old, PORTION, removeLeftAnswersOf, removeOldKeysOf } from "./kept-keys.ts";
import { turnsOf } from "./merchants-there.ts";
import { mayRemove } from "./rights.ts";

/** @returns whether there may be more to remove */
export async function removeOldKeys(sql: Sql, now: Date): Promise<boolean> {
  if (!(await mayRemove(sql, "idempotency_keys"))) {
    const [row] = await sql<[{ more: boolean }]>`select faregate_remove_old_keys() as more`;
    return row.more;
  }
  const before = new Date(now.getTime() - KEPT_DAYS * 86_400_000);
  const keys = await removeSome(sql, "idempotency_keys", before, removeOldKeysOf);
  const answers = await removeSome(sql, "idempotency_answers", before, removeLeftAnswersOf);
  return keys || answers;
}

async function removeSome(sql: Sql, table: string, before: Date, removal: (old: Old) => string): Promise<boolean> {
  let more = false;
  for (const merchantId of await turnsOf(sql, table, sql`created_at < ${before}`)) {
    const old = { before: "$1::timestamptz", ...(merchantId !== undefined && { merchant: "$2::uuid" }) };
    const whose = merchantId === undefined ? [] : [merchantId];
    const removed = await sql.unsafe(removal(old), [before, ...whose]);
    more ||= removed.count === PORTION;
  }
  return more;
}
