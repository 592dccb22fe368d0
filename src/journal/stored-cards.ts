// The table of stored cards: what merchants charge without sending the number. Its sealed numbers are seen here as bytes only.

import { CARD_BRANDS } from "../payment/card-brand.ts";
import { type Consent, PERIODS } from "../payment/consent.ts";
import { type Amount, amountOf } from "../payment/money.ts";
import { CARDHOLDER_FIELDS, type Cardholder, type StoredCard } from "../payment/stored-card.ts";
import { NIL_UUID } from "../uuid.ts";
import { arrayOf } from "./columns.ts";
import type { Sql } from "./database.ts";
import { inTurnsOf, isOf } from "./distribution.ts";
import { groupCommit } from "./group-commit.ts";
import type { LearnedOfCard, SealedCard } from "./journal.ts";
import { bytes, count, instant, object, orNull, rowReader, text, wholeNumber, word } from "./rows.ts";
import type { TransactionSql } from "./sql/sql.ts";

export const CARDS_ON_A_PAGE = 50;

export interface SealedStoredCard extends StoredCard {
  readonly sealed: SealedCard;
}

const COLUMNS = `merchant_id as "merchantId", id, user_id as "userId", created_at as "createdAt", card_mask as mask,
  card_first_six as "firstSix", card_brand as brand, card_expiry_month as "expiryMonth", card_expiry_year as "expiryYear",
  fingerprint, processor_id as "processorId", processor_customer as customer, cardholder,
  network_transaction_id as "networkTransactionId", consent`;

/**
 * Whether it is stored: one that came with a charge is when that is approved. `offset 0` leaves no other plan than to look into the index for
 * this card.
 */
const IS_STORED = `(stored_by is null or exists (
  select from events e join outcomes o using (merchant_id, transaction_id, sequence)
  where e.merchant_id = cards.merchant_id and e.transaction_id = cards.stored_by and e.type in ('sale', 'auth') and o.kind = 'approved'
  offset 0))`;

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
  fingerprint: orNull(text),
  processorId: orNull(text),
  customer: orNull(text),
  cardholder: object,
  networkTransactionId: orNull(text),
  consent: orNull(object),
});

function storedCardFrom(row: object): StoredCard {
  const { processorId, customer, cardholder, consent, mask, firstSix, brand, expiryMonth, expiryYear, ...rest } =
    storedRow(row);
  return {
    ...rest,
    card: { mask, firstSix, brand, expiryMonth, expiryYear },
    keptBy: processorId === null ? null : { processorId, customer },
    cardholder: cardholderFrom(cardholder),
    consent: consent && consentFrom(consent),
  };
}

function cardholderFrom(stored: Readonly<Record<string, unknown>>): Cardholder {
  const known = CARDHOLDER_FIELDS.filter((field) => stored[field] !== undefined);
  return Object.fromEntries(known.map((field) => [field, text(stored[field])]));
}

/** Amounts are texts of hundredths. */
export const consentText = (consent: Consent | null): string | null =>
  consent && JSON.stringify(consent, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));

function consentFrom(stored: Readonly<Record<string, unknown>>): Consent {
  const { currency, amountAtMost, perPeriod, chargesAtMost, until } = stored;
  const amount = (value: unknown) => amountOf(wholeNumber(value));
  return {
    ...(currency !== undefined && { currency: text(currency) }),
    ...(amountAtMost !== undefined && { amountAtMost: amount(amountAtMost) }),
    ...(perPeriod !== undefined && { perPeriod: perPeriodFrom(object(perPeriod), amount) }),
    ...(chargesAtMost !== undefined && { chargesAtMost: count(chargesAtMost) }),
    ...(until !== undefined && { until: text(until) }),
  };
}

const perPeriodFrom = (
  { period, amountAtMost }: Readonly<Record<string, unknown>>,
  amount: (value: unknown) => Amount,
) => ({ period: word(PERIODS)(period), amountAtMost: amount(amountAtMost) });

const sealedRow = rowReader("cards", { keyId: count, sealed: bytes });

