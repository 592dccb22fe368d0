// One long outage instead of random faults: all processors refuse connections while more clients than usual ask both gateways.
// Nobody dies, so no node may be silent for so long that another one takes over from it.

import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "../../src/journal/database.ts";
import type { Planned } from "./faults.ts";
import type { House } from "./house.ts";

export interface Outage {
  readonly ms: number;
  /** Clients that ask at once. */
  readonly clients: number;
}

const LOOK_EVERY_MS = 100;
/** Of src/journal/nodes.ts. */
const DEAD_AFTER_MS = 4_000;

/** All links at once. */
export const refusing = ({ links }: House, { ms }: Outage): readonly Planned[] =>
  links.map((_, link) => ({ afterMs: 0, fault: { what: "link refused", link, ms } }));

export interface Silence {
  /** Of any node until now: the longest time between two of its heartbeats, by the database's clock. */
  readonly longestMs: () => number;
  readonly stop: () => Promise<void>;
}

export function watchSilence(sql: Sql): Silence {
  let [over, longestMs] = [false, 0];
  const watching = (async () => {
    for (; !over; await sleep(LOOK_EVERY_MS)) {
      const [row] = await sql<[{ ms: number }]>`
        select coalesce(max(extract(epoch from clock_timestamp() - seen_at)), 0)::float8 * 1000 as ms from nodes`;
      longestMs = Math.max(longestMs, row.ms);
    }
  })();
  return {
    longestMs: () => longestMs,
    stop: () => {
      over = true;
      return watching;
    },
  };
}

export const isTooLong = (ms: number): boolean => ms >= DEAD_AFTER_MS;
