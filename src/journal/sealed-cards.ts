// The table of sealed card numbers, which opening.ts inserts: looked up, sealed again by a rotation of keys, and removed. Only sealed
// bytes are seen here.

import { NIL_UUID } from "../uuid.ts";
import { arrayOf } from "./columns.ts";
import type { Sql } from "./database.ts";
import { inTurnsOf, isOf } from "./distribution.ts";
import type { SealedCard } from "./journal.ts";
import { turnsOf } from "./merchants-there.ts";

export interface CardPlace {
  readonly merchantId: string;
  readonly transactionId: string;
}
export interface PlacedCard extends CardPlace, SealedCard {}

interface Row {
  readonly merchant_id: string;
  readonly transaction_id: string;
  readonly key_id: number;
  readonly sealed: Buffer;
}

export async function findSealedCard(
  sql: Sql,
  merchantId: string,
  transactionId: string,
): Promise<SealedCard | undefined> {
  const [row] = await sql<Row[]>`
    select key_id, sealed from sealed_cards where merchant_id = ${merchantId} and transaction_id = ${transactionId}`;
  return row && { keyId: row.key_id, sealed: row.sealed };
}

/** Those of a merchant's transactions whose card numbers are kept. */
export async function sealedAmong(
  sql: Sql,
  merchantId: string,
  transactionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql<Pick<Row, "transaction_id">[]>`
    select transaction_id from sealed_cards
    where merchant_id = ${merchantId} and transaction_id = any(${arrayOf(sql, "uuid", transactionIds)})`;
  return new Set(rows.map(({ transaction_id }) => transaction_id));
}

/** Where sealed numbers are: for follow-ups of transactions, and of stored cards. */
export const SEALED_TABLES = ["sealed_cards", "cards"] as const;
type SealedTable = (typeof SEALED_TABLES)[number];

/** How many rows there are, by each key. Reads them all. */
export async function countByKey(sql: Sql, table: SealedTable = "sealed_cards"): Promise<ReadonlyMap<number, number>> {
  const rows = await sql<{ key_id: number; rows: string }[]>`
    select key_id, count(*) as rows from ${sql(table)} group by key_id`;
  return new Map(rows.map((row) => [row.key_id, Number(row.rows)]));
}

/** Some hundred thousand rows, which takes some 20 ms. */
const PAGES_READ = 2_000;

export interface Counted {
  readonly rows: ReadonlyMap<number, number>;
  /** Only a part was counted: a key with few rows may be among none of it. */
  readonly estimated: boolean;
}

/** How many rows there are, by each key, without reading them all where they are many. */
export async function estimateByKey(sql: Sql, table: SealedTable = "sealed_cards"): Promise<Counted> {
  // Where the table is distributed, it is empty here.
  const [size] = await sql<[{ pages: number }]>`
    select (pg_relation_size(${table}::regclass) / current_setting('block_size')::int8)::float8 as pages`;
  if (size.pages <= PAGES_READ) return { rows: await countByKey(sql, table), estimated: false };
  const percent = (100 * PAGES_READ) / size.pages;
  // The same part each time, so that what is shown does not jump.
  const rows = await sql<{ key_id: number; rows: number }[]>`
    select key_id, count(*)::float8 as rows from ${sql(table)} tablesample system (${percent}::float4) repeatable (1)
    group by key_id`;
  return { rows: new Map(rows.map((row) => [row.key_id, Math.round((row.rows * 100) / percent)])), estimated: true };
}

const FIRST: CardPlace = {
  merchantId: NIL_UUID,
  transactionId: NIL_UUID,
};

/** The rows in the order of their places, whatever their key, from the one after this on. */
export async function cardsAfter(sql: Sql, after: CardPlace | undefined, most: number): Promise<PlacedCard[]> {
  const { merchantId, transactionId } = after ?? FIRST;
  const rows = await sql<Row[]>`
    select merchant_id, transaction_id, key_id, sealed from sealed_cards
    where (merchant_id, transaction_id) > (${merchantId}::uuid, ${transactionId}::uuid)
    order by merchant_id, transaction_id limit ${most}`;
  return rows.map(placed);
}

const placed = (row: Row): PlacedCard => ({
  merchantId: row.merchant_id,
  transactionId: row.transaction_id,
  keyId: row.key_id,
  sealed: row.sealed,
});

