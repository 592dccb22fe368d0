// How long each file took last, and how much processor time, kept outside of git: the longest begin first, so that none is left over
// when the rest is done.

import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./jobs.ts";

const FILE = join(ROOT, "node_modules/.cache/faregate/test-durations.json");

export interface Duration {
  readonly ms: number;
  /** Of a step that is no file it is not known. */
  readonly cpuMs?: number;
}

export type Durations = ReadonlyMap<string, Duration>;

export function readDurations(): Durations {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(FILE, "utf8")) as Record<string, Duration>));
  } catch {
    return new Map(); // the first run in this clone
  }
}

/** What was not run this time keeps the time that it had. */
export function writeDurations(last: Durations, now: Durations): void {
  try {
    mkdirSync(dirname(FILE), { recursive: true });
    writeFileSync(FILE, JSON.stringify(Object.fromEntries([...last, ...now].sort()), undefined, 1));
  } catch {
    // Without it the next run is as right, and a little longer.
  }
}

/** What was never timed goes before all else, for it may be the longest: the largest first, as in a fresh clone. */
export const longestFirst = <T extends { readonly name: string }>(jobs: readonly T[], durations: Durations): T[] =>
  jobs
    .map((job) => ({ job, ms: durations.get(job.name)?.ms ?? Number.POSITIVE_INFINITY, guess: guessOf(job.name) }))
    .sort((a, b) => (a.ms === b.ms ? b.guess - a.guess : b.ms - a.ms))
    .map(({ job }) => job);

/** What lies in test/ works with whole gateways, and as much of it takes longer. */
const GATEWAY_BYTES = 12_000;

/** By its size; what is no file is a step of many files. */
function guessOf(name: string): number {
  const bytes = statSync(join(ROOT, name), { throwIfNoEntry: false })?.size ?? Number.MAX_SAFE_INTEGER;
  return name.startsWith("test/") ? bytes + GATEWAY_BYTES : bytes;
}
