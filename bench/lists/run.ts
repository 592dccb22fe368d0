// `node bench/lists/run.ts [transactions]` measures lists over five million transactions, or so many: each list once as it is
// asked for the first time, then the median of twenty. Takes some minutes and 10 GB in the temporary folder, all of which is
// gone when it ends.

import { loadavg } from "node:os";
import { performance } from "node:perf_hooks";
import type { Sql } from "../../src/journal/database.ts";
import { migrate } from "../../src/journal/migrate.ts";
import type { ListFilter } from "../../src/journal/search/list-filter.ts";
import { PAGE_SIZE, streamMatches } from "../../src/journal/search/lists.ts";
import { listPage } from "../../test/fixtures/whole-page.ts";
import { newFolder, openDatabase } from "../data.ts";
import { percentile } from "../statistics.ts";
import { undoing } from "../undo.ts";
import { CASES } from "./cases.ts";
import { BIG, fill } from "./fill.ts";

const TRANSACTIONS = Number(process.argv[2] ?? 5_000_000);
const TIMES = 20;
const STREAMED = 100_000;

const say = (line: string) => console.log(line);
await undoing(async (undo) => {
  const sql = await openDatabase(undo, newFolder(undo), say);
  await migrate(sql);
  await fill(sql, TRANSACTIONS, say);
  await measure(sql);
});

async function measure(sql: Sql): Promise<void> {
  // The tables' pages and the connections are there before anything is measured.
  await Promise.all(Array.from({ length: 8 }, () => listPage(sql, BIG, {}, 1)));
  say(`\nLoad before: ${(loadavg()[0] ?? 0).toFixed(1)}. Milliseconds; ${TIMES} times each.\n`);
  say(line(["", "page", "matches", "first", "least", "median"]));
  for (const { what, filter, pages } of CASES) {
    const [firstMs, { total }] = await timed(() => listPage(sql, BIG, filter, 1));
    const last = Math.max(Math.ceil(total / PAGE_SIZE), 1);
    for (const [index, share] of pages.entries()) {
      const page = Math.max(Math.round(share * last), 1);
      const times = await warm(sql, filter, page);
      const first = index === 0 ? firstMs.toFixed(1) : "";
      say(line([what, page, total, first, times[0]?.toFixed(1) ?? "", percentile(times, 0.5).toFixed(1)]));
    }
  }
  await stream(sql);
}

/** Ascending. */
async function warm(sql: Sql, filter: ListFilter, page: number): Promise<number[]> {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time++) times.push((await timed(() => listPage(sql, BIG, filter, page)))[0]);
  return times.sort((a, b) => a - b);
}

async function timed<T>(work: () => Promise<T>): Promise<[ms: number, result: T]> {
  const startedAt = performance.now();
  const result = await work();
  return [performance.now() - startedAt, result];
}

async function stream(sql: Sql): Promise<void> {
  const startedAt = performance.now();
  let rows = 0;
  for await (const portion of streamMatches(sql, BIG, { startsWith: { city: "Oslo" } })) {
    rows += portion.length;
    if (rows >= STREAMED) break;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  say(`\nA stream: ${(rows / seconds).toFixed(0)} transactions a second`);
}

function line([what, ...others]: readonly (string | number)[]): string {
  return `${String(what).padEnd(30)}${others.map((cell) => String(cell).padStart(10)).join("")}`;
}
