// The rows about an archive: which portions there are, and where a merchant's transactions that are here begin.

import type { Sql } from "../journal/database.ts";
import { instant, object, rowReader, text, wholeNumber, word } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { BrokenArchive, type Written } from "./file.ts";
import type { Numbers, Sums } from "./records.ts";

export interface Portion extends Numbers, Written {
  readonly state: "leaving" | "archived";
  readonly recordsSha256: string;
  readonly sums: Sums;
  readonly firstCreatedAt: Date;
  readonly lastCreatedAt: Date;
  readonly lastChange: Date;
}

const number = (value: unknown): number => Number(wholeNumber(value));

const portionRow = rowReader<Portion>("archive_portions", {
  merchantId: text,
  first: number,
  last: number,
  state: word(["leaving", "archived"]),
  file: text,
  sha256: text,
  recordsSha256: text,
  sums: (value) => Object.fromEntries(Object.entries(object(value)).map(([name, sum]) => [name, text(sum)])),
  firstCreatedAt: instant,
  lastCreatedAt: instant,
  lastChange: instant,
});

/** Of a merchant, the oldest first. */
export async function portionsOf(sql: TransactionSql, merchantId: string): Promise<readonly Portion[]> {
  const rows = await sql`select ${PORTION(sql)} where merchant_id = ${merchantId} order by first_number`;
  return rows.map(portionRow);
}

/**
 * As it is now; undefined: it is none any more. To be asked under the lock of the archive: the last commit of a run that was cut off may have
 * come after the portion was read.
 */
export async function portionNow(
  sql: TransactionSql,
  { merchantId, first }: Pick<Numbers, "merchantId" | "first">,
): Promise<Portion | undefined> {
  const [row] = await sql`select ${PORTION(sql)} where merchant_id = ${merchantId} and first_number = ${first}`;
  return row && portionRow(row);
}

const PORTION = (sql: TransactionSql) => sql`
  merchant_id as "merchantId", first_number as first, last_number as last, state, file, sha256,
  records_sha256 as "recordsSha256", sums, first_created_at as "firstCreatedAt", last_created_at as "lastCreatedAt",
  last_change as "lastChange" from archive_portions`;

/** The last number that is archived; 0: none. */
export async function archivedThrough(sql: TransactionSql, merchantId: string): Promise<number> {
  const [row] = await sql`select through from archives where merchant_id = ${merchantId}`;
  return row === undefined ? 0 : number(row.through);
}

/** Records are compared as texts, and so are the instants in them. On Citus workers are told, too; elsewhere that says nothing. */
export async function comparable(sql: TransactionSql): Promise<void> {
  await sql`set local statement_timeout = 0`;
  await sql`set local citus.propagate_set_commands = 'local'`;
  await sql`set local time zone 'UTC'`;
}

/** Nobody else changes this merchant's archive until the database transaction ends. */
export async function lockArchive(sql: TransactionSql, merchantId: string): Promise<void> {
  await comparable(sql);
  await sql`insert into archives (merchant_id) values (${merchantId}) on conflict do nothing`;
  await sql`select from archives where merchant_id = ${merchantId} for update`;
}

/** From the commit on, its transactions are found nowhere but in the archive. @throws BrokenArchive if it does not follow what is archived */
export async function insertPortion(sql: TransactionSql, portion: Portion, now: Date): Promise<void> {
  const { merchantId, first, last } = portion;
  const follows = await sql`
    update archives set through = ${last}, last_change = greatest(last_change, ${portion.lastChange}::timestamptz)
    where merchant_id = ${merchantId} and through = ${first - 1}`;
  if (follows.count === 0) throw new BrokenArchive(CHANGED);
  await sql`
    insert into archive_portions (merchant_id, first_number, last_number, state, file, sha256, records_sha256, sums,
      first_created_at, last_created_at, last_change, archived_at)
    values (${merchantId}, ${first}, ${last}, 'leaving', ${portion.file}, ${portion.sha256}, ${portion.recordsSha256},
      ${sql.json(portion.sums)}, ${portion.firstCreatedAt}, ${portion.lastCreatedAt}, ${portion.lastChange}, ${now})`;
  await sql`
    insert into archived_transactions (merchant_id, id, number)
    select merchant_id, id, number from transactions
    where merchant_id = ${merchantId} and number between ${first} and ${last}`;
}

/** Meanwhile the last commit came of a run that was cut off. */
export const CHANGED = "another run that was cut off changed this archive in the end: run this again";

/** The newest portion is no portion any more: what of it is in the journal is found again. */
export async function deletePortion(sql: TransactionSql, { merchantId, first, last }: Numbers): Promise<void> {
  await sql`
    delete from archived_transactions where merchant_id = ${merchantId} and number between ${first} and ${last}`;
  await sql`delete from archive_portions where merchant_id = ${merchantId} and first_number = ${first}`;
  await sql`
    update archives set through = ${first - 1}, version = version + 1,
      last_change = (select max(last_change) from archive_portions where merchant_id = ${merchantId})
    where merchant_id = ${merchantId}`;
}

/** One archiving, restoring or erasing at a time. The lock is the session's, so it goes with the process. */
export async function alone<T>(sql: Sql, work: () => Promise<T>): Promise<T | "busy"> {
  const session = await sql.reserve();
  try {
    const [lock] = await session<[{ free: boolean }]>`select pg_try_advisory_lock(${LOCK}) as free`;
    if (!lock.free) return "busy";
    return await work();
  } finally {
    await session`select pg_advisory_unlock(${LOCK})`.catch(() => undefined);
    session.release();
  }
}

/** Any number that nothing else in this database locks. */
const LOCK = 8_583_003;
