// Charges that the merchant initiated by a payer's consent: counted in the database transaction that opens the next one, while nobody else
// opens one of the same card. So two that come at once, on whichever nodes, never exceed the consent together.

import {
  beyondConsent,
  type Consent,
  type ConsentedCharge,
  periodStart,
  type UsedConsent,
} from "../payment/consent.ts";
import { amountOf } from "../payment/money.ts";
import type { Refusal } from "../payment/refusal.ts";
import type { Sql } from "./database.ts";
import type { BeyondConsent } from "./journal.ts";
import { openIn } from "./one-merchant/open.ts";
import type { Opened } from "./opening.ts";
import type { Opening } from "./opening-rows.ts";
import { count, wholeNumber } from "./rows.ts";
import type { TransactionSql } from "./sql/sql.ts";
import { lockStoredCard } from "./stored-cards.ts";

/** Such a node counts as dead by then (nodes.ts); the card's other charges wait for it as long. */
const STOPPED_AFTER_MS = 5_000;

/** Of a card on file; one without a consent, or that was deleted since, is opened as any other. */
export function openByConsent(pool: Sql, node: number, now: Date, opening: Opening): Promise<Opened | BeyondConsent> {
  return pool.begin(async (sql): Promise<Opened | BeyondConsent> => {
    await sql.unsafe(`set local idle_in_transaction_session_timeout = ${STOPPED_AFTER_MS}`, []);
    const { merchantId, id, currency, onFile, events } = opening.intent;
    const card = onFile && (await lockStoredCard(sql, merchantId, onFile.cardId));
    const charge = { amount: events[0].amount, currency };
    if (card?.consent) {
      const refusal = await beyond(sql, merchantId, card.id, card.consent, charge, now);
      // A key that is taken has an answer, whatever became of the consent since.
      if (refusal !== undefined) return (await isTaken(sql, opening)) ? "key-taken" : { refusal };
    }
    const [opened = "key-taken"] = await openIn(sql, node, now, [opening]);
    if (opened !== "key-taken" && card?.consent)
      await sql`
        insert into consent_charges (merchant_id, transaction_id, card_id, amount, charged_at)
        values (${merchantId}, ${id}, ${card.id}, ${charge.amount}, ${now})`;
    return opened;
  }) as Promise<Opened | BeyondConsent>;
}

async function beyond(
  sql: TransactionSql,
  merchantId: string,
  cardId: string,
  consent: Consent,
  charge: ConsentedCharge,
  now: Date,
): Promise<Refusal | undefined> {
  const since = consent.perPeriod ? periodStart(consent.perPeriod.period, now) : now;
  const [row] = await sql`
    select count(*)::int as charges, coalesce(sum(amount) filter (where charged_at >= ${since}), 0)::int8 as "inPeriod"
    from consent_charges where merchant_id = ${merchantId} and card_id = ${cardId}`;
  const used: UsedConsent = { charges: count(row?.charges), inPeriod: amountOf(wholeNumber(row?.inPeriod)) };
  return beyondConsent(consent, charge, used, now);
}

async function isTaken(sql: TransactionSql, { intent, claim }: Opening): Promise<boolean> {
  if (claim === null) return false;
  const taken =
    await sql`select 1 from idempotency_keys where merchant_id = ${intent.merchantId} and key = ${claim.key}`;
  return taken.length > 0;
}

/**
 * Of a charge that charged nothing: each of its attempts has an end, and none is an approval. One that was never answered ends so once its
 * reversal is confirmed.
 */
export const uncounting = (sql: TransactionSql, merchantId: string, transactionId: string) => sql`
  delete from consent_charges where merchant_id = ${merchantId} and transaction_id = ${transactionId} and not exists (
    select from events e left join outcomes o using (merchant_id, transaction_id, sequence)
    where e.merchant_id = ${merchantId} and e.transaction_id = ${transactionId} and e.type in ('sale', 'auth')
      and (o.kind is null or o.kind = 'approved'))`;
