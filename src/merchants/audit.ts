// The audit log: who changed what, when, from where, what it was before and what it is after. A row is written in the
// database transaction of its change, so that there is never one without the other. No secret and no hash ever gets here.
import type { JSONValue, TransactionSql } from "postgres";
import type { Sql } from "../journal/database.ts";
import type { Author, Backoffice, RecordName } from "./backoffice.ts";
import { timestamp } from "./fields.ts";

export type AuditAction = `${string}.${"create" | "change" | "revoke"}`;

export interface Entry {
  readonly action: AuditAction;
  readonly subject: readonly [RecordName | "clock", string];
  /** As the API shows the record. */
  readonly before?: object;
  readonly after?: object;
}

/** One database transaction for a change and its entry. Without an entry nothing changed, and nothing is noted. */
export async function audited<T>(
  { sql, clock }: Pick<Backoffice, "sql" | "clock">,
  { actor, source }: Author,
  change: (sql: TransactionSql) => Promise<{ readonly result: T; readonly entry?: Entry }>,
): Promise<T> {
  return (await sql.begin(async (transaction) => {
    const { result, entry } = await change(transaction);
    if (entry) {
      const { action, subject, before, after } = entry;
      await transaction`
        insert into audit_log (at, actor, source, action, subject, before, after)
        values (${clock.now()}, ${actor}, ${source}, ${action}, ${subject.join(" ")},
          ${before ? transaction.json(before as JSONValue) : null},
          ${after ? transaction.json(after as JSONValue) : null})`;
    }
    return result;
  })) as T;
}

export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly source: string;
  readonly action: string;
  /** "merchant 0193…" */
  readonly subject: string;
  readonly before: object | null;
  readonly after: object | null;
}

/**
 * Newest first.
 * @param before only entries older than the one with this id
 * @param subject the id of a record: only what happened to it
 */
export async function auditLog(
  sql: Sql,
  { before, subject, limit = 100 }: { readonly before?: string; readonly subject?: string; readonly limit?: number },
): Promise<AuditEntry[]> {
  const rows = await sql<(Omit<AuditEntry, "at"> & { at: Date })[]>`
    select * from audit_log
    where ${before === undefined ? sql`true` : sql`id < ${before}`}
      and ${subject === undefined ? sql`true` : sql`subject like '% ' || ${subject}::text`}
    order by id desc limit ${Math.min(limit, 1000)}`;
  return rows.map((row) => ({ ...row, at: timestamp(row.at) }));
}
