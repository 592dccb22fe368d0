// Whether this machine's clock shows about what the database's does. Cut-offs, batches, due times and ids follow the machine's, so the
// operator is told if it is wrong.

import { type Clock, systemClock } from "../clock.ts";
import type { Sql } from "../journal/database.ts";
import { every } from "./every.ts";
import type { Log } from "./log.ts";

const EVERY_MS = 10_000;
/** Synchronized clocks differ by milliseconds; half of the shortest lease that goes by the nodes' clocks is too much. */
const MOST_APART_MS = 5_000;

export interface ClockWatch {
  look(): Promise<void>;
  /** By how much the machine's clock is ahead of the database's, negative if it is behind. Undefined: nobody has looked yet. */
  aheadMs(): number | undefined;
}

/**
 * Says so when they begin to differ, and when they agree again.
 * @param clock the machine's own, also in the sandbox
 */
export function clockWatch(sql: Sql, log: Log, clock: Clock = systemClock): ClockWatch {
  let aheadMs: number | undefined;
  let apart = false;
  return {
    look: async () => {
      const askedAt = clock.now().getTime();
      const [row] = await sql<[{ now: Date }]>`select clock_timestamp() as now`;
      aheadMs = aheadOf(row.now.getTime(), askedAt, clock.now().getTime());
      if (Math.abs(aheadMs) > MOST_APART_MS === apart) return;
      apart = !apart;
      if (apart) log.error({ aheadSeconds: aheadMs / 1_000 }, "this machine's clock and the database's differ");
      else log.info({ aheadSeconds: aheadMs / 1_000 }, "this machine's clock and the database's agree again");
    },
    aheadMs: () => aheadMs,
  };
}

/** The least that it can be: when between question and answer the database looked at its clock, nobody knows. */
export function aheadOf(databaseMs: number, askedAtMs: number, answeredAtMs: number): number {
  const ahead = [askedAtMs - databaseMs, answeredAtMs - databaseMs];
  return Math.max(Math.min(...ahead), Math.min(Math.max(...ahead), 0));
}

/** Goes on until it is stopped. */
export const startClockWatch = (watch: ClockWatch, log: Log): { stop(): Promise<void> } =>
  every(EVERY_MS, log, async () => {
    await watch.look();
    return "pause";
  });
