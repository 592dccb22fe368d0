// Work that holds the event loop for some milliseconds: one piece at a time, by turns of the holders, and after each the loop
// is left to others for some times as long as it took.

import { releaseAfterRest } from "./rest.ts";
import { fairTurns, type TurnBounds, takeWithin } from "./turns.ts";

/** What waits lies in memory: a body of up to 1 MiB each. With more in the queue, the last would have waited too long before its turn. */
const HEAVY: TurnBounds = { atOnce: 1, mostOfOne: 1, mostWaiting: 32, mostWaitingOfOne: 12 };
const LONGEST_WAIT_MS = 10_000;
const REST_TIMES = 4;

/**
 * Waits for the holder's turn. It lasts until the loop goes on to something else.
 * @throws ShareUsedUp if too many wait, or for too long
 */
export type HeavyTurn = (holder: string) => Promise<void>;

/** Turns of one event loop. */
export function heavyWork(bounds: TurnBounds = HEAVY): HeavyTurn {
  const turns = fairTurns(bounds);
  return async (holder) => {
    const release = await takeWithin(turns, holder, LONGEST_WAIT_MS);
    const sinceMs = performance.now();
    setImmediate(() => releaseAfterRest(release, sinceMs, REST_TIMES));
  };
}
