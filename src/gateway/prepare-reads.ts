// Prepares in the background what lists and overviews are read from, so that a request reads little more than what is new. Lists: words of
// full blocks, standings of blocks, changes of past days. Overviews: figures by hour and by day.

import { addUpNewestDay, merchantsWithChangedDays } from "../journal/daily-figures.ts";
import type { Sql } from "../journal/database.ts";
import { addUpFigures, merchantsToAddUp } from "../journal/figures.ts";
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
export const startPreparingLists = ({ log }: Pick<Parts, "log">, pool: Sql): { stop(): Promise<void> } =>
  start({ log, pool, failed: "lists could not be prepared" }, [
    { everyMs: BLOCKS_EVERY_MS, merchants: () => merchantsWithBlocks(pool), prepare: prepareBlocks },
    { everyMs: STANDINGS_EVERY_MS, merchants: () => merchantsWithDays(pool), prepare: prepareStandings },
    { everyMs: DAYS_EVERY_MS, merchants: () => merchantsWithDays(pool), prepare: prepareDays },
  ]);

const HOURS_EVERY_MS = 60_000;
/** Of one merchant, before the next has its turn. */
const MOST_DAYS = 30;

/** Goes on until it is stopped. Whoever asks for an overview waits for the last hour at most. */
export const startPreparingFigures = (
  { clock, log }: Pick<Parts, "clock" | "log">,
  pool: Sql,
): { stop(): Promise<void> } =>
  start({ log, pool, failed: "figures could not be added up" }, [
    {
      everyMs: HOURS_EVERY_MS,
      merchants: () => merchantsToAddUp(pool, clock.now()),
      prepare: (asker, merchantId) => addUpFigures(asker, merchantId, clock.now(), MOST_DAYS),
    },
    {
      everyMs: DAYS_EVERY_MS,
      merchants: () => merchantsWithChangedDays(pool, clock.now()),
      prepare: async (asker, merchantId) => {
        while (!asker.signal?.aborted && (await addUpNewestDay(asker, merchantId)));
      },
    },
  ]);

interface Work {
  readonly everyMs: number;
  merchants(): Promise<readonly string[]>;
  prepare(asker: Asker, merchantId: string): Promise<unknown>;
}

interface Background {
  readonly log: Parts["log"];
  readonly pool: Sql;
  /** What the log says if a work fails for a merchant. */
  readonly failed: string;
}

/** Each work does one merchant after the other. If it fails for one, it goes on with the next. */
function start({ log, pool, failed }: Background, works: readonly Work[]): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const round = async ({ merchants, prepare }: Work) => {
    for (const merchantId of await merchants()) {
      if (signal.aborted) break;
      await prepare(exporter(pool, merchantId, signal), merchantId).catch((fault: unknown) => {
        if (!signal.aborted) log.warn({ merchant: merchantId, fault: String(fault) }, failed);
      });
    }
    return "pause" as const;
  };
  const running = works.map((work) => every(work.everyMs, log, () => round(work)));
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(running.map(({ stop }) => stop()));
    },
  };
}

async function prepareBlocks(asker: Asker, merchantId: string): Promise<void> {
  while (await prepareBlock(asker, merchantId));
}

async function prepareDays(asker: Asker, merchantId: string): Promise<void> {
  const settled = await settledBefore(asker);
  while (settled && (await prepareDay(asker, merchantId, settled)));
}
