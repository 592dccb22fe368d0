// A pace: limits work that could use the whole machine to a steady rate.

import { setTimeout as sleep } from "node:timers/promises";

/** So much may be begun at once before anything waits. */
const HEAD_START_MS = 4;

/**
 * @param realTimeMs monotonic
 * @returns waits until the next piece of work may begin
 */
export function pace(
  perSecond: number,
  realTimeMs: () => number = () => performance.now(),
  wait: (ms: number) => Promise<unknown> = sleep,
): () => Promise<void> {
  let nextMs = 0;
  return async () => {
    const nowMs = realTimeMs();
    const aheadMs = Math.max(nextMs - nowMs, 0);
    nextMs = nowMs + aheadMs + 1000 / perSecond;
    if (aheadMs > HEAD_START_MS) await wait(aheadMs);
  };
}
