// Prepares in the background what lists find first-asked filters, events and old changes by: words of full blocks, standings of blocks,
// changes of past days.

import type { Sql } from "../journal/database.ts";
import { type Asker, exporter } from "../journal/search/ask.ts";
import { settledBefore } from "../journal/search/changed.ts";
import { merchantsWithDays, prepareDay } from "../journal/search/daily-changes.ts";
import { merchantsWithBlocks, prepareBlock } from "../journal/search/prepare-blocks.ts";
import { prepareStandings } from "../journal/search/prepare-standings.ts";
import { every } from "./every.ts";
import type { Parts } from "./parts.ts";

/** A merchant with hundreds of sales a second fills a block in some minutes. */
const BLOCKS_EVERY_MS = 20_000;
/** What is new meanwhile, a list reads from rows. */
const STANDINGS_EVERY_MS = 20_000;
const DAYS_EVERY_MS = 10 * 60_000;

/** Goes on until it is stopped. */
export function startPreparing({ log }: Pick<Parts, "log">, pool: Sql): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** What fails for one merchant keeps no other waiting. */
  const round = (merchants: (sql: Sql) => Promise<readonly string[]>, prepare: Prepare) => async () => {
    for (const merchantId of await merchants(pool)) {
      if (signal.aborted) break;
      await prepare(exporter(pool, merchantId, signal), merchantId).catch((fault: unknown) => {
        if (!signal.aborted) log.warn({ merchant: merchantId, fault: String(fault) }, "lists could not be prepared");
      });
    }
    return "pause" as const;
  };
  const works = [
    every(BLOCKS_EVERY_MS, log, round(merchantsWithBlocks, prepareBlocks)),
    every(STANDINGS_EVERY_MS, log, round(merchantsWithDays, prepareStandings)),
    every(DAYS_EVERY_MS, log, round(merchantsWithDays, prepareDays)),
  ];
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(works.map((work) => work.stop()));
    },
  };
}

type Prepare = (asker: Asker, merchantId: string) => Promise<void>;

async function prepareBlocks(asker: Asker, merchantId: string): Promise<void> {
  while (await prepareBlock(asker, merchantId));
}

async function prepareDays(asker: Asker, merchantId: string): Promise<void> {
  const settled = await settledBefore(asker);
  while (settled && (await prepareDay(asker, merchantId, settled)));
}
