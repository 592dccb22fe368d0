// `node bin/run.mjs bench/reconcile.ts [lines]`: how long `faregate reconcile` takes for a day's books, and the most memory
// that it holds. The journal's side is written straight into the tables, the books are made from it, with some differences
// put in. Everything that it starts or writes is gone when it ends.

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { COLUMNS } from "../acquirer/export.ts";
import type { Sql } from "../src/journal/database.ts";
import { migrate } from "../src/journal/migrate.ts";
import { rrnOf } from "../src/processors/iso8583/messages/envelope.ts";
import { runCommand } from "./command.ts";
import { newFolder, openDatabase } from "./data.ts";
import { machineFacts } from "./machine.ts";
import { type Undo, undoing } from "./undo.ts";

const LINES = Number(process.argv[2] ?? 1_000_000);
/** Every so many lines one is left out, and one has another amount. */
const DIFFERENCE_EVERY = 100_000;
const TARGET_SECONDS = 30;
const TARGET_MIB = 300;
const DAY = "2026-05-15";
const MERCHANT = "00000000-0000-7000-8000-000000000001";
const PROCESSOR = "00000000-0000-7000-8000-000000000002";
const SETTINGS = { host: "127.0.0.1", port: 1, terminal_id: "T1", merchant_id: "M1", acquirer_id: "12345" };

await undoing(measure);

async function measure(undo: Undo): Promise<void> {
  const folder = newFolder(undo);
  const machine = machineFacts(folder);
  const sql = await openDatabase(undo, folder);
  await migrate(sql);
  await journal(sql);
  const file = join(folder, "books.csv");
  const differences = await booksFrom(sql, file);
  const words = ["reconcile", "--processor", PROCESSOR, "--day", DAY, file];
  const { code, seconds, cpuSeconds, peakMiB, stdout } = await runCommand(undo, folder, words);
  const sums = stdout.trimEnd().split("\n").slice(-2).join(" ");
  console.log(`${machine.cores} cores (${machine.processor}), load before ${machine.loadBefore.toFixed(1)}`);
  console.log(`${sums} Exit code ${code}.`);
  console.log(
    `${LINES} lines in ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU, at most ${peakMiB.toFixed(0)} MiB`,
  );
  const say = (met: boolean, what: string) => console.log(`  ${met ? "met   " : "MISSED"}  ${what}`);
  say(stdout.includes(`\n${differences} differences.\n`) && code === 1, `the ${differences} differences are found`);
  say(seconds < TARGET_SECONDS, `within ${TARGET_SECONDS} s`);
  say(peakMiB < TARGET_MIB, `under ${TARGET_MIB} MiB`);
}

/** Sales over the day but for ten minutes at each end. */
async function journal(sql: Sql): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`;
    await tx`
      insert into processors (merchant_id, id, name, kind, currency, enabled, in_rotation, requires, settlement, settings,
        created_at, updated_at)
      values (${MERCHANT}, ${PROCESSOR}, 'Acquirer', 'iso8583', 'USD', true, true,
        '{"cvv":[],"names":false,"document":false}', '{"auto_capture_at":null,"cutoff_at":"22:00","settled_at":"02:00","visible_at":"02:20"}',
        ${sql.json(SETTINGS)}, now(), now())`;
    await tx`
      insert into events (merchant_id, transaction_id, sequence, id, type, amount, processor_id, reversal, node_id, created_at)
      select ${MERCHANT}, uuidv7(), 1, uuidv7(), 'sale', 100 + n, ${PROCESSOR}, false, 0,
        ${`${DAY}T00:10:00Z`}::timestamptz + n * interval '1 second' * 85200 / ${LINES}::int
      from generate_series(1, ${LINES}::int) n`;
    await tx`
      insert into outcomes (merchant_id, transaction_id, sequence, kind, processor_code, processor_message, created_at)
      select merchant_id, transaction_id, sequence, 'approved', '00', 'APPROVED', created_at + interval '0.1 seconds'
      from events`;
  });
  // As the server does by itself within a minute.
  await sql`analyze`;
}

type Event = { id: string; transaction_id: string; amount: string; created_at: Date; at: string };

async function* eventsInOrder(sql: Sql): AsyncGenerator<readonly Event[]> {
  const atOnce = 10_000;
  for (let after = sql``; ; ) {
    const events = await sql<Event[]>`
      select id, transaction_id, amount, created_at, created_at::text as at from events ${after}
      order by merchant_id, created_at, transaction_id limit ${atOnce}`;
    yield events;
    const last = events[atOnce - 1];
    if (last === undefined) return;
    after = sql`where (created_at, transaction_id) > (${last.at}, ${last.transaction_id})`;
  }
}

/** @returns how many differences were put in */
async function booksFrom(sql: Sql, file: string): Promise<number> {
  const books = createWriteStream(file);
  books.write(`${COLUMNS.join(",")}\n`);
  let [lines, differences] = [0, 0];
  for await (const some of eventsInOrder(sql)) {
    let text = "";
    for (const { id, transaction_id, amount, created_at } of some) {
      const lost = ++lines % DIFFERENCE_EVERY === 0;
      const other = lines % DIFFERENCE_EVERY === 1;
      if (lost || other) differences++;
      if (lost) continue;
      const booked = String(BigInt(amount) + (other ? 1n : 0n));
      text += `${created_at.toISOString()},sale,T1,M1,${rrnOf(id)},000001,${booked.slice(0, -2)}.${booked.slice(-2)},840,411111******1111,00,ABC123,acq-${id.slice(0, 24)},,${transaction_id}\n`;
    }
    if (!books.write(text)) await once(books, "drain");
  }
  books.end();
  await once(books, "close");
  return differences;
}
