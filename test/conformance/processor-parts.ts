// What an open processor takes from its process, in tests: trace numbers in memory, and a log that nobody reads.

import { type Clock, systemClock } from "../../src/clock.ts";
import type { ProcessorParts } from "../../src/processors/kind.ts";
import type { Trace, TraceNumbers } from "../../src/processors/trace-numbers.ts";

export const processorParts = (clock: Clock = systemClock): ProcessorParts => ({
  clock,
  log: { info: () => {}, warn: () => {} },
  chance: Math.random,
  traceNumbersOf: () => traceNumbersInMemory(),
});

const LAST_STAN = 999_999;
const KEPT = 100_000;

/** Of one process: they are gone with it. Of many, the oldest are forgotten earlier. */
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
