// What an open processor takes from its process, in tests: numbers in memory, and a log that nobody reads.

import { type Clock, systemClock } from "../../src/clock.ts";
import type { ProcessorParts } from "../../src/processors/kind.ts";
import { traceNumbersInMemory } from "./trace-numbers-in-memory.ts";

export const processorParts = (clock: Clock = systemClock): ProcessorParts => ({
  clock,
  log: { info: () => {}, warn: () => {} },
  chance: Math.random,
  traceNumbersOf: () => traceNumbersInMemory(),
});
