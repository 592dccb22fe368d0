import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDatabase } from "../../test/database.ts";
import { LONGEST_LIMIT_MS } from "../payment/going-on.ts";
import { amountOf } from "../payment/money.ts";
import { mayBeTried, removeOldChargedCards } from "./charged-cards.ts";
import type { Sql } from "./database.ts";

const NOW = new Date("2031-03-31T12:00:00Z");
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000);
const MERCHANT = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";
const CARD = Buffer.alloc(32, 7);

/** Charges of the card of which nothing is known to have come. @returns one of them */
async function charged(pool: Sql, times: number, amount: bigint, at: Date): Promise<string> {
  const [row] = await pool<{ transaction_id: string }[]>`
    with charged as (
      insert into charged_cards (merchant_id, transaction_id, card, charged_at)
      select ${MERCHANT}::uuid, gen_random_uuid(), ${CARD}, ${at} from generate_series(1, ${times}::int)
      returning transaction_id
    )
    insert into events (merchant_id, transaction_id, sequence, id, type, amount, processor_id, reversal, node_id, created_at)
    select ${MERCHANT}::uuid, transaction_id, 1, gen_random_uuid(), 'sale', ${amount}, gen_random_uuid(), false, 1, ${at}
    from charged returning transaction_id`;
  return row?.transaction_id ?? assert.fail("nothing was charged");
}

test("tries of an amount count, however many of other amounts came after them", async () => {
  const { pool, drop } = await freshDatabase();
  await charged(pool, 15, 100n, daysAgo(20));
  await charged(pool, 150, 7n, daysAgo(1));
  const own = await charged(pool, 1, 100n, NOW);
  const may = (amount: bigint, tries: number) =>
    mayBeTried(pool, MERCHANT, own, [{ tries, withinMs: LONGEST_LIMIT_MS, amount: amountOf(amount) }], NOW);
  assert.equal(await may(100n, 16), false);
  assert.equal(await may(100n, 17), true);
  assert.equal(await may(7n, 16), false);
  assert.equal(await may(8n, 16), true);
  await drop();
});

test("a card that was charged too often to be counted is not tried again", async () => {
  const { pool, drop } = await freshDatabase();
  // Too long ago to be tries.
  const own = await charged(pool, 1_000, 100n, daysAgo(30));
  const may = () => mayBeTried(pool, MERCHANT, own, [{ tries: 1, withinMs: LONGEST_LIMIT_MS }], NOW);
  assert.equal(await may(), true);
  await charged(pool, 1, 100n, daysAgo(30));
  assert.equal(await may(), false);
  assert.equal(await mayBeTried(pool, MERCHANT, MERCHANT, [], NOW), false, "no such charge");
  await drop();
});

test("a charged card is kept for 31 days to the millisecond, a day longer than any limit looks back, and then removed", async () => {
  const { pool, drop } = await freshDatabase();
  const kept = [await charged(pool, 1, 1n, NOW), await charged(pool, 1, 1n, daysAgo(31))];
  await charged(pool, 1, 1n, new Date(daysAgo(31).getTime() - 1));
  await charged(pool, 1, 1n, daysAgo(400));
  assert.equal(await removeOldChargedCards(pool, NOW), false);
  const left = await pool<{ transaction_id: string }[]>`select transaction_id from charged_cards`;
  assert.deepEqual(left.map(({ transaction_id }) => transaction_id).sort(), kept.sort());
  await drop();
});

test("many old ones go in portions, and it is said that there may be more", async () => {
  const { pool, drop } = await freshDatabase();
  await charged(pool, 1_500, 1n, daysAgo(32));
  assert.deepEqual([await removeOldChargedCards(pool, NOW), await removeOldChargedCards(pool, NOW)], [true, false]);
  const [row] = await pool<[{ left: number }]>`select count(*)::int as left from charged_cards`;
  assert.equal(row.left, 0);
  await drop();
});
