// Caches what was read from the database for less than a second of real time, so that the hot path need not read it for every
// request, and every node knows of a change within a second.

import { forgetOldest } from "../shares/forget-oldest.ts";

export interface BriefCache<T> {
  /** What is kept, or what is found now; those who ask for the same key at once share one search. */
  get(key: string, asker?: string): Promise<T | undefined>;
  /** The next to ask gets what is there then. */
  forget(key: string): void;
}

/** Half a second leaves as much again for the search itself. */
const KEPT_MS = 500;

interface Kept<T> {
  readonly value: Promise<T | undefined>;
  readonly since: number;
}

/**
 * @param find is given the key and who asks; what it does not find, or fails at, is not kept
 * @param most entries; beyond it the oldest goes
 * @param realTimeMs monotonic
 */
export function briefCache<T>(
  find: (key: string, asker: string) => Promise<T | undefined>,
  most: number,
  realTimeMs: () => number = () => performance.now(),
): BriefCache<T> {
  // In the order in which the searches began, so the first is the oldest.
  const kept = new Map<string, Kept<T>>();

  function search(key: string, asker: string): Promise<T | undefined> {
    // It counts from the beginning of the search: what is true then may have changed when the answer is there.
    const entry: Kept<T> = { value: find(key, asker), since: realTimeMs() };
    kept.delete(key);
    kept.set(key, entry);
    forgetOldest(kept, most);
    const drop = () => {
      if (kept.get(key) === entry) kept.delete(key);
    };
    entry.value.then((value) => value === undefined && drop(), drop);
    return entry.value;
  }

  return {
    get(key, asker = "") {
      const entry = kept.get(key);
      return entry !== undefined && realTimeMs() - entry.since < KEPT_MS ? entry.value : search(key, asker);
    },
    forget: (key) => void kept.delete(key),
  };
}
