// Checks the audit log while gateways run: the newest entries at a start, then all of them again and again, in small portions. A
// finding is recorded in the anchor, and from then on operators' changes are refused.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Sql } from "../journal/database.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { type Anchor, type AuditKey, contentOf, lockAnchor, readAnchor, saveAnchor } from "./audit-chain.ts";
import { atEnd, type ChainedRow, type Place, walk } from "./audit-walk.ts";

/** A second and node: a million entries in an hour and a half, for some two milliseconds of each second. */
const PORTION = 200;
const NEWEST = 1_000;
/** Checked in one turn of the event loop: half a millisecond. */
const SLICE = 25;

export interface AuditWatch {
  /** Looks at the next portion. @returns what is wrong, if it was not known: it is on record now */
  next(): Promise<string | undefined>;
}

/** Follows the audit log from the newest entry on. */
export function auditWatch(sql: Sql, key: AuditKey, now: () => Date): AuditWatch {
  let place: Place | undefined;
  return {
    next: async () => {
      const { finding, ...seen } = await snapshot(sql, (transaction) => look(transaction, key, place));
      place = seen.place;
      return record(sql, key, now(), finding);
    },
  };
}

/** The newest thousand: what an intruder wants gone is seldom old. @returns what is wrong, if it was not known */
export async function checkNewest(sql: Sql, key: AuditKey, now: Date, newest = NEWEST): Promise<string | undefined> {
  const finding = await snapshot(sql, async (transaction) => {
    const anchor = await readAnchor(transaction, key);
    if (anchor === undefined || anchor.broken !== undefined) return undefined;
    const from = Math.max(anchor.removed, anchor.last - newest);
    const rows = await entries(transaction, from, newest + 1);
    if (from === anchor.removed)
      return firstWrong(key, anchor, { expected: from + 1, previous: anchor.removedHash }, rows);
    const [before, ...others] = rows;
    if (Number(before?.id) !== from) return `entry ${from} is missing`;
    return firstWrong(key, anchor, { expected: from + 1, previous: before?.hash ?? "" }, others);
  });
  return record(sql, key, now, finding);
}

interface Seen {
  /** Undefined: the next look begins anew. */
  readonly place: Place | undefined;
  readonly finding: string | undefined;
}

async function look(sql: TransactionSql, key: AuditKey, before: Place | undefined): Promise<Seen> {
  const anchor = await readAnchor(sql, key);
  if (anchor === undefined || anchor.broken !== undefined) return { place: undefined, finding: undefined };
  const goesOn = before !== undefined && before.expected > anchor.removed;
  const from = goesOn ? before : { expected: anchor.removed + 1, previous: anchor.removedHash };
  if (!goesOn) {
    const finding = await beside(sql, anchor);
    if (finding !== undefined) return { place: undefined, finding };
  }
  const rows = await entries(sql, from.expected, PORTION);
  const { place, findings } = await walkSlowly(key, anchor.last, from, rows);
  const ended = rows.length < PORTION;
  const [finding] = [...findings, ...(ended ? atEnd(place, anchor) : [])];
  return { place: ended || finding !== undefined ? undefined : place, finding };
}

/** A payment that comes meanwhile goes first. */
async function walkSlowly(key: AuditKey, last: number, from: Place, rows: readonly ChainedRow[]) {
  let place = from;
  const findings: string[] = [];
  for (let at = 0; at < rows.length; at += SLICE) {
    const seen = walk(key, last, place, rows.slice(at, at + SLICE));
    place = seen.place;
    findings.push(...seen.findings);
    await nextTurn();
  }
  return { place, findings };
}

function firstWrong(key: AuditKey, anchor: Anchor, from: Place, rows: readonly ChainedRow[]): string | undefined {
  const { place, findings } = walk(key, anchor.last, from, rows);
  return [...findings, ...atEnd(place, anchor)][0];
}

/** An entry outside of what the anchor says. */
async function beside(sql: TransactionSql, { removed, last }: Anchor): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    (select id from audit_log where id <= ${removed} order by id limit 1)
    union all (select id from audit_log where id > ${last} order by id limit 1) limit 1`;
  return row && `entry ${row.id} does not belong there`;
}

const entries = (sql: TransactionSql, from: number, most: number): Promise<readonly ChainedRow[]> =>
  sql<ChainedRow[]>`
    select id, ${contentOf(sql)} as content, encode(hash, 'hex') as hash
    from audit_log where id >= ${from} order by id limit ${most}`;

const snapshot = async <T>(sql: Sql, work: (transaction: TransactionSql) => Promise<T>): Promise<T> =>
  (await sql.begin("isolation level repeatable read read only", work)) as T;

/** Durable for all nodes and the command line: the chain takes no entry any more, so no change is made. */
async function record(sql: Sql, key: AuditKey, now: Date, finding: string | undefined): Promise<string | undefined> {
  if (finding === undefined) return undefined;
  await sql.begin(async (transaction) => {
    const anchor = await lockAnchor(transaction, key, now);
    await saveAnchor(transaction, key, { ...anchor, broken: finding });
  });
  return finding;
}
