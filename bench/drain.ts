// `node bin/run.mjs bench/drain.ts [reversals] [sales a second]`: how long reversals that gathered while an acquirer's host
// was away take to drain when it is back, and what that does to the sales of another processor record beside it.
// Everything that it starts or writes is gone when it ends.

import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "../src/journal/database.ts";
import { acquirerHost, recordFor } from "./acquirer.ts";
import { newFolder, openDatabase } from "./data.ts";
import { launchGateway, type RunningGateway } from "./gateway.ts";
import { machineFacts } from "./machine.ts";
import { steadySales } from "./sales-beside.ts";
import { type Undo, undoing } from "./undo.ts";

const REVERSALS = Number(process.argv[2] ?? 10_000);
const SALES_PER_SECOND = Number(process.argv[3] ?? 50);
const WARM_UP_SECONDS = 5;
const ALONE_SECONDS = 10;
const AWAY_SECONDS = 10;
const POLL_MS = 50;
const TARGET_SECONDS = 120;
const GIVEN_UP_SECONDS = 180;

await undoing(measure);

async function measure(undo: Undo): Promise<void> {
  const folder = newFolder(undo);
  const machine = machineFacts(folder);
  const host = await acquirerHost(undo, join(folder, "books"));
  const gateway = await (await undo.started(launchGateway(["src/main.ts"], folder))).ready;
  const sql = await openDatabase(undo, folder);
  const processorId = await recordFor(gateway, host);
  const sales = steadySales(undo, gateway, SALES_PER_SECOND);
  sales.phase("warm-up");
  await sleep(WARM_UP_SECONDS * 1000);
  sales.phase("alone");
  await sleep(ALONE_SECONDS * 1000);
  sales.phase("away");
  const back = host.outage(AWAY_SECONDS * 1000);
  await unanswered(sql, gateway, processorId);
  await back;
  const whileAway = await left(sql);
  sales.phase("drain");
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  let first = Number.NaN;
  for (let now = whileAway; now > 0; now = await left(sql)) {
    if (now < whileAway && Number.isNaN(first)) first = seconds();
    if (seconds() > GIVEN_UP_SECONDS) throw new Error(`${now} are still left`);
    await sleep(POLL_MS);
  }
  const drained = seconds();
  const figures = await sales.tell();
  const [{ confirmed, attempts }] = await sql<[{ confirmed: number; attempts: number }]>`
    select count(*)::int as confirmed, (select count(*)::int from trace_numbers) as attempts from confirmed_reversals`;
  console.log(`${machine.cores} cores (${machine.processor}), load before ${machine.loadBefore.toFixed(1)}`);
  console.log(`${whileAway} of ${REVERSALS} left after ${AWAY_SECONDS} s without a host, ${confirmed} confirmed after`);
  console.log(
    `drained in ${drained.toFixed(1)} s, ${(whileAway / drained).toFixed(0)} a second; the first after ${first.toFixed(1)} s`,
  );
  console.table(figures);
  const say = (met: boolean, what: string) => console.log(`  ${met ? "met   " : "MISSED"}  ${what}`);
  say(confirmed === REVERSALS && attempts === REVERSALS, "each charge was taken back, under one trace number");
  say(drained < TARGET_SECONDS, `within ${TARGET_SECONDS} s`);
  say(figures.drain?.failed === 0, "no sale beside it failed");
}

/** As an hour's outage leaves them: charges that were never answered, none of which was tried again yet. */
async function unanswered(sql: Sql, { sandbox }: RunningGateway, processorId: string): Promise<void> {
  const merchant = sandbox.merchant_id;
  const at = new Date(Date.now() - 3_600_000);
  await sql.begin(async (tx) => {
    const [counter] = await tx<[{ before: string }]>`
      update merchant_counters set transactions = transactions + ${REVERSALS} where merchant_id = ${merchant}
      returning transactions - ${REVERSALS} as before`;
    await tx`
      create temporary table lost on commit drop as
      select uuidv7() as id, uuidv7() as event_id, nth from generate_series(1, ${REVERSALS}::int) as nth`;
    await tx`
      insert into transactions (merchant_id, id, number, user_id, created_at, currency, card_mask, card_first_six, card_brand,
        card_expiry_month, card_expiry_year, merchant_transaction_id)
      select ${merchant}, id, ${counter.before}::bigint + nth, ${sandbox.user_id}, ${at}, 'USD', '411111******1111', '411111',
        'visa', '12', '2039', 'lost-' || nth from lost`;
    await tx`
      insert into events (merchant_id, transaction_id, sequence, id, type, amount, processor_id, reversal, node_id, created_at)
      select ${merchant}, id, 1, event_id, 'sale', 356, ${processorId}, false, 0, ${at} from lost`;
    await tx`
      insert into outcomes (merchant_id, transaction_id, sequence, kind, processor_code, processor_message, created_at)
      select ${merchant}, id, 1, 'unanswered', '91', 'NO ANSWER', ${at} from lost`;
    await tx`
      insert into unresolved (merchant_id, transaction_id, sequence, processor_id, remedy, attempts, due_at, created_at)
      select ${merchant}, id, 1, ${processorId}, 'reverse', 0, ${at}, ${at} from lost`;
  });
}

async function left(sql: Sql): Promise<number> {
  const [{ left }] = await sql<[{ left: number }]>`select count(*)::int as left from unresolved`;
  return left;
}
