// How long each file took last, kept outside of git: the longest begin first, so that none is left over when the rest is done.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./jobs.ts";

const FILE = join(ROOT, "node_modules/.cache/faregate/test-durations.json");

export type Durations = ReadonlyMap<string, number>;

export function readDurations(): Durations {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(FILE, "utf8")) as Record<string, number>));
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

/** A file that was never timed goes before all others: it may be the longest. */
export const longestFirst = <T extends { readonly name: string }>(jobs: readonly T[], durations: Durations): T[] =>
  jobs.toSorted((a, b) => (durations.get(b.name) ?? Infinity) - (durations.get(a.name) ?? Infinity) || 0);
