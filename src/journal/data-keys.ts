// The table of data keys, as vault/data-keys.ts and a rotation ask for it. The keys in it are wrapped: nothing here can
// be opened without a master key, which is not in the database.

import type { Sql } from "./database.ts";
import type { TransactionSql } from "./sql/sql.ts";

export interface StoredDataKey {
  readonly id: number;
  readonly masterKeyId: string;
  readonly wrapped: Buffer;
}

export interface ListedDataKey {
  readonly id: number;
  readonly masterKeyId: string;
  /** Messages that may have been sealed under it: never fewer than there are. */
  readonly leased: number;
  readonly createdAt: Date;
  readonly retiredAt: Date | null;
  /** When a rotation had looked at every row under it. */
  readonly passedAt: Date | null;
}

interface Row {
  readonly id: number;
  readonly master_key_id: string;
  readonly wrapped: Buffer;
}

const keyOf = (row: Row | undefined): StoredDataKey | undefined =>
  row && { id: row.id, masterKeyId: row.master_key_id, wrapped: row.wrapped };

/** The table of data keys, as the vault uses it. */
export const dataKeyStore = (sql: Sql, now: () => Date) => ({
  newest: async () => {
    const [row] = await sql<Row[]>`
      select id, master_key_id, wrapped from data_keys where retired_at is null order by id desc limit 1`;
    return keyOf(row);
  },
  find: async (id: number) => {
    const [row] = await sql<Row[]>`select id, master_key_id, wrapped from data_keys where id = ${id}`;
    return keyOf(row);
  },
  lease: async (id: number, messages: number, most: number) => {
    const leased = await sql`
      update data_keys set leased = leased + ${messages}
      where id = ${id} and retired_at is null and leased + ${messages} <= ${most}`;
    return leased.count === 1;
  },
  add: async (masterKeyId: string, wrapped: Buffer) => {
    await sql`
      insert into data_keys (master_key_id, wrapped, leased, created_at)
      values (${masterKeyId}, ${wrapped}, 0, ${now()})`;
  },
});

/**
 * A new key under which all is sealed from now on; those before it are retired.
 * @param sql a database transaction
 * @returns its id
 */
export async function replaceDataKeys(
  sql: TransactionSql,
  masterKeyId: string,
  wrapped: Buffer,
  now: Date,
): Promise<number> {
  const [added] = await sql<[{ id: number }]>`
    insert into data_keys (master_key_id, wrapped, leased, created_at)
    values (${masterKeyId}, ${wrapped}, 0, ${now}) returning id`;
  await sql`update data_keys set retired_at = now() where id < ${added.id} and retired_at is null`;
  return added.id;
}

/** Oldest first. */
export async function listDataKeys(sql: Sql): Promise<ListedDataKey[]> {
  const rows = await sql<
    {
      id: number;
      master_key_id: string;
      leased: string;
      created_at: Date;
      retired_at: Date | null;
      passed_at: Date | null;
    }[]
  >`select id, master_key_id, leased, created_at, retired_at, passed_at from data_keys order by id`;
  return rows.map((row) => ({
    id: row.id,
    masterKeyId: row.master_key_id,
    leased: Number(row.leased),
    createdAt: row.created_at,
    retiredAt: row.retired_at,
    passedAt: row.passed_at,
  }));
}

export interface KeysToLeave {
  /** Whose rows no rotation has looked at to the end. */
  readonly ids: readonly number[];
  /** How long ago the last of them was retired. */
  readonly sinceMs: number;
  /** All that are retired. A node that was paused in the middle of a write may have come to one late. */
  readonly retired: readonly number[];
}

/** Retired keys that cards may still be sealed under; undefined: none. */
export async function keysToLeave(sql: Sql): Promise<KeysToLeave | undefined> {
  const [row] = await sql<[{ ids: number[] | null; since_ms: number | null; retired: number[] | null }]>`
    select json_agg(id) filter (where passed_at is null) as ids, json_agg(id) as retired,
      (extract(epoch from now() - max(retired_at)) * 1000)::float8 as since_ms
    from data_keys where retired_at is not null`;
  return row.ids === null ? undefined : { ids: row.ids, sinceMs: row.since_ms ?? 0, retired: row.retired ?? [] };
}

/** Nothing is sealed under these any more. */
export async function markPassed(sql: Sql, ids: readonly number[]): Promise<void> {
  await sql`update data_keys set passed_at = now() where id in ${sql(ids)}`;
}
