// Counts within a minute, by holder, for limits of so many a minute. Each node counts for itself; what is counted is bounded.

import { forgetOldest } from "./forget-oldest.ts";

const MINUTE_MS = 60_000;

export interface Counted {
  /** 1 is the first of its minute. */
  readonly nth: number;
  /** Until the minute is over. */
  readonly leftMs: number;
}

/**
 * A holder's minute begins with the first that is counted; the next one after it begins another.
 * @param mostHolders beyond it the one whose minute began first is forgotten
 * @param realTimeMs monotonic
 */
export function minuteCounts(
  mostHolders: number,
  realTimeMs: () => number = () => performance.now(),
): (holder: string) => Counted {
  // In the order in which their minutes began.
  const minutes = new Map<string, { readonly sinceMs: number; count: number }>();
  return (holder) => {
    const nowMs = realTimeMs();
    let minute = minutes.get(holder);
    if (minute === undefined || nowMs - minute.sinceMs >= MINUTE_MS) {
      minutes.delete(holder);
      minute = { sinceMs: nowMs, count: 0 };
      minutes.set(holder, minute);
      forgetOldest(minutes, mostHolders);
    }
    minute.count += 1;
    return { nth: minute.count, leftMs: minute.sinceMs + MINUTE_MS - nowMs };
  };
}
