// The table of stored cards: what merchants charge without sending the number. Its sealed numbers are seen here as bytes only.

import { CARD_BRANDS } from "../payment/card-brand.ts";
import { CARDHOLDER_FIELDS, type Cardholder, type StoredCard } from "../payment/stored-card.ts";
import { NIL_UUID } from "../uuid.ts";
import { arrayOf } from "./columns.ts";
import type { Sql } from "./database.ts";
import { inTurnsOf, isOf } from "./distribution.ts";
import type { KeyClaim, KeyedResponse, SealedCard } from "./journal.ts";
import { bytes, count, instant, object, rowReader, text, word } from "./rows.ts";
import type { TransactionSql } from "./sql/sql.ts";

export const CARDS_ON_A_PAGE = 50;

export interface SealedStoredCard extends StoredCard {
  readonly sealed: SealedCard;
}

const COLUMNS = `merchant_id as "merchantId", id, user_id as "userId", created_at as "createdAt", card_mask as mask,
  card_first_six as "firstSix", card_brand as brand, card_expiry_month as "expiryMonth", card_expiry_year as "expiryYear",
  fingerprint, cardholder`;

const storedRow = rowReader("cards", {
  merchantId: text,
  id: text,
  userId: text,
  createdAt: instant,
  mask: text,
  firstSix: text,
  brand: word(CARD_BRANDS),
  expiryMonth: text,
  expiryYear: text,
  fingerprint: text,
  cardholder: object,
});

function storedCardFrom(row: object): StoredCard {
  const { merchantId, id, userId, createdAt, fingerprint, cardholder, ...card } = storedRow(row);
  return { merchantId, id, userId, createdAt, card, fingerprint, cardholder: cardholderFrom(cardholder) };
}

function cardholderFrom(stored: Readonly<Record<string, unknown>>): Cardholder {
  const known = CARDHOLDER_FIELDS.filter((field) => stored[field] !== undefined);
  return Object.fromEntries(known.map((field) => [field, text(stored[field])]));
}

const sealedRow = rowReader("cards", { keyId: count, sealed: bytes });

/** With its sealed number; undefined where the merchant has no such card, or no longer. */
export async function findSealedStoredCard(
  sql: Sql,
  merchantId: string,
  id: string,
): Promise<SealedStoredCard | undefined> {
  const [row] = await sql.unsafe(FIND_SEALED, [merchantId, id], { prepare: true });
  return row && { ...storedCardFrom(row), sealed: sealedRow(row) };
}

const FIND_SEALED = `select ${COLUMNS}, key_id as "keyId", sealed from cards where merchant_id = $1::uuid and id = $2::uuid`;

/** Undefined where the merchant has no such card, or no longer. */
export async function findStoredCard(
  sql: TransactionSql,
  merchantId: string,
  id: string,
): Promise<StoredCard | undefined> {
  const [row] = await sql`select ${sql.unsafe(COLUMNS)} from cards where merchant_id = ${merchantId} and id = ${id}`;
  return row && storedCardFrom(row);
}

/** As {@link findStoredCard}; nobody else changes it until the end of the database transaction. */
export async function lockStoredCard(
  sql: TransactionSql,
  merchantId: string,
  id: string,
): Promise<StoredCard | undefined> {
  const [row] = await sql`
    select ${sql.unsafe(COLUMNS)} from cards where merchant_id = ${merchantId} and id = ${id} for update`;
  return row && storedCardFrom(row);
}

/** Newest first. Two statements, one after the other: a turn has one connection. */
export async function listStoredCards(
  sql: Sql,
  merchantId: string,
  page: number,
): Promise<{ readonly cards: readonly StoredCard[]; readonly total: number }> {
  const [counted] = await sql`select count(*)::int as total from cards where merchant_id = ${merchantId}`;
  const total = count(counted?.total);
  const before = (page - 1) * CARDS_ON_A_PAGE;
  if (before >= total) return { cards: [], total };
  const rows = await sql`
    select ${sql.unsafe(COLUMNS)} from cards where merchant_id = ${merchantId}
    order by id desc limit ${CARDS_ON_A_PAGE} offset ${before}`;
  return { cards: rows.map(storedCardFrom), total };
}

