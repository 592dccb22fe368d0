// A pace: work that could take all of the machine takes a steady part of it.

import { setTimeout as sleep } from "node:timers/promises";

/** So much may be begun at once before anything waits. */
const HEAD_START_MS = 20;

/** @returns waits until the next piece of work may begin */
export function pace(perSecond: number): () => Promise<void> {
  let nextMs = 0;
  return async () => {
    const nowMs = performance.now();
    nextMs = Math.max(nextMs, nowMs) + 1000 / perSecond;
    const aheadMs = nextMs - nowMs;
    if (aheadMs > HEAD_START_MS) await sleep(aheadMs);
  };
}
