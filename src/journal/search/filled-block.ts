// For tests: a merchant whose numbers have almost filled a block, so that what follows lies on both sides of its end.

import type { Transaction } from "../../payment/transaction.ts";
import type { Sql } from "../database.ts";
import { awkwardTransaction } from "./awkward-transactions.ts";

const NEARLY_A_BLOCK = 65_436;

/** Rows as the journal writes them, all at once, a hundred a second. */
export async function fill(
  pool: Sql,
  merchantId: string,
  latest: Date,
  count = NEARLY_A_BLOCK,
): Promise<Transaction[]> {
  const [like] = [awkwardTransaction(merchantId, latest, () => 0)];
  const rows = await pool<{ id: string; number: number; created_at: Date; first_name: string | null; city: string }[]>`
    insert into transactions (merchant_id, id, number, user_id, created_at, currency, card_mask, card_first_six, card_brand,
      card_expiry_month, card_expiry_year, merchant_transaction_id, first_name, city)
    select ${merchantId}, gen_random_uuid(), number, ${like.userId},
      ${latest}::timestamptz - (${count} - number) * interval '10 ms', ${like.currency}, ${like.card.mask},
      ${like.card.firstSix}, ${like.card.brand}, ${like.card.expiryMonth}, ${like.card.expiryYear}, 'filler ' || number,
      case when number % 300 = 0 then 'Ann' end, case when number < 200 then 'Ann' else 'city' end
    from generate_series(1, ${count}::int) number returning id, number::int, created_at, first_name, city`;
  await pool`
    insert into events (merchant_id, transaction_id, sequence, id, type, amount, processor_id, reversal, node_id, created_at)
    select merchant_id, id, 1, id, 'sale', ${String(like.events[0].amount)}, ${like.events[0].processorId}, false, 1, created_at
    from transactions where merchant_id = ${merchantId}`;
  await pool`insert into merchant_counters values (${merchantId}, ${count}, ${latest})`;
  return rows.map(({ id, number, created_at: createdAt, first_name, city }) => ({
    ...like,
    id,
    createdAt,
    merchantTransactionId: `filler ${number}`,
    fields: { ...(first_name !== null && { first_name }), city },
    meta: null,
    events: [{ ...like.events[0], id, createdAt }],
  }));
}
