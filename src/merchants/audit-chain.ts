// The chain of the audit log: entries are numbered without gaps, and each has a keyed hash over itself and the hash before
// it. The anchor, sealed with the same key, says where the chain begins and ends, so that nothing can be cut off.
// What it can show and what not: docs/decisions/audit-chain.md.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Sql } from "../journal/database.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";

/** Made of the installation's secret: who can write to the database but does not know it can forge no entry. */
export type AuditKey = Buffer;

/** The key of the chain's hashes, derived from the installation's secret. */
export const auditKeyOf = (secret: Buffer): AuditKey =>
  createHmac("sha256", secret).update("faregate audit log").digest();

export interface Anchor {
  /** ISO 8601. When the chain began; a later time than the installation's means that it was begun anew. */
  readonly begun: string;
  /** How many entries were there already, with hashes or without. */
  readonly found: number;
  /** The number and hash of the last entry that was removed for its age; 0 and a hash of zeros if none was. */
  readonly removed: number;
  readonly removedHash: string;
  /** The number and hash of the last entry. */
  readonly last: number;
  readonly hash: string;
  /** What was found to be wrong (audit-watch.ts): nothing is added any more. */
  readonly broken?: string;
}

export interface NewEntry {
  readonly at: Date;
  readonly actor: string;
  readonly source: string;
  readonly action: string;
  readonly subject: string;
  /** Whose administrators see it; null: operators only. Not in the hash. */
  readonly merchantId: string | null;
  readonly outcome: "done" | "refused";
  readonly before: object | null;
  readonly after: object | null;
}

/** The log is not what was written, so nothing is added to it. */
export class AuditLogBroken extends Error {
  override readonly name = "AuditLogBroken";
}

const ANCHOR = "audit-log";
const NO_HASH = "0".repeat(64);

/**
 * To be called when a gateway starts: the chain begins, if there is none yet.
 * @returns where it stands. To be noted outside of the database: what is set back behind it later is found by that
 * @throws AuditLogBroken if the anchor is not as it was written, or is missing though there was one
 */
export async function openChain(sql: Sql, key: AuditKey, now: Date): Promise<Anchor> {
  return (await sql.begin((transaction) => lockAnchor(transaction, key, now))) as Anchor;
}

/** To be called last in the transaction of a change: from here to its end nobody else can add an entry. */
export async function appendEntry(sql: TransactionSql, key: AuditKey, entry: NewEntry): Promise<void> {
  const anchor = await lockAnchor(sql, key, entry.at);
  const { before, after, merchantId, ...rest } = entry;
  const json = (value: object | null) => (value === null ? null : sql.json(value));
  const row = { id: anchor.last + 1, ...rest, merchant_id: merchantId, before: json(before), after: json(after) };
  const [written] = await sql<[Content]>`
    insert into audit_log ${sql(row as never)} returning ${contentOf(sql)} as content`;
  const hash = hashOf(key, anchor.hash, written.content);
  await sql`update audit_log set hash = ${Buffer.from(hash, "hex")} where id = ${row.id}`;
  await saveAnchor(sql, key, { ...anchor, last: row.id, hash });
}

interface Content {
  readonly content: string;
}

/** The whole entry as one text, by the database itself, so that what is hashed is what is stored. */
export const contentOf = (sql: Sql | TransactionSql) => sql`
  json_build_array(id, to_char(at at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.US'), actor, source, action, subject, outcome,
    before::text, after::text)::text`;

export const hashOf = (key: AuditKey, previous: string, content: string): string =>
  createHmac("sha256", key).update(`${previous}\n${content}`).digest("hex");

/** @throws AuditLogBroken if the anchor is not as it was written, or something of the log was found not to be */
export async function lockAnchor(sql: TransactionSql, key: AuditKey, now: Date): Promise<Anchor> {
  const found = await read(sql, true);
  if (found !== undefined) return unbroken(opened(key, found));
  // Two nodes may begin at once: the second waits here for the first.
  await sql`insert into installation (name, value) values (${ANCHOR}, ${sql.json("begun")}) on conflict do nothing`;
  const text = (await read(sql, true)) ?? "";
  return text === "begun" ? begin(sql, key, now) : unbroken(opened(key, text));
}

function unbroken(anchor: Anchor): Anchor {
  if (anchor.broken !== undefined)
    throw new AuditLogBroken(`The audit log was tampered with or damaged: ${anchor.broken}. Nothing is added to it.`);
  return anchor;
}

/** Undefined if there is none. @throws AuditLogBroken if it is not as it was written */
export async function readAnchor(sql: Sql | TransactionSql, key: AuditKey): Promise<Anchor | undefined> {
  const text = await read(sql, false);
  return text === undefined ? undefined : opened(key, text);
}

export async function saveAnchor(sql: TransactionSql, key: AuditKey, anchor: Anchor): Promise<void> {
  const text = JSON.stringify(anchor);
  await sql`update installation set value = ${sql.json(`${text} ${sealOf(key, text)}`)} where name = ${ANCHOR}`;
}

async function read(sql: Sql | TransactionSql, lock: boolean): Promise<string | undefined> {
  const [row] = await sql<{ value: unknown }[]>`
    select value from installation where name = ${ANCHOR} ${lock ? sql`for update` : sql``}`;
  return row && String(row.value);
}

function opened(key: AuditKey, text: string): Anchor {
  const end = text.lastIndexOf(" ");
  const seal = Buffer.from(sealOf(key, text.slice(0, Math.max(end, 0))));
  const given = Buffer.from(text.slice(end + 1));
  if (given.length !== seal.length || !timingSafeEqual(given, seal))
    throw new AuditLogBroken("The anchor of the audit log is not as it was written.");
  return JSON.parse(text.slice(0, end)) as Anchor;
}

const sealOf = (key: AuditKey, text: string): string =>
  createHmac("sha256", key).update(`anchor\n${text}`).digest("hex");

/** Entries from before there was a chain get their hashes now; that there were any, the anchor says for good. */
async function begin(sql: TransactionSql, key: AuditKey, now: Date): Promise<Anchor> {
  const rows = await sql<(Content & { id: string; hash: Buffer | null })[]>`
    select id, ${contentOf(sql)} as content, hash from audit_log order by id`;
  let hash = NO_HASH;
  for (const [index, { id, content, hash: before }] of rows.entries()) {
    if (before !== null || Number(id) !== index + 1)
      throw new AuditLogBroken("The audit log has entries of a chain and no anchor.");
    hash = hashOf(key, hash, content);
    await sql`update audit_log set hash = ${Buffer.from(hash, "hex")} where id = ${id}`;
  }
  const anchor = {
    begun: now.toISOString(),
    found: rows.length,
    removed: 0,
    removedHash: NO_HASH,
    last: rows.length,
    hash,
  };
  await saveAnchor(sql, key, anchor);
  return anchor;
}
