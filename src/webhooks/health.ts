// How each endpoint did the last time: slow ones go to the slow lane, and failing ones get one webhook at a time with pauses. Unknown
// endpoints are healthy. In memory: each node finds out by itself.

import { forgetOldest } from "../shares/forget-oldest.ts";
import { QUICK_MS } from "./lanes.ts";

const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 30_000;
/** Who was found unwell longest ago is forgotten, and found out again. */
const MOST_KNOWN = 4_096;

export interface Finding {
  /** The longest that a webhook took, also one that was given up. */
  readonly slowestMs: number;
  readonly failed: boolean;
}

interface Unwell {
  readonly slow: boolean;
  /** In a row. */
  readonly failures: number;
  readonly restsUntil: number;
}

export interface Health {
  of(endpointId: string): { readonly slow: boolean; readonly failing: boolean };
  found(endpointId: string, finding: Finding, now: Date): void;
  resting(now: Date): string[];
  slow(): string[];
}

export function endpointHealth(): Health {
  const unwell = new Map<string, Unwell>();
  const idsOf = (which: (one: Unwell) => boolean) => [...unwell].flatMap(([id, one]) => (which(one) ? [id] : []));
  return {
    of: (id) => {
      const known = unwell.get(id);
      return { slow: known?.slow ?? false, failing: (known?.failures ?? 0) > 0 };
    },
    found: (id, { slowestMs, failed }, now) => {
      const before = unwell.get(id)?.failures ?? 0;
      unwell.delete(id);
      const slow = slowestMs >= QUICK_MS;
      if (!slow && !failed) return;
      const failures = failed ? before + 1 : 0;
      const restMs = failed ? Math.min(FIRST_REST_MS * 2 ** before, LONGEST_REST_MS) : 0;
      unwell.set(id, { slow, failures, restsUntil: now.getTime() + restMs });
      forgetOldest(unwell, MOST_KNOWN);
    },
    resting: (now) => idsOf(({ restsUntil }) => restsUntil > now.getTime()),
    slow: () => idsOf(({ slow }) => slow),
  };
}
