// What a message is found by later: its STAN and the instant of its first sending, assigned once for each event and kept
// over every repeat; and its RRN, which follows from the event's reference alone.

import { hash } from "node:crypto";

export interface Trace {
  /** Message type of the first sending. */
  readonly mti: string;
  /** Six digits, 000001 to 999999; they come round again. */
  readonly stan: string;
  /** Of the first sending. */
  readonly at: Date;
}

/**
 * Where traces come from. An implementation for a gateway of several nodes assigns over all of them, and has written
 * down what it assigned before it returns.
 */
export interface TraceNumbers {
  /** The first call for a key decides; every later one gives the same trace again, and says so. */
  assign(key: string, mti: string, now: Date): Promise<{ readonly trace: Trace; readonly repeated: boolean }>;
  find(key: string): Promise<Trace | undefined>;
}

/** Twelve of 0-9 and A-Z, 62 bits: the same for the same reference on every node, after every restart. */
export const rrnOf = (reference: string): string =>
  (BigInt(`0x${hash("sha256", reference)}`) % 36n ** 12n).toString(36).padStart(12, "0").toUpperCase();

const LAST_STAN = 999_999;
const KEPT = 100_000;

/** For tests and for one process: what it assigned is gone with it, and the oldest of many goes earlier. */
export function traceNumbersInMemory(first = 1): TraceNumbers {
  const assigned = new Map<string, Trace>();
  let next = first;
  return {
    async assign(key, mti, at) {
      const before = assigned.get(key);
      if (before) return { trace: before, repeated: true };
      const trace = { mti, stan: String(next).padStart(6, "0"), at };
      next = next === LAST_STAN ? 1 : next + 1;
      assigned.set(key, trace);
      if (assigned.size > KEPT) for (const [oldest] of assigned.entries().take(1)) assigned.delete(oldest);
      return { trace, repeated: false };
    },
    find: async (key) => assigned.get(key),
  };
}
