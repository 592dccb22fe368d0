// Verifies the audit log: finds entries that were changed, removed or added.

import type { Sql } from "../journal/database.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { type Anchor, type AuditKey, AuditLogBroken, contentOf, readAnchor } from "./audit-chain.ts";
import { atEnd, type ChainedRow, type Place, walk } from "./audit-walk.ts";

export interface AuditCheck {
  /** Undefined if it is missing or not as it was written; without findings, if no gateway has started yet and nothing was changed. */
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
export async function verifyAuditLog(sql: Sql, key: AuditKey, known?: KnownEntry): Promise<AuditCheck> {
  return (await sql.begin("isolation level repeatable read read only", async (snapshot) => {
    const findings: string[] = [];
    if (await hasNotBegun(snapshot))
      return { anchor: undefined, findings: known === undefined ? [] : [missing(known)] };
    const anchor = await anchorOf(snapshot, key, findings);
    if (anchor === undefined) return { anchor, findings };
    await checkEntries(snapshot, key, anchor, known, findings);
    return { anchor, findings };
  })) as AuditCheck;
}

/** @returns the hash of an entry, `removed` if it was removed for its age, undefined if it was never there */
export async function entryHash(sql: TransactionSql, id: number): Promise<string | undefined> {
  const [row] = await sql<{ hash: string; removed: boolean }[]>`
    select (select encode(hash, 'hex') from audit_log where id = ${id}) as hash,
      coalesce((select min(id) from audit_log) > ${id}, false) as removed`;
  return row?.hash ?? (row?.removed ? "removed" : undefined);
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

async function* entriesOf(sql: TransactionSql): AsyncGenerator<readonly ChainedRow[]> {
  let after: string | null = null;
  for (;;) {
    const rows: readonly ChainedRow[] = await sql<ChainedRow[]>`
      select id, ${contentOf(sql)} as content, encode(hash, 'hex') as hash from audit_log
      ${after === null ? sql`` : sql`where id > ${after}`} order by id limit ${PORTION}`;
    yield rows;
    const last = rows[PORTION - 1];
    if (last === undefined) return;
    after = last.id;
  }
}

async function checkEntries(
  sql: TransactionSql,
  key: AuditKey,
  anchor: Anchor,
  known: KnownEntry | undefined,
  findings: string[],
): Promise<void> {
  if (anchor.broken !== undefined) findings.push(`found before: ${anchor.broken}`);
  let place: Place = { expected: anchor.removed + 1, previous: anchor.removedHash };
  for await (const portion of entriesOf(sql)) {
    const walked = walk(key, anchor.last, place, portion);
    findings.push(...walked.findings);
    const differs = known && portion.some(({ id, hash }) => Number(id) === known.id && hash !== known.hash);
    if (differs) findings.push(`entry ${known.id} is not the one that was known`);
    place = walked.place;
    if (findings.length >= MOST_FINDINGS) return void findings.splice(MOST_FINDINGS);
  }
  findings.push(...atEnd(place, anchor));
  if (known !== undefined && known.id > anchor.last) findings.push(missing(known));
}

const missing = ({ id }: KnownEntry): string => `entry ${id}, which was known, is missing`;

/** The chain begins when a gateway starts, or with the first change. A gateway that has started leaves its lineage. */
async function hasNotBegun(sql: TransactionSql): Promise<boolean> {
  const [row] = await sql<[{ none: boolean }]>`
    select not exists (select from audit_log)
      and not exists (select from installation where name in ('audit-log', 'lineage')) as none`;
  return row.none;
}