/** Some of those that this key seals. */
export async function sampleOfCards(sql: Sql, keyId: number, most: number): Promise<PlacedCard[]> {
  const rows = await sql<Row[]>`
    select merchant_id, transaction_id, key_id, sealed from sealed_cards where key_id = ${keyId} limit ${most}`;
  return rows.map(placed);
}

/** Rows that were removed since stay removed; a row that another key sealed since stays as it is. */
export async function replaceCards(
  sql: Sql,
  all: readonly (PlacedCard & { readonly keyBefore: number })[],
): Promise<void> {
  for (const [merchantId, cards] of await inTurnsOf(sql, all))
    await sql`
    update sealed_cards c set key_id = i.key_id, sealed = i.sealed
    from unnest(${placesOf(sql, cards)[0]}, ${placesOf(sql, cards)[1]},
      ${arrayOf(
        sql,
        "int4",
        cards.map(({ keyBefore }) => keyBefore),
      )},
      ${arrayOf(
        sql,
        "int4",
        cards.map(({ keyId }) => keyId),
      )},
      ${arrayOf(
        sql,
        "bytea",
        cards.map(({ sealed }) => sealed),
      )}) as i(merchant_id, transaction_id, key_before, key_id, sealed)
    where ${isOf(sql, merchantId, "c")} and c.merchant_id = i.merchant_id and c.transaction_id = i.transaction_id and c.key_id = i.key_before`;
}

export interface CardToLookAt extends CardPlace {
  /** A reversal or a repeat of this transaction is still to be confirmed. */
  readonly unresolved: boolean;
}

/** Cards of which it is time to ask whether they are still needed. Nobody else takes them before `again`. */
export async function takeCardsToLookAt(sql: Sql, now: Date, again: Date, most: number): Promise<CardToLookAt[]> {
  const taken: CardToLookAt[] = [];
  for (const merchantId of await turnsOf(sql, "sealed_cards", sql`look_at <= ${now}`))
    if (taken.length < most) taken.push(...(await takeSome(sql, merchantId, now, again, most - taken.length)));
  return taken;
}

async function takeSome(
  sql: Sql,
  merchantId: string | undefined,
  now: Date,
  again: Date,
  most: number,
): Promise<CardToLookAt[]> {
  const rows = await sql<{ merchant_id: string; transaction_id: string; unresolved: boolean }[]>`
    update sealed_cards c set look_at = ${again}
    from (select merchant_id, transaction_id from sealed_cards where ${isOf(sql, merchantId)} and look_at <= ${now}
      order by look_at limit ${most} for update skip locked) due
    where ${isOf(sql, merchantId, "c")} and c.merchant_id = due.merchant_id and c.transaction_id = due.transaction_id
    returning c.merchant_id, c.transaction_id, exists (
      select from unresolved u where ${isOf(sql, merchantId, "u")} and u.merchant_id = c.merchant_id and u.transaction_id = c.transaction_id) as unresolved`;
  return rows.map((row) => ({
    merchantId: row.merchant_id,
    transactionId: row.transaction_id,
    unresolved: row.unresolved,
  }));
}

/** For good. */
export async function removeCards(sql: Sql, all: readonly CardPlace[]): Promise<void> {
  for (const [merchantId, cards] of await inTurnsOf(sql, all)) {
    const [merchants, transactions] = placesOf(sql, cards);
    await sql`
    delete from sealed_cards
    where ${isOf(sql, merchantId)} and (merchant_id, transaction_id) in (select * from unnest(${merchants}, ${transactions}))`;
  }
}

/** Looked at and still needed. */
export async function lookAtCardsLater(
  sql: Sql,
  all: readonly (CardPlace & { readonly lookAt: Date })[],
): Promise<void> {
  for (const [merchantId, cards] of await inTurnsOf(sql, all)) {
    const [merchants, transactions] = placesOf(sql, cards);
    await sql`
    update sealed_cards c set look_at = i.look_at
    from unnest(${merchants}, ${transactions}, ${arrayOf(
      sql,
      "timestamptz",
      cards.map(({ lookAt }) => lookAt),
    )}) as i(merchant_id, transaction_id, look_at)
    where ${isOf(sql, merchantId, "c")} and c.merchant_id = i.merchant_id and c.transaction_id = i.transaction_id`;
  }
}

const placesOf = (sql: Sql, cards: readonly CardPlace[]) =>
  [
    arrayOf(
      sql,
      "uuid",
      cards.map(({ merchantId }) => merchantId),
    ),
    arrayOf(
      sql,
      "uuid",
      cards.map(({ transactionId }) => transactionId),
    ),
  ] as const;