/** A new one. */
export async function insertStoredCard(
  sql: TransactionSql,
  { merchantId, id, userId, createdAt, card, fingerprint, cardholder }: StoredCard,
  { keyId, sealed }: SealedCard,
): Promise<void> {
  await sql`
    insert into cards (merchant_id, id, user_id, created_at, updated_at, card_mask, card_first_six, card_brand,
      card_expiry_month, card_expiry_year, fingerprint, key_id, sealed, cardholder)
    values (${merchantId}, ${id}, ${userId}, ${createdAt}, ${createdAt}, ${card.mask}, ${card.firstSix}, ${card.brand},
      ${card.expiryMonth}, ${card.expiryYear}, ${fingerprint}, ${keyId}, ${sealed}, ${JSON.stringify(cardholder)}::text::json)`;
}

/** Expiry, names and address. */
export async function updateStoredCard(
  sql: TransactionSql,
  { merchantId, id, card, cardholder }: StoredCard,
  now: Date,
): Promise<void> {
  await sql`
    update cards set updated_at = ${now}, card_expiry_month = ${card.expiryMonth}, card_expiry_year = ${card.expiryYear},
      cardholder = ${JSON.stringify(cardholder)}::text::json
    where merchant_id = ${merchantId} and id = ${id}`;
}

/** For good, with its sealed number. */
export async function deleteStoredCard(sql: TransactionSql, merchantId: string, id: string): Promise<void> {
  await sql`delete from cards where merchant_id = ${merchantId} and id = ${id}`;
}

/** Of the request that stores this card. @returns whether the key was free; if another request is storing, after that has ended */
export async function claimKeyOfCard(
  sql: TransactionSql,
  { merchantId, id, createdAt }: StoredCard,
  { key, requestHash }: KeyClaim,
): Promise<boolean> {
  const claimed = await sql`
    insert into idempotency_keys (merchant_id, key, request_hash, transaction_id, sequence, created_at)
    values (${merchantId}, ${key}, ${requestHash}, ${id}, 1, ${createdAt}) on conflict do nothing returning key`;
  return claimed.length > 0;
}

/** What a request with the same key gets: written with the card, and its key. */
export async function insertResponseOfCard(
  sql: TransactionSql,
  { merchantId, createdAt }: StoredCard,
  response: KeyedResponse & { readonly body: string },
): Promise<void> {
  await sql`
    insert into idempotency_answers (merchant_id, key, status, body, created_at)
    values (${merchantId}, ${response.key}, ${response.status}, ${response.body}, ${createdAt})`;
}

export interface PlaceOfStoredCard {
  readonly merchantId: string;
  readonly cardId: string;
}

const FIRST: PlaceOfStoredCard = { merchantId: NIL_UUID, cardId: NIL_UUID };

const placedRow = rowReader("cards", { merchantId: text, cardId: text, keyId: count, sealed: bytes });

/** The sealed numbers in the order of their places, whatever their key, from the one after this on. */
export async function sealedStoredCardsAfter(sql: Sql, after: PlaceOfStoredCard | undefined, most: number) {
  const { merchantId, cardId } = after ?? FIRST;
  const rows = await sql`
    select merchant_id as "merchantId", id as "cardId", key_id as "keyId", sealed from cards
    where (merchant_id, id) > (${merchantId}::uuid, ${cardId}::uuid) order by merchant_id, id limit ${most}`;
  return rows.map(placedRow);
}

/** Cards that were deleted since stay deleted; one that another key sealed since stays as it is. */
export async function replaceSealedStoredCards(
  sql: Sql,
  all: readonly (PlaceOfStoredCard & SealedCard & { readonly keyBefore: number })[],
): Promise<void> {
  for (const [merchantId, cards] of await inTurnsOf(sql, all)) {
    const uuids = (of: (card: (typeof cards)[number]) => string) => arrayOf(sql, "uuid", cards.map(of));
    const keys = (of: (card: (typeof cards)[number]) => number) => arrayOf(sql, "int4", cards.map(of));
    const sealed = cards.map((card) => card.sealed);
    await sql`
      update cards c set key_id = i.key_id, sealed = i.sealed
      from unnest(${uuids((card) => card.merchantId)}, ${uuids((card) => card.cardId)}, ${keys((card) => card.keyBefore)},
        ${keys((card) => card.keyId)}, ${arrayOf(sql, "bytea", sealed)}) as i(merchant_id, id, key_before, key_id, sealed)
      where ${isOf(sql, merchantId, "c")} and c.merchant_id = i.merchant_id and c.id = i.id and c.key_id = i.key_before`;
  }
}
