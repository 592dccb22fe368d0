// Transactions of 20 merchants, one of which has three fifths of them, over the two years up to yesterday; every fifth was followed by
// a refund up to four days later. Written straight into the tables, in the order of time.

import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "../../src/journal/database.ts";
import { lister } from "../../src/journal/search/ask.ts";
import { merchantsWithDays, prepareDay } from "../../src/journal/search/daily-changes.ts";
import { merchantsWithBlocks, prepareBlock } from "../../src/journal/search/prepare-blocks.ts";
import { prepareSome } from "../../src/journal/search/prepare-standings.ts";
import type { TransactionSql } from "../../src/journal/sql/sql.ts";

const DAY_MS = 86_400_000;
export const DAYS = 730;
export const BEGIN = Math.floor(Date.now() / DAY_MS - DAYS - 1) * DAY_MS;
/** One of three who sent the transactions. */
export const USER = "00000000-0000-7000-9000-000000000001";

export interface Filling {
  readonly transactions: number;
  /** The merchant that has most of them. */
  readonly big: string;
  readonly processorId: string;
}

/** What a merchant of each size has, and where the big one's oldest and newest orders have prefixes of their own. */
export const bigOnesOf = (transactions: number): number => Math.floor(transactions / 5) * 3;
export const SPECIAL = 0.01;

/** In bounded time: some five minutes for five million, on two cores. Takes some 10 GB. */
export async function fill(pool: Sql, filling: Filling, say: (line: string) => void): Promise<void> {
  await pool.begin(async (sql) => {
    await sql`set local statement_timeout = 0`;
    await sql`set local maintenance_work_mem = '512MB'`;
    // Indexes are made at the end, which is several times quicker.
    const indexes = await sql<{ name: string; definition: string }[]>`
      select indexname as name, indexdef as definition from pg_indexes
      where tablename = 'transactions' and indexname <> 'transactions_pkey'`;
    for (const { name } of indexes) await sql`drop index ${sql(name)}`;
    say(`${filling.transactions} transactions`);
    await fillTransactions(sql, filling);
    say("events and outcomes");
    await fillEvents(sql, filling);
    say("indexes");
    for (const { definition } of indexes) await sql.unsafe(definition);
  });
  say("vacuum");
  const alone = await pool.reserve();
  await alone`set statement_timeout = 0`;
  await alone`vacuum (analyze) transactions, events, outcomes, merchant_counters`;
  alone.release();
  say("words and standings of blocks, changes of past days");
  await prepareLists(pool);
}

/** What a gateway does in the background, at a quarter of this speed, and perhaps at this moment. */
async function prepareLists(pool: Sql): Promise<void> {
  const settled = new Date(Date.now() - 60_000);
  const all = (work: (merchantId: string) => Promise<boolean>) => async (merchants: readonly string[]) => {
    for (const merchantId of merchants) while (await work(merchantId));
  };
  const blocks = all((id) => prepareBlock(lister(pool, id), id));
  const standings = all((id) => prepareSome(lister(pool, id), id));
  const days = all((id) => prepareDay(lister(pool, id), id, settled));
  for (let left = true; left; ) {
    await blocks(await merchantsWithBlocks(pool));
    await days(await merchantsWithDays(pool));
    await standings(await merchantsWithDays(pool));
    // What the gateway was just at.
    await sleep(1_000);
    const [row] = await pool<[{ left: boolean }]>`
      select exists (select from merchant_counters c where (c.transactions + 1) >> 16 > (
          select count(distinct block) from block_words w where w.merchant_id = c.merchant_id and w.field = 'zip'))
        or (select max(day) from daily_changes) < ${new Date(settled.getTime() - 5 * DAY_MS)} as left`;
    left = row.left;
  }
}

async function fillTransactions(sql: TransactionSql, { transactions, big }: Filling): Promise<void> {
  const special = Math.floor(bigOnesOf(transactions) * SPECIAL);
  const newest = bigOnesOf(transactions) - special;
  await sql`
    insert into transactions
    select merchant, id, number, ('00000000-0000-7000-9000-00000000000' || (i % 3))::uuid, at, 'USD', '411111******1111',
      (400000 + (one % 997))::text, 'visa', '12', '2031',
      case when merchant <> ${big} then '' when number <= ${special} then 'old-' when number > ${newest} then 'new-' else 'order-' end
        || lpad(number::text, 8, '0'),
      'First' || (one % 2003), 'Last' || (two % 20011), 'u' || one || '.' || number || '@example.com',
      '1514' || lpad((two % 10000000)::text, 7, '0'), case when one % 2 = 0 then 'Oslo' else 'City' || (two % 3001) end,
      (array['CA', 'NY', 'TX', 'WA', 'QC', 'ON', 'FL', 'IL'])[1 + one % 8], (10000 + two % 80000)::text,
      'City' || (one % 3001), (array['CA', 'NY', 'TX', 'WA', 'QC', 'ON', 'FL', 'IL'])[1 + two % 8], (10000 + one % 80000)::text,
      '{"fields": {"street_address_1": "1 Main Street", "country": "US"}}'::json, null, 64, '1111', 1234
    from (
      select i, case when i % 5 < 3 then ${big}::uuid
          else ('00000000-0000-7000-8000-0000000001' || lpad(((i / 5 * 2 + i % 5 - 3) % 19)::text, 2, '0'))::uuid end as merchant,
        case when i % 5 < 3 then i / 5 * 3 + i % 5 + 1 else (i / 5 * 2 + i % 5 - 3) / 19 + 1 end as number,
        ${new Date(BEGIN)}::timestamptz + i * (${DAYS} * interval '1 day' / ${transactions}::int) as at,
        -- In the order of time, as UUIDs of version 7 are.
        (lpad(to_hex(i), 12, '0') || '70008' || lpad(to_hex(abs(hashint4(i))), 15, '0'))::uuid as id,
        abs(hashint4(i)) as one, abs(hashint4(i + 100000000)) as two
      from generate_series(0, ${transactions}::int - 1) i) g`;
  await sql`
    insert into merchant_counters select merchant_id, max(number), max(created_at) from transactions group by merchant_id
    on conflict (merchant_id) do update set transactions = excluded.transactions`;
}

async function fillEvents(sql: TransactionSql, { processorId }: Filling): Promise<void> {
  await sql`
    insert into events select merchant_id, id, 1, id, 'sale', 1234, null, ${processorId}, '192.0.2.1', false, 1, created_at
    from transactions`;
  await sql`
    insert into events
    select merchant_id, id, 2, gen_random_uuid(), 'refund', 1234, null, ${processorId}, null, false, 1,
      created_at + (number % 41) * interval '0.1 day'
    from transactions where number % 5 = 0`;
  await sql`
    insert into outcomes (merchant_id, transaction_id, sequence, kind, processor_code, processor_message,
      processor_transaction_id, auth_code, created_at)
    select merchant_id, transaction_id, sequence, 'approved', '00', 'APPROVED', transaction_id::text, 'ABC123', created_at
    from events`;
}
