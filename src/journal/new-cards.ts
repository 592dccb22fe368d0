// Rows of `cards` that came with a charge, until it is known whether they stay (gateway/new-cards.ts).

import { arrayOf } from "./columns.ts";
import type { Sql } from "./database.ts";
import { inTurnsOf, isOf } from "./distribution.ts";
import { turnsOf } from "./merchants-there.ts";
import { rowReader, text } from "./rows.ts";

export interface NewCardPlace {
  readonly merchantId: string;
  readonly cardId: string;
  /** The transaction whose charge stores it. */
  readonly storedBy: string;
}

const placeRow = rowReader<NewCardPlace>("cards", { merchantId: text, cardId: text, storedBy: text });

/** Cards of which it is time to look at their charges. Nobody else takes them before `again`. */
export async function takeNewCards(sql: Sql, now: Date, again: Date, most: number): Promise<NewCardPlace[]> {
  const taken: NewCardPlace[] = [];
  for (const merchantId of await turnsOf(sql, "cards", sql`look_at <= ${now}`)) {
    if (taken.length >= most) break;
    const rows = await sql`
      update cards c set look_at = ${again}
      from (select merchant_id, id from cards where ${isOf(sql, merchantId)} and look_at <= ${now}
        order by look_at limit ${most - taken.length} for update skip locked) due
      where ${isOf(sql, merchantId, "c")} and c.merchant_id = due.merchant_id and c.id = due.id
      returning c.merchant_id as "merchantId", c.id as "cardId", c.stored_by as "storedBy"`;
    taken.push(...rows.map(placeRow));
  }
  return taken;
}

/** Their charges were approved. */
export const keepNewCards = (sql: Sql, places: readonly NewCardPlace[]): Promise<void> =>
  ofEach(
    sql,
    places,
    (merchantId, all) => sql`
    update cards c set stored_by = null, look_at = null from unnest(${all.merchants}, ${all.cards}) as i(merchant_id, id)
    where ${isOf(sql, merchantId, "c")} and c.merchant_id = i.merchant_id and c.id = i.id`,
  );

/** Their charges ended, and not in an approval. */
export const removeNewCards = (sql: Sql, places: readonly NewCardPlace[]): Promise<void> =>
  ofEach(
    sql,
    places,
    (merchantId, all) => sql`
    delete from cards where ${isOf(sql, merchantId)} and stored_by is not null
      and (merchant_id, id) in (select * from unnest(${all.merchants}, ${all.cards}))`,
  );

/** Their charges have not ended. */
export const lookAtNewCardsLater = (sql: Sql, places: readonly NewCardPlace[], at: Date): Promise<void> =>
  ofEach(
    sql,
    places,
    (merchantId, all) => sql`
    update cards c set look_at = ${at} from unnest(${all.merchants}, ${all.cards}) as i(merchant_id, id)
    where ${isOf(sql, merchantId, "c")} and c.merchant_id = i.merchant_id and c.id = i.id and c.stored_by is not null`,
  );

async function ofEach(
  sql: Sql,
  places: readonly NewCardPlace[],
  write: (
    merchantId: string | undefined,
    all: { readonly merchants: Uuids; readonly cards: Uuids },
  ) => Promise<unknown>,
): Promise<void> {
  for (const [merchantId, some] of await inTurnsOf(sql, places)) {
    const uuids = (of: (place: NewCardPlace) => string) => arrayOf(sql, "uuid", some.map(of));
    await write(merchantId, { merchants: uuids((place) => place.merchantId), cards: uuids((place) => place.cardId) });
  }
}

type Uuids = ReturnType<typeof arrayOf>;
