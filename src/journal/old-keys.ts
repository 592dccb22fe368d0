// Idempotency keys are kept for 30 days (decision R13); then they and their responses are removed, in small portions.

import type { Sql } from "./database.ts";
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
  const answers = await sql`
    delete from idempotency_answers where ctid = any(array(
      select ctid from idempotency_answers where created_at < ${before} limit ${PORTION} for update skip locked))`;
  const keys = await sql`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at < ${before} limit ${PORTION} for update skip locked))`;
  return answers.count === PORTION || keys.count === PORTION;
}
