// The audit log is kept for twelve months (PCI DSS 10.5.1). Older entries are removed, oldest first and
// only if they are intact; the anchor then says where the log begins.

import type { Sql } from "../journal/database.ts";
import { mayRemove } from "../journal/rights.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { type AuditKey, AuditLogBroken, contentOf, hashOf, lockAnchor, saveAnchor } from "./audit-chain.ts";

const KEPT_MONTHS = 12;
const PORTION = 1_000;

/**
 * @returns whether there may be more to remove
 * @throws AuditLogBroken if what is old is not as it was written: then it stays
 */
export async function removeOldEntries(sql: Sql, key: AuditKey, now: Date): Promise<boolean> {
  const before = new Date(now);
  before.setUTCMonth(before.getUTCMonth() - KEPT_MONTHS);
  const [oldest] = await sql<{ at: Date }[]>`select at from audit_log order by id limit 1`;
  if (oldest === undefined || oldest.at >= before) return false;
  const own = await mayRemove(sql, "audit_log");
  return (await sql.begin(async (transaction) => {
    const anchor = await lockAnchor(transaction, key, now);
    const rows = await transaction<{ id: string; at: Date; content: string; hash: string | null }[]>`
      select id, at, ${contentOf(transaction)} as content, encode(hash, 'hex') as hash
      from audit_log order by id limit ${PORTION}`;
    let { removed, removedHash } = anchor;
    for (const { id, at, content, hash } of rows) {
      if (at >= before) break;
      if (Number(id) !== removed + 1 || hash !== hashOf(key, removedHash, content))
        throw new AuditLogBroken(`Entry ${id} of the audit log is not as it was written: nothing is removed.`);
      removed += 1;
      removedHash = hash;
    }
    if (own) await transaction`delete from audit_log where id <= ${removed}`;
    else await removeAsOwner(transaction, removed, removed - anchor.removed);
    await saveAnchor(transaction, key, { ...anchor, removed, removedHash });
    return removed - anchor.removed === PORTION;
  })) as boolean;
}

/** All or nothing, or the log would begin elsewhere than the anchor says. */
async function removeAsOwner(sql: TransactionSql, upTo: number, expected: number): Promise<void> {
  const [row] = await sql<{ removed: string }[]>`select faregate_remove_old_audit_entries(${upTo}) as removed`;
  if (Number(row?.removed) !== expected)
    throw new Error("not all of these entries are twelve months old by the database's time");
}
