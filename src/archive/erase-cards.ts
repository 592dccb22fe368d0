// Erases a payer's cards on file: the cards themselves, with their sealed numbers, and the kept responses that show them. Payments that were
// made with them stay, as erase.ts leaves them.

import { arrayOf } from "../journal/columns.ts";
import { lockPlan } from "../journal/plan-rows.ts";
import { instant, rowReader, text } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { audited } from "../merchants/audit.ts";
import type { Author } from "../merchants/backoffice.ts";
import { writePlan } from "../merchants/plans/change-plan.ts";
import { canceledPlan } from "../payment/plan.ts";
import type { ArchiveOffice } from "./archive.ts";
import { type Erasing, ofPayer } from "./erase.ts";

export interface CardOfPayer {
  readonly id: string;
  readonly mask: string;
  readonly createdAt: Date;
}

type OfPayer = Pick<Erasing, "merchantId" | "payer">;

/** The oldest first. */
export async function findCardsOfPayer(
  { sql }: Pick<ArchiveOffice, "sql">,
  erasing: OfPayer,
): Promise<readonly CardOfPayer[]> {
  const rows = await sql.begin(async (one) => {
    await one`set local statement_timeout = 0`;
    return one`select id, card_mask as mask, created_at as "createdAt" ${cardsOf(one, erasing)} order by id`;
  });
  return rows.map(cardRow);
}

const cardRow = rowReader("cards", { id: text, mask: text, createdAt: instant });

/** Those that name the payer, and those that the payer's transactions charged or stored. */
const cardsOf = (sql: TransactionSql, erasing: OfPayer) => sql`
  from cards where merchant_id = ${erasing.merchantId} and ((${names(sql, erasing)}) or id in (
    select (t.details -> 'onFile' ->> 'cardId')::uuid ${ofPayer(sql, erasing)}))`;

const names = (sql: TransactionSql, { payer }: OfPayer) => sql`
    ${payer.email === undefined ? sql`true` : sql`lower(cardholder ->> 'email') = lower(${payer.email}::text)`}
    and ${payer.mobile_phone === undefined ? sql`true` : sql`cardholder ->> 'mobile_phone' = ${payer.mobile_phone}`}
    and ${payer.first_name === undefined ? sql`true` : sql`cardholder ->> 'first_name' = ${payer.first_name}`}
    and ${payer.last_name === undefined ? sql`true` : sql`cardholder ->> 'last_name' = ${payer.last_name}`}`;

/**
 * Plans of these cards: nothing of them is charged any more, and the passengers and the tax number go, with the kept responses that show them.
 * What webhooks tell of them has no name.
 */
async function erasePlansOf(
  sql: TransactionSql,
  merchantId: string,
  cards: readonly string[],
  now: Date,
): Promise<void> {
  const rows = await sql`
    select id from plans where merchant_id = ${merchantId} and card_id = any(${arrayOf(sql, "uuid", cards)}) order by id for update`;
  const ids = rows.map(({ id }) => text(id));
  if (ids.length === 0) return;
  for (const id of ids) {
    const plan = await lockPlan(sql, merchantId, id);
    const canceled = plan && canceledPlan(plan, now);
    if (plan && canceled) await writePlan(sql, plan, canceled, [{ type: "plan.canceled", payment: null }]);
  }
  const gone = arrayOf(sql, "uuid", ids);
  await sql`
    delete from idempotency_answers a using idempotency_keys k
    where k.merchant_id = ${merchantId} and k.transaction_id = any(${gone}) and a.merchant_id = ${merchantId} and a.key = k.key`;
  await sql`
    update plans set fields = '{}', passengers = null where merchant_id = ${merchantId} and id = any(${gone})`;
}

const MOST_AT_ONCE = 500;

/**
 * Each portion is one database transaction with its entry in the audit log, which names cards and nobody. Run again, it goes on.
 * @returns how many cards were erased
 */
export async function eraseCards(office: ArchiveOffice, author: Author, erasing: OfPayer): Promise<number> {
  let erased = 0;
  for (let some = MOST_AT_ONCE; some === MOST_AT_ONCE; erased += some) some = await eraseSome(office, author, erasing);
  return erased;
}

async function eraseSome(office: ArchiveOffice, author: Author, erasing: OfPayer): Promise<number> {
  const { merchantId } = erasing;
  return audited(office, author, async (sql) => {
    const rows = await sql`select id ${cardsOf(sql, erasing)} order by id limit ${MOST_AT_ONCE} for update`;
    const ids = rows.map(({ id }) => text(id));
    if (ids.length === 0) return { result: 0 };
    const gone = arrayOf(sql, "uuid", ids);
    await sql`
      delete from idempotency_answers a using idempotency_keys k
      where k.merchant_id = ${merchantId} and k.transaction_id = any(${gone}) and a.merchant_id = ${merchantId} and a.key = k.key`;
    await erasePlansOf(sql, merchantId, ids, office.clock.now());
    await sql`delete from cards where merchant_id = ${merchantId} and id = any(${gone})`;
    await sql`delete from consent_charges where merchant_id = ${merchantId} and card_id = any(${gone})`;
    const entry = { action: "payer.delete", subject: ["merchant", merchantId], after: { cards: ids } } as const;
    return { result: ids.length, entry };
  });
}