/** Where charges find their cards. */
export interface StoredCards {
  /** With its sealed number; undefined where the merchant has no such card, or no longer. */
  find(merchantId: string, id: string): Promise<SealedStoredCard | undefined>;
}

/**
 * Cards that are sought at the same time are read by one statement. With one for each card, a sale by its id took 1.7 times the CPU of a sale
 * by number, and 1.1 times with this.
 * @param distributed where the tables are by merchant, a statement is about one
 */
export function storedCardsIn(sql: Sql, distributed = false): StoredCards {
  const find = groupCommit<SoughtCard, SealedStoredCard | undefined>({
    groupsInFlight: GROUPS_IN_FLIGHT,
    keyOf: distributed ? ({ merchantId }) => merchantId : undefined,
    concernsOneRow: () => false,
    write: async (sought) => {
      const found = await (distributed ? findOfOne : findOfAll)(sql, sought);
      const cards = new Map(found.map((card) => [`${card.merchantId} ${card.id}`, card]));
      return sought.map(({ merchantId, id }) => cards.get(`${merchantId} ${id}`));
    },
  });
  return { find: (merchantId, id) => find({ merchantId, id }) };
}

interface SoughtCard {
  readonly merchantId: string;
  readonly id: string;
}

const GROUPS_IN_FLIGHT = 2;

async function findOfAll(sql: Sql, sought: readonly SoughtCard[]): Promise<SealedStoredCard[]> {
  const uuids = (of: (card: SoughtCard) => string) => arrayOf(sql, "uuid", sought.map(of));
  const parameters = [uuids(({ merchantId }) => merchantId), uuids(({ id }) => id)];
  return (await sql.unsafe(FIND_OF_ALL, parameters, { prepare: true })).map(sealedCardFrom);
}

async function findOfOne(sql: Sql, sought: readonly SoughtCard[]): Promise<SealedStoredCard[]> {
  const ids = sought.map(({ id }) => id);
  const parameters = [sought[0]?.merchantId ?? null, arrayOf(sql, "uuid", ids)];
  return (await sql.unsafe(FIND_OF_ONE, parameters, { prepare: true })).map(sealedCardFrom);
}

const sealedCardFrom = (row: object): SealedStoredCard => ({ ...storedCardFrom(row), sealed: sealedRow(row) });

const SEALED_COLUMNS = `${COLUMNS}, key_id as "keyId", sealed`;

/** `limit` within a lateral join leaves no other plan than to look into the index for each. */
const FIND_OF_ALL = `select found.* from unnest($1::uuid[], $2::uuid[]) as sought(merchant, card) cross join lateral (
  select ${SEALED_COLUMNS} from cards where merchant_id = sought.merchant and id = sought.card and ${IS_STORED} limit 1) found`;

const FIND_OF_ONE = `select ${SEALED_COLUMNS} from cards where merchant_id = $1::uuid and id = any($2) and ${IS_STORED}`;

/** Undefined where the merchant has no such card, or no longer. */
export async function findStoredCard(
  sql: TransactionSql,
  merchantId: string,
  id: string,
): Promise<StoredCard | undefined> {
  const [row] = await sql`
    select ${sql.unsafe(COLUMNS)} from cards where merchant_id = ${merchantId} and id = ${id} and ${sql.unsafe(IS_STORED)}`;
  return row && storedCardFrom(row);
}

/** Those of these ids that there are, also where a charge that brought one has not ended. */
export async function storedCardsAmong(sql: Sql, merchantId: string, ids: readonly string[]): Promise<StoredCard[]> {
  const rows = await sql`
    select ${sql.unsafe(COLUMNS)} from cards where merchant_id = ${merchantId} and id = any(${arrayOf(sql, "uuid", ids)})`;
  return rows.map(storedCardFrom);
}

/** As {@link findStoredCard}; nobody else changes it until the end of the database transaction. */
export async function lockStoredCard(
  sql: TransactionSql,
  merchantId: string,
  id: string,
): Promise<StoredCard | undefined> {
  const [row] = await sql`
    select ${sql.unsafe(COLUMNS)} from cards
    where merchant_id = ${merchantId} and id = ${id} and ${sql.unsafe(IS_STORED)} for update`;
  return row && storedCardFrom(row);
}

