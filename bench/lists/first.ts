// `node bin/run.mjs bench/lists/first.ts [transactions]`: what a list takes whose filter nobody asked for before, with full blocks and past
// days prepared, and without; that totals are the same; and what it costs the database to prepare a block. Without a gateway, so nothing
// else asks. Takes some three minutes with a million transactions, or so many; all is gone when it ends.

import { performance } from "node:perf_hooks";
import { parseList } from "../../src/api/parse-list.ts";
import { type DatabaseAddress, openPool, type Sql } from "../../src/journal/database.ts";
import { startEmbedded } from "../../src/journal/embedded/embedded.ts";
import { migrate } from "../../src/journal/migrate.ts";
import { lister } from "../../src/journal/search/ask.ts";
import { BLOCK_SIZE } from "../../src/journal/search/block-set.ts";
import { findPage } from "../../src/journal/search/lists.ts";
import { forgetBlocks, prepareBlock } from "../../src/journal/search/prepare-blocks.ts";
import { prepareSome } from "../../src/journal/search/prepare-standings.ts";
import { newFolder } from "../data.ts";
import { machineFacts } from "../machine.ts";
import { cpuMicros } from "../processes.ts";
import { median } from "../statistics.ts";
import { type Undo, undoing } from "../undo.ts";
import { CASES } from "./cases.ts";
import { fill } from "./fill.ts";

const TRANSACTIONS = Number(process.argv[2] ?? 1_000_000);
const MERCHANT = "00000000-0000-7000-8000-000000000999";
const TIMES = 3;

interface First {
  readonly ms: number;
  readonly total: number;
}

await undoing(measure);

async function measure(undo: Undo): Promise<void> {
  const folder = newFolder(undo);
  const { cores, processor, loadBefore } = machineFacts(folder);
  console.log(`${cores} cores (${processor}), load before ${loadBefore.toFixed(1)}`);
  const { connection } = await undo.started(startEmbedded({ dataFolder: folder, log: () => undefined }));
  const sql = openPool(connection, "measurement");
  undo.add(() => sql.end());
  await migrate(sql);
  const now = new Date();
  await sql`insert into nodes (started_at, seen_at, clear_before) values (${now}, ${now}, ${now})`;
  await fill(sql, { transactions: TRANSACTIONS, big: MERCHANT, processorId: MERCHANT }, console.log);
  await tellCost(sql);
  await tellCostOfStandings(sql, connection);
  const prepared = await firsts(connection);
  await sql`truncate block_words, block_standings, daily_changes`;
  const unprepared = await firsts(
    connection,
    CASES.filter(({ onlyPrepared }) => !onlyPrepared),
  );
  console.log(["".padEnd(32), ...["matches", "prepared", "not"].map((word) => word.padStart(10))].join(""));
  for (const { what } of CASES) {
    const [one, other] = [prepared.get(what), unprepared.get(what)];
    const figures = [`${one?.total}`, one?.ms.toFixed(1), other?.ms.toFixed(1) ?? "refused"];
    console.log([what.padEnd(32), ...figures.map((text = "") => text.padStart(10))].join(""));
    if (other && one?.total !== other.total) console.log(`WRONG  ${one?.total} and ${other.total}`);
  }
  for (const [name, all] of Object.entries({ prepared, "not prepared": unprepared })) {
    const times = [...all.values()].map(({ ms }) => ms);
    console.log(`${name}: ${median(times).toFixed(1)} ms at the median, ${Math.max(...times).toFixed(1)} at most`);
  }
}

/** Each asked by a process, so to speak, that knows nothing yet. */
async function firsts(address: DatabaseAddress, cases = CASES): Promise<ReadonlyMap<string, First>> {
  const found = new Map<string, First>();
  for (const { what, search } of cases) {
    const { filter } = parseList({ search: { ...search } }, new Date());
    const times: number[] = [];
    let total = 0;
    for (let time = 0; time < TIMES; time++) {
      const pool = openPool(address, "a process", { connections: 4 });
      const page = async (asked: typeof filter) => {
        const answer = await findPage(pool, MERCHANT, asked, 1);
        for await (const _ of answer.portions());
        return answer.total;
      };
      await Promise.all([page({}), page({}), page({})]); // connections are open
      const startedAt = performance.now();
      total = await page(filter);
      times.push(performance.now() - startedAt);
      await pool.end();
    }
    found.set(what, { ms: median(times), total });
  }
  return found;
}

/** By the CPU time of the server's process, which hardly depends on what else the machine does. */
async function tellCost(sql: Sql): Promise<void> {
  const asker = lister(sql, MERCHANT);
  await sql.begin((one) => forgetBlocks(one, MERCHANT, [1]));
  const pids = (
    await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = 'measurement'`
  ).map(({ pid }) => pid);
  const cpu = () => pids.reduce((sum, pid) => sum + cpuMicros(pid), 0);
  const [before, startedAt] = [cpu(), performance.now()];
  while (await prepareBlock(asker, MERCHANT));
  const [took, ms] = [cpu() - before, performance.now() - startedAt];
  const [row] = await sql<[{ bytes: number }]>`
    select (pg_total_relation_size('block_words') / (select count(distinct (merchant_id, block)) from block_words))::float8 as bytes`;
  console.log(
    `A block is prepared in ${ms.toFixed(0)} ms, ${(took / 1000).toFixed(0)} ms of CPU: ${(took / BLOCK_SIZE).toFixed(1)} µs a sale. ` +
      `It takes ${(row.bytes / 1e6).toFixed(1)} MB, ${(row.bytes / BLOCK_SIZE).toFixed(0)} bytes a transaction.\n`,
  );
}

/** As by a process that finds nothing stored. */
async function tellCostOfStandings(sql: Sql, address: DatabaseAddress): Promise<void> {
  await sql`truncate block_standings`;
  const pool = openPool(address, "standings", { connections: 1 });
  const [{ pid }] = await pool<[{ pid: number }]>`select pg_backend_pid() as pid`;
  const [before, startedAt] = [cpuMicros(pid), performance.now()];
  while (await prepareSome(lister(pool, MERCHANT), MERCHANT));
  const [took, ms] = [cpuMicros(pid) - before, performance.now() - startedAt];
  await pool.end();
  const [row] = await sql<[{ numbers: number; bytes: number }]>`
    select (select transactions::float8 from merchant_counters where merchant_id = ${MERCHANT}) as numbers,
      pg_total_relation_size('block_standings')::float8 as bytes`;
  console.log(
    `Standings of ${row.numbers} transactions are prepared in ${ms.toFixed(0)} ms: ${(took / row.numbers).toFixed(1)} µs of CPU a transaction. ` +
      `They take ${(row.bytes / row.numbers).toFixed(1)} bytes a transaction.\n`,
  );
}
