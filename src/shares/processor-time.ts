// How much processor time each holder has used lately. Who has used more than its share does no further work at once, but by turns
// (heavy-work.ts), until enough time has passed.

import { forgetOldest } from "./forget-oldest.ts";

/** What may be used at once: a dozen bodies of the costly kind, or half a second's worth of ordinary ones. */
const AT_ONCE_MS = 20;
/** Of all time, for one holder. */
const SHARE = 0.05;
const MOST_HOLDERS = 10_000;

export interface ProcessorTime {
  /** Does the work, and counts what it takes, also if it throws. @returns its result @param told how long it took */
  measure<T>(holder: string, work: () => T, told?: (ms: number) => void): T;
  /** Whether the holder has used more than its share. */
  isUsedUp(holder: string): boolean;
}

/** @param nowMs monotonic, in milliseconds */
export function processorTime(
  nowMs: () => number = () => performance.now(),
  mostHolders: number = MOST_HOLDERS,
): ProcessorTime {
  /** In the order in which they last worked. */
  const used = new Map<string, { readonly ms: number; readonly atMs: number }>();

  const left = (holder: string): number => {
    const { ms, atMs } = used.get(holder) ?? { ms: 0, atMs: 0 };
    return Math.max(0, ms - SHARE * (nowMs() - atMs));
  };

  return {
    measure(holder, work, told) {
      const sinceMs = nowMs();
      try {
        return work();
      } finally {
        const tookMs = nowMs() - sinceMs;
        const ms = left(holder) + tookMs;
        used.delete(holder);
        used.set(holder, { ms, atMs: nowMs() });
        forgetOldest(used, mostHolders);
        told?.(tookMs);
      }
    },
    isUsedUp: (holder) => left(holder) > AT_ONCE_MS,
  };
}