/** Newest first. Two statements, one after the other: a turn has one connection. */
export async function listStoredCards(
  sql: Sql,
  merchantId: string,
  page: number,
): Promise<{ readonly cards: readonly StoredCard[]; readonly total: number }> {
  const [counted] = await sql`
    select count(*)::int as total from cards where merchant_id = ${merchantId} and ${sql.unsafe(IS_STORED)}`;
  const total = count(counted?.total);
  const before = (page - 1) * CARDS_ON_A_PAGE;
  if (before >= total) return { cards: [], total };
  const rows = await sql`
    select ${sql.unsafe(COLUMNS)} from cards
    where merchant_id = ${merchantId} and ${sql.unsafe(IS_STORED)}
    order by created_at desc, id desc limit ${CARDS_ON_A_PAGE} offset ${before}`;
  return { cards: rows.map(storedCardFrom), total };
}

/** How many cards have their numbers here, those of charges that have not ended among them. */
export async function countStoredNumbers(sql: TransactionSql, merchantId: string): Promise<number> {
  const [counted] = await sql`
    select count(*)::int as numbers from cards where merchant_id = ${merchantId} and processor_id is null`;
  return count(counted?.numbers);
}

/** Whether the merchant takes card numbers. Nobody forbids them until the end of the database transaction. */
export async function lockTakesNumbers(sql: TransactionSql, merchantId: string): Promise<boolean> {
  const [row] = await sql`select card_numbers from merchants where id = ${merchantId} for share`;
  return text(row?.card_numbers) === "allowed";
}

/** A new one. */
export async function insertStoredCard(
  sql: TransactionSql,
  {
    merchantId,
    id,
    userId,
    createdAt,
    card,
    fingerprint,
    keptBy,
    cardholder,
    consent,
    networkTransactionId,
  }: StoredCard,
  { keyId, sealed }: SealedCard,
): Promise<void> {
  await sql`
    insert into cards (merchant_id, id, user_id, created_at, updated_at, card_mask, card_first_six, card_brand,
      card_expiry_month, card_expiry_year, fingerprint, processor_id, processor_customer, key_id, sealed, cardholder,
      consent, network_transaction_id)
    values (${merchantId}, ${id}, ${userId}, ${createdAt}, ${createdAt}, ${card.mask}, ${card.firstSix}, ${card.brand},
      ${card.expiryMonth}, ${card.expiryYear}, ${fingerprint}, ${keptBy?.processorId ?? null}, ${keptBy?.customer ?? null}, ${keyId}, ${sealed}, ${JSON.stringify(cardholder)}::text::json,
      ${consentText(consent)}::text::json, ${networkTransactionId})`;
}

/** Of the first approved charge: the first to be written stays. */
export async function learnNetworkTransactionId(
  sql: TransactionSql,
  merchantId: string,
  { cardId, networkTransactionId }: LearnedOfCard,
): Promise<void> {
  await sql`
    update cards set network_transaction_id = ${networkTransactionId}
    where merchant_id = ${merchantId} and id = ${cardId} and network_transaction_id is null`;
}

/** Expiry, names, address and consent. */
export async function updateStoredCard(
  sql: TransactionSql,
  { merchantId, id, card, cardholder, consent }: StoredCard,
  now: Date,
): Promise<void> {
  await sql`
    update cards set updated_at = ${now}, card_expiry_month = ${card.expiryMonth}, card_expiry_year = ${card.expiryYear},
      cardholder = ${JSON.stringify(cardholder)}::text::json, consent = ${consentText(consent)}::text::json
    where merchant_id = ${merchantId} and id = ${id}`;
}

/** For good, with its sealed number. */
export async function deleteStoredCard(sql: TransactionSql, merchantId: string, id: string): Promise<void> {
  await sql`delete from cards where merchant_id = ${merchantId} and id = ${id}`;
  await sql`delete from consent_charges where merchant_id = ${merchantId} and card_id = ${id}`;
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
