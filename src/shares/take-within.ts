// A turn soon, or a refusal: who waits for an answer is better told to come again than kept waiting.

import { type Release, ShareUsedUp, type Turns } from "./turns.ts";

/**
 * @param signal leaves the queue
 * @throws ShareUsedUp also if the turn does not come in time
 */
export async function takeWithin(turns: Turns, holder: string, waitMs: number, signal?: AbortSignal): Promise<Release> {
  signal?.throwIfAborted();
  const waiting = new AbortController();
  const leave = () => waiting.abort(signal?.reason);
  const giveUp = () => waiting.abort(new ShareUsedUp(turns.usesItsShare(holder) ? "own" : "all"));
  const timer = setTimeout(giveUp, waitMs);
  signal?.addEventListener("abort", leave, { once: true });
  try {
    return await turns.take(holder, waiting.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", leave);
  }
}
