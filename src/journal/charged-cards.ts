// The table of charged cards, which opening.ts inserts: how often a card was tried in vain, for the limits that schemes set to repeats.
// Cards are known by keyed hashes only.

import { LONGEST_LIMIT_MS, type RepeatLimit, type Try, withinLimits } from "../payment/going-on.ts";
import { type Amount, amountOf } from "../payment/money.ts";
import type { Sql } from "./database.ts";
import { isOf } from "./distribution.ts";
import { turnsOf } from "./merchants-there.ts";
import { count, instant, rowReader, wholeNumber } from "./rows.ts";

/** Of the tries that count: more than any limit asks for. */
const MOST_TRIES = 100;
/** To count the tries of a card that one merchant charged more often would hold up everybody's payments: it is not tried again. */
const MOST_CHARGES = 1_000;
const PORTION = 1_000;

/**
 * Whether the transaction's card may be tried once more. Of several charges of one card that ask at once each sees what those before
 * it wrote: the lock lasts until the end of the database transaction that this is part of.
 */
export async function mayBeTried(
  sql: Sql,
  merchantId: string,
  transactionId: string,
  limits: readonly RepeatLimit[],
  now: Date,
): Promise<boolean> {
  const charges = await chargesOf(sql, merchantId, transactionId);
  // What cannot be counted is not repeated.
  if (charges === 0 || charges > MOST_CHARGES) return false;
  await sql`
    select pg_advisory_xact_lock(hashtextextended(merchant_id::text || encode(card, 'hex'), 0)) from charged_cards
    where merchant_id = ${merchantId} and transaction_id = ${transactionId}`;
  const amounts = new Set(limits.map(({ amount }) => amount));
  const tries = await triesOf(sql, merchantId, transactionId, now, amounts.size === 1 ? limits[0]?.amount : undefined);
  return withinLimits(limits, tries, now);
}

/** Of the transaction's card, itself among them; 0: it is not known. Beyond the most no more are counted. */
async function chargesOf(sql: Sql, merchantId: string, transactionId: string): Promise<number> {
  const [row] = await sql`
    select count(*)::int as charges from (
      select from charged_cards own join charged_cards c on c.merchant_id = own.merchant_id and c.card = own.card
      where own.merchant_id = ${merchantId} and own.transaction_id = ${transactionId} limit ${MOST_CHARGES + 1}
    ) some_of_them`;
  return count(row?.charges);
}

const triedRow = rowReader("events", { at: instant, amount: wholeNumber });

/**
 * Newest first. What is not known to have failed counts: it may have reached the issuer.
 * @param amount only tries of this amount, so that however many of other amounts hide none of them
 */
async function triesOf(
  sql: Sql,
  merchantId: string,
  transactionId: string,
  now: Date,
  amount: Amount | undefined,
): Promise<Try[]> {
  const since = new Date(now.getTime() - LONGEST_LIMIT_MS);
  const rows = await sql`
    select e.created_at as at, e.amount::text as amount
    from charged_cards own
    join charged_cards c on c.merchant_id = own.merchant_id and c.card = own.card
    join events e on e.merchant_id = c.merchant_id and e.transaction_id = c.transaction_id and e.type in ('sale', 'auth')
    left join outcomes o on o.merchant_id = e.merchant_id and o.transaction_id = e.transaction_id and o.sequence = e.sequence
    where own.merchant_id = ${merchantId} and own.transaction_id = ${transactionId} and e.created_at > ${since}
      and coalesce(o.kind, 'open') not in ('approved', 'not-sent')
      ${amount === undefined ? sql`` : sql`and e.amount = ${amount}`}
    order by e.created_at desc limit ${MOST_TRIES}`;
  return rows.map((row) => {
    const { at, amount } = triedRow(row);
    return { at, amount: amountOf(amount) };
  });
}

/** Those that no limit looks back to. @returns whether there may be more to remove */
export async function removeOldChargedCards(sql: Sql, now: Date): Promise<boolean> {
  const before = new Date(now.getTime() - LONGEST_LIMIT_MS - 86_400_000);
  let more = false;
  for (const merchantId of await turnsOf(sql, "charged_cards", sql`charged_at < ${before}`)) {
    const removed = await sql`
      delete from charged_cards where ${isOf(sql, merchantId)} and ctid = any(array(
        select ctid from charged_cards where ${isOf(sql, merchantId)} and charged_at < ${before}
        limit ${PORTION} for update skip locked))`;
    more ||= removed.count === PORTION;
  }
  return more;
}
