// Adds up the figures of overviews in the background, so that whoever asks for one waits for the last hour at most.

import type { Sql } from "../journal/database.ts";
import { addUpFigures, merchantsToAddUp } from "../journal/figures.ts";
import { exporter } from "../journal/search/ask.ts";
import { every } from "./every.ts";
import type { Parts } from "./parts.ts";

const EVERY_MS = 60_000;
/** Of one merchant, before the next has its turn. */
const MOST_DAYS = 30;

/** Goes on until it is stopped. */
export function startHourlyFigures({ clock, log }: Pick<Parts, "clock" | "log">, pool: Sql): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const work = every(EVERY_MS, log, async () => {
    const merchants = await merchantsToAddUp(pool, clock.now());
    for (const merchantId of merchants) {
      if (stopping.signal.aborted) break;
      await addUpFigures(exporter(pool, merchantId, stopping.signal), merchantId, clock.now(), MOST_DAYS);
    }
    return "pause";
  });
  return {
    stop: () => {
      stopping.abort();
      return work.stop();
    },
  };
}
