// `node bin/run.mjs bench/lists/run.ts [transactions] [sales a second]`: pages of lists over HTTP while sales go on, first with 10,000
// transactions, then with five million, or so many. Each list is asked for twenty times, page by page, and the first time counts too;
// what gateways prepare in the background is prepared before.
// Takes some ten minutes and 12 GB in the temporary folder, all of which is gone when it ends.

import { performance } from "node:perf_hooks";
import { PAGE_SIZE } from "../../src/journal/search/lists.ts";
import { machineFacts } from "../machine.ts";
import { steadySales } from "../sales-beside.ts";
import { ascending, median, percentile } from "../statistics.ts";
import { undoing } from "../undo.ts";
import { CASES, type Case } from "./cases.ts";
import { openShop, type Shop } from "./shop.ts";
import { wrongTotals } from "./totals.ts";

const TRANSACTIONS = Number(process.argv[2] ?? 5_000_000);
const SALES_PER_SECOND = Number(process.argv[3] ?? 300);
const FEW = 10_000;
const TIMES = 20;
const WARM_UP_MS = 5_000;
const ANSWERED_WITHIN_MS = 120_000;
const TARGET = { p50Ms: 20, p99Ms: 60, growth: 1.5 };

const say = (line: string) => console.log(line);

interface Lists {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly wrong: readonly string[];
  readonly failedSales: number;
}

const few = await listsOf(FEW);
const many = await listsOf(TRANSACTIONS);
const met = (reached: boolean, what: string) => say(`  ${reached ? "met   " : "MISSED"}  ${what}`);
say("");
met(many.p50Ms <= TARGET.p50Ms, `the median of all pages is ${many.p50Ms.toFixed(1)} ms: at most ${TARGET.p50Ms}`);
met(
  many.p99Ms <= TARGET.p99Ms,
  `the 99th percentile of all pages is ${many.p99Ms.toFixed(1)} ms: at most ${TARGET.p99Ms}`,
);
const growth = many.p50Ms / few.p50Ms;
met(growth < TARGET.growth, `the median is ${growth.toFixed(2)} times that of ${FEW}: less than ${TARGET.growth}`);
met(many.wrong.length === 0, `every total is exact: ${many.wrong.length} are not`);
met(many.failedSales === 0, `no sale failed: ${many.failedSales}`);

async function listsOf(transactions: number): Promise<Lists> {
  let lists: Lists | undefined;
  await undoing(async (undo) => {
    const shop = await openShop(undo, transactions, say);
    const machine = machineFacts(shop.folder);
    say(
      `\n${machine.cores} cores (${machine.processor}), load ${machine.loadBefore.toFixed(1)}. ${TIMES} pages each, ms.\n`,
    );
    const sales = steadySales(undo, shop.gateway, SALES_PER_SECOND);
    sales.phase("before");
    await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
    sales.phase("beside lists");
    const { all, firsts } = await measured(shop);
    const phases = await sales.tell();
    console.table(phases);
    sales.stop();
    const p50Ms = percentile(ascending(all), 0.5);
    const p99Ms = percentile(ascending(all), 0.99);
    say(`All ${all.length} pages: ${p50Ms.toFixed(1)} at the median, ${p99Ms.toFixed(1)} at the 99th percentile.`);
    say(
      `The ${firsts.length} first ones: ${median(firsts).toFixed(1)} at the median, ${Math.max(...firsts).toFixed(1)} at most.`,
    );
    const wrong = await wrongTotals(shop, (search, page) => list(shop, search, page));
    for (const one of wrong) say(`WRONG  ${one}`);
    const failedSales = Object.values(phases).reduce((sum, { failed }) => sum + failed, 0);
    lists = { p50Ms, p99Ms, wrong, failedSales };
  });
  if (lists === undefined) throw new Error("The measurement was stopped.");
  return lists;
}

async function measured(shop: Shop): Promise<{ readonly all: readonly number[]; readonly firsts: readonly number[] }> {
  const [all, firsts]: [number[], number[]] = [[], []];
  say(["".padEnd(32), ...["matches", "first", "median", "p99"].map((word) => word.padStart(10))].join(""));
  for (const one of CASES) {
    const { total, times } = await pagesOf(shop, one);
    all.push(...times);
    firsts.push(times[0] ?? 0);
    const sorted = ascending(times);
    const figures = [times[0] ?? 0, percentile(sorted, 0.5), percentile(sorted, 0.99)].map((ms) => ms.toFixed(1));
    say([one.what.padEnd(32), ...[`${total}`, ...figures].map((word) => word.padStart(10))].join(""));
  }
  return { all, firsts };
}

async function pagesOf(shop: Shop, { search, pages }: Case) {
  const times: number[] = [];
  let total = 0;
  for (let time = 0; time < TIMES; time++) {
    const last = Math.max(Math.ceil(total / PAGE_SIZE), 1);
    const page = Math.max(Math.round((pages[time % pages.length] ?? 0) * last), 1);
    const startedAt = performance.now();
    total = await list(shop, search, page);
    times.push(performance.now() - startedAt);
  }
  return { total, times };
}

/** @returns the total */
async function list({ gateway: { url, sandbox } }: Shop, search: Case["search"], page: number): Promise<number> {
  const filters = Object.entries(search).map(([name, value]) => [`search[${name}]`, value]);
  const query = new URLSearchParams(Object.fromEntries([...filters, ["page", `${page}`]]));
  const response = await fetch(`${url}/api/transactions?${query}`, {
    headers: { authorization: `Bearer ${sandbox.api_token}` },
    signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
  });
  const body = (await response.json()) as { meta?: { total: number } };
  if (body.meta === undefined) throw new Error(`${query}: ${response.status} ${JSON.stringify(body)}`);
  return body.meta.total;
}
