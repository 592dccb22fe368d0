// Adds up the figures of overviews in the background: by the hour, so that whoever asks for one waits for the last hour at most, and
// by the day.

import { addUpOldestDay, merchantsWithChangedDays } from "../journal/daily-figures.ts";
import type { Sql } from "../journal/database.ts";
import { addUpFigures, merchantsToAddUp } from "../journal/figures.ts";
import { exporter } from "../journal/search/ask.ts";
import { every } from "./every.ts";
import type { Parts } from "./parts.ts";

const EVERY_MS = 60_000;
const DAYS_EVERY_MS = 10 * 60_000;
/** Of one merchant, before the next has its turn. */
const MOST_DAYS = 30;

/** Goes on until it is stopped. */
export function startFigures({ clock, log }: Pick<Parts, "clock" | "log">, pool: Sql): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** What fails for one merchant keeps no other waiting. */
  const ofEach = async (merchants: readonly string[], work: (merchantId: string) => Promise<unknown>) => {
    for (const merchantId of merchants) {
      if (signal.aborted) break;
      await work(merchantId).catch((fault: unknown) => {
        if (!signal.aborted) log.warn({ merchant: merchantId, fault: String(fault) }, "figures could not be added up");
      });
    }
    return "pause" as const;
  };
  const hours = every(EVERY_MS, log, async () =>
    ofEach(await merchantsToAddUp(pool, clock.now()), (id) =>
      addUpFigures(exporter(pool, id, signal), id, clock.now(), MOST_DAYS),
    ),
  );
  const days = every(DAYS_EVERY_MS, log, async () =>
    ofEach(await merchantsWithChangedDays(pool, clock.now()), async (id) => {
      while (!signal.aborted && (await addUpOldestDay(exporter(pool, id, signal), id)));
    }),
  );
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([hours.stop(), days.stop()]);
    },
  };
}
