// `node bin/run.mjs bench/lists/indexes.ts [transactions] [sales]`: what the indexes that lists are filtered by cost a sale, and what a
// transaction takes on disk: the database's CPU time and log for a sale with them, without them, and with them again, on a table with a
// million transactions, or so many. CPU time hardly depends on what else the machine does. Takes some five minutes.

import type { Sql } from "../../src/journal/database.ts";
import { TARGET_CONNECTIONS } from "../plan.ts";
import { type Measured, openSender } from "../sender.ts";
import { median } from "../statistics.ts";
import { undoing } from "../undo.ts";
import { openShop, type Shop } from "./shop.ts";

const TRANSACTIONS = Number(process.argv[2] ?? 1_000_000);
const SALES = Number(process.argv[3] ?? 3_000);
const ROUNDS = 5;
const TARGET_SHARE = 1 / 3;

/** Each is looked up by lists alone; the index of the number carries words for them. */
const OF_FILTERS = [
  ...["transactions_by_order", "transactions_by_email", "transactions_by_last_name", "transactions_by_phone"],
  ...["transactions_by_zip", "transactions_by_shipping_city", "transactions_by_shipping_zip", "outcomes_by_auth_code"],
];

interface Cost {
  readonly databaseMicros: number;
  readonly walBytes: number;
  readonly salesPerSecond: number;
}

await undoing(async (undo) => {
  const sender = openSender();
  undo.add(sender.close);
  const shop = await openShop(undo, TRANSACTIONS, console.log);
  await sizes(shop.sql);
  const measure = async (): Promise<Cost> => {
    const rounds: (Measured & { readonly walBytes: number })[] = [];
    await sender.send(shop.gateway, TARGET_CONNECTIONS, { sales: SALES });
    for (let round = 0; round < ROUNDS; round++) {
      const before = await walAt(shop.sql);
      const measured = await sender.send(shop.gateway, TARGET_CONNECTIONS, { sales: SALES });
      rounds.push({ ...measured, walBytes: (await walAt(shop.sql)) - before });
    }
    const of = (value: (round: (typeof rounds)[number]) => number) => median(rounds.map(value));
    return {
      databaseMicros: Math.round(of(({ databaseMicrosPerSale }) => databaseMicrosPerSale)),
      walBytes: Math.round(of(({ walBytes, sales }) => walBytes / sales)),
      salesPerSecond: Math.round(of(({ salesPerSecond }) => salesPerSecond)),
    };
  };
  const withThem = await measure();
  const restore = await dropped(shop);
  const without = await measure();
  await restore();
  const again = await measure();
  console.table({ "with filters' indexes": withThem, without, "with them again": again });
  const cost = (withThem.databaseMicros + again.databaseMicros) / 2;
  const share = 1 - without.databaseMicros / cost;
  const met = share <= TARGET_SHARE ? "met   " : "MISSED";
  console.log(`  ${met}  they are ${(share * 100).toFixed(0)} % of the database's work for a sale: at most a third`);
});

async function walAt(sql: Sql): Promise<number> {
  const [row] = await sql<[{ bytes: number }]>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`;
  return row.bytes;
}

/** @returns what makes them again */
async function dropped({ sql }: Shop): Promise<() => Promise<void>> {
  const definitions = await sql<{ name: string; definition: string }[]>`
    select indexname as name, indexdef as definition from pg_indexes where indexname = any(${OF_FILTERS})`;
  const change = (texts: readonly string[]) =>
    sql.begin(async (one) => {
      await one`set local statement_timeout = 0`;
      for (const text of texts) await one.unsafe(text);
    });
  const [number] = await sql<[{ definition: string }]>`
    select indexdef as definition from pg_indexes where indexname = 'transactions_by_number'`;
  await change([
    ...OF_FILTERS.map((name) => `drop index ${name}`),
    "drop index transactions_by_number",
    "create unique index transactions_by_number on transactions (merchant_id, number)",
  ]);
  return async () => {
    await change([
      "drop index transactions_by_number",
      number.definition,
      ...definitions.map(({ definition }) => definition),
    ]);
  };
}

/** Of a transaction of one event, and every fifth of two. */
async function sizes(sql: Sql): Promise<void> {
  const rows = await sql<{ name: string; bytes: number }[]>`
    select relname || case when kind = 'r' then '' else ' (indexes)' end as name, bytes / n as bytes
    from pg_stat_user_tables s, (select count(*)::float8 as n from transactions) c,
      lateral (values ('r', pg_table_size(relid)), ('i', pg_indexes_size(relid))) as v(kind, bytes)
    where relname in ('transactions', 'events', 'outcomes') order by relname, kind desc`;
  console.log("\nBytes on disk for each transaction:");
  for (const { name, bytes } of rows) console.log(`  ${name.padEnd(24)} ${bytes.toFixed(0).padStart(6)}`);
  console.log(
    `  ${"together".padEnd(24)} ${rows
      .reduce((sum, { bytes }) => sum + bytes, 0)
      .toFixed(0)
      .padStart(6)}`,
  );
}
