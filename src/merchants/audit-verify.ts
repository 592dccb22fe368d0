// Whether the audit log is what was written: finds each entry that was changed, left out, put in or cut off.

import type { Sql } from "../journal/database.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { type Anchor, type AuditKey, AuditLogBroken, contentOf, hashOf, readAnchor } from "./audit-chain.ts";

export interface Verdict {
  /** Undefined if it is missing or not as it was written. */
  readonly anchor: Anchor | undefined;
  /** What is wrong, in the order of the entries, at most a hundred. Empty: the log is whole. */
  readonly findings: readonly string[];
}

/** An end of the log that somebody wrote down elsewhere: it must still be in the chain. */
export interface KnownEntry {
  readonly id: number;
  readonly hash: string;
}

const PORTION = 1_000;
const MOST_FINDINGS = 100;

/** Reads the log as it was at one instant, whoever adds to it meanwhile. */
export async function verifyAuditLog(sql: Sql, key: AuditKey, known?: KnownEntry): Promise<Verdict> {
  return (await sql.begin("isolation level repeatable read read only", async (snapshot) => {
    const findings: string[] = [];
    const anchor = await anchorOf(snapshot, key, findings);
    if (anchor === undefined) return { anchor, findings };
    await checkEntries(snapshot, key, anchor, known, findings);
    return { anchor, findings };
  })) as Verdict;
}

async function anchorOf(sql: TransactionSql, key: AuditKey, findings: string[]): Promise<Anchor | undefined> {
  try {
    const anchor = await readAnchor(sql, key);
    if (anchor === undefined) findings.push("the anchor is missing: nothing says where the log begins and ends");
    return anchor;
  } catch (fault) {
    if (!(fault instanceof AuditLogBroken)) throw fault;
    findings.push("the anchor is not as it was written");
    return undefined;
  }
}

interface Row {
  readonly id: string;
  readonly content: string;
  readonly hash: string | null;
}

async function checkEntries(
  sql: TransactionSql,
  key: AuditKey,
  anchor: Anchor,
  known: KnownEntry | undefined,
  findings: string[],
): Promise<void> {
  let expected = anchor.removed + 1;
  let previous = anchor.removedHash;
  const missing = (to: number) => {
    if (expected <= to)
      findings.push(expected === to ? `entry ${to} is missing` : `entries ${expected} to ${to} are missing`);
  };
  const rows = sql<Row[]>`
    select id, ${contentOf(sql)} as content, encode(hash, 'hex') as hash from audit_log order by id`;
  for await (const portion of rows.cursor(PORTION)) {
    for (const { id: text, content, hash } of portion) {
      const id = Number(text);
      if (id < expected || id > anchor.last) findings.push(`entry ${text} does not belong there`);
      else {
        const gap = id > expected;
        missing(id - 1);
        // After a gap the hash before it is unknown: what is wrong with the entry itself shows in the next one.
        if (hash === null || (!gap && hash !== hashOf(key, previous, content)))
          findings.push(`entry ${id} is not as it was written`);
        if (known?.id === id && known.hash !== hash) findings.push(`entry ${id} is not the one that was known`);
        expected = id + 1;
        previous = hash ?? "";
      }
      if (findings.length >= MOST_FINDINGS) return;
    }
  }
  missing(anchor.last);
  if (expected > anchor.last && previous !== anchor.hash)
    findings.push(`entry ${anchor.last} is not as it was written`);
  if (known !== undefined && known.id > anchor.last) findings.push(`entry ${known.id}, which was known, is missing`);
}
