// `node bin/run.mjs bench/archive.ts [transactions] [sales a second]`: how fast `faregate archive` moves a merchant's old transactions
// out and `faregate archive restore` brings them back, what that does to the sales of the same merchant, and that every row is
// in the database or in the archive, and in the end as it was. Takes some five minutes; everything is gone when it ends.

import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "../src/journal/database.ts";
import { runCommand } from "./command.ts";
import { bigOnesOf } from "./lists/fill.ts";
import { openShop } from "./lists/shop.ts";
import { machineFacts } from "./machine.ts";
import { steadySales } from "./sales-beside.ts";
import { type Undo, undoing } from "./undo.ts";

const TRANSACTIONS = Number(process.argv[2] ?? 100_000);
const SALES_PER_SECOND = Number(process.argv[3] ?? 300);
const WARM_UP_SECONDS = 5;
const ALONE_SECONDS = 15;
const DAY_MS = 86_400_000;
/** Younger ones stay: disputes may come. */
const KEPT_DAYS = 181;
/** Sales may take so much longer beside it. */
const TARGET_TIMES = 3;

const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

await undoing(measure);

async function measure(undo: Undo): Promise<void> {
  const { folder, gateway, sql } = await openShop(undo, TRANSACTIONS, console.log);
  const machine = machineFacts(folder);
  const merchant = gateway.sandbox.merchant_id;
  const old = bigOnesOf(TRANSACTIONS);
  const before = await everyRow(sql, merchant, old);
  const sales = steadySales(undo, gateway, SALES_PER_SECOND);
  sales.phase("warm-up");
  await sleep(WARM_UP_SECONDS * 1000);
  sales.phase("alone");
  await sleep(ALONE_SECONDS * 1000);
  sales.phase("archive");
  const words = ["archive", "--merchant", merchant, "--before", dayAgo(KEPT_DAYS), "--apply"];
  const out = await runCommand(undo, folder, words);
  const archived = await numbersOf(sql, "archived_transactions", merchant, old);
  const live = await numbersOf(sql, "transactions", merchant, old);
  sales.phase("restore");
  const back = await runCommand(undo, folder, [
    "archive",
    "restore",
    "--merchant",
    merchant,
    "--from",
    "2000-01-01",
    "--apply",
  ]);
  const after = await everyRow(sql, merchant, old);
  const figures = await sales.tell();

  console.log(`\n${machine.cores} cores (${machine.processor}), load ${machine.loadBefore.toFixed(1)}`);
  for (const [what, { code, seconds, cpuSeconds, peakMiB }] of Object.entries({ archive: out, restore: back }))
    console.log(
      `${what}: ${archived} transactions in ${seconds.toFixed(1)} s, ${(archived / seconds).toFixed(0)} a second, ` +
        `${cpuSeconds.toFixed(1)} s of CPU, at most ${peakMiB.toFixed(0)} MiB, exit code ${code}`,
    );
  console.table(figures);
  const say = (met: boolean, what: string) => console.log(`  ${met ? "met   " : "MISSED"}  ${what}`);
  say(archived > 0 && archived + live === old, `each is in one place: ${archived} archived and ${live} live of ${old}`);
  say(before === after, "restored, every row is as it was");
  const failed = Object.values(figures).reduce((sum, phase) => sum + phase.failed, 0);
  say(failed === 0, `no sale failed: ${failed}`);
  const times = (figures.archive?.p99Ms ?? Number.NaN) / (figures.alone?.p99Ms ?? Number.NaN);
  say(
    times < TARGET_TIMES,
    `p99 of the sales beside it is ${times.toFixed(1)} times that of sales alone: less than ${TARGET_TIMES}`,
  );
}

async function numbersOf(sql: Sql, table: string, merchant: string, most: number): Promise<number> {
  const [row] = await sql<[{ n: number }]>`
    select count(*)::int4 as n from ${sql(table)} where merchant_id = ${merchant} and number <= ${most}`;
  return row.n;
}

/** A digest of all rows of the transactions that were there from the beginning. */
async function everyRow(sql: Sql, merchant: string, most: number): Promise<string> {
  const [row] = await sql<[{ digest: string }]>`
    select md5(string_agg(md5(t::text || e::text || o::text), '' order by t.number, e.sequence)) as digest
    from transactions t
    join events e on e.merchant_id = t.merchant_id and e.transaction_id = t.id
    join outcomes o on o.merchant_id = e.merchant_id and o.transaction_id = e.transaction_id and o.sequence = e.sequence
    where t.merchant_id = ${merchant} and t.number <= ${most}`;
  return row.digest;
}
