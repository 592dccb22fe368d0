// The share of time that heavy work may have: after each piece its turn is kept for some times as long as the piece took, and
// the event loop and the database are left to others.

import type { Release } from "./turns.ts";

/** Where everything is late, it is others' work that was measured too. */
const LONGEST_REST_MS = 500;

/** Gives the turn back after the rest. @param sinceMs when the piece began, by `performance.now()` */
export function releaseAfterRest(release: Release, sinceMs: number, times: number): void {
  const tookMs = performance.now() - sinceMs;
  setTimeout(release, Math.min(LONGEST_REST_MS, times * tookMs));
}
