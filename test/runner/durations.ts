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

/**
 * What was never timed goes before all else, for it may be the longest: the largest first, as in a fresh clone. What mostly waits is
 * spread over the whole run: beside each other such files would leave the processors idle.
 */
export function inOrder<T extends { readonly name: string }>(jobs: readonly T[], durations: Durations): T[] {
  const {
    untimed = [],
    waits = [],
    computes = [],
  } = Object.groupBy(
    jobs.map((job) => ({ job, duration: durations.get(job.name), guess: guessOf(job.name) })),
    ({ duration }) => (duration === undefined ? "untimed" : mostlyWaits(duration) ? "waits" : "computes"),
  );
  const longestFirst = (timed: typeof waits) => timed.toSorted((a, b) => msOf(b) - msOf(a));
  return [
    ...untimed.toSorted((a, b) => b.guess - a.guess),
    ...spread([longestFirst(computes), longestFirst(waits)]),
  ].map(({ job }) => job);
}

interface Timed {
  readonly duration: Duration | undefined;
}

const msOf = ({ duration }: Timed): number => duration?.ms ?? 0;

/** A quarter is the average where three files for each processor keep it busy. */
const mostlyWaits = ({ ms, cpuMs = ms }: Duration): boolean => cpuMs < ms / 4;

/** Of each list as large a part is done as of the others, at any time. */
function spread<T extends Timed>(lists: readonly (readonly T[])[]): T[] {
  const placed = lists.flatMap((list) => {
    const whole = list.reduce((sum, one) => sum + msOf(one), 0) || 1;
    let before = 0;
    return list.map((one) => {
      const at = before / whole;
      before += msOf(one);
      return { one, at };
    });
  });
  return placed.sort((a, b) => a.at - b.at).map(({ one }) => one);
}

/** What lies in test/ works with whole gateways, and as much of it takes longer. */
const GATEWAY_BYTES = 12_000;

/** By its size; what is no file is a step of many files. */
function guessOf(name: string): number {
  const bytes = statSync(join(ROOT, name), { throwIfNoEntry: false })?.size ?? Number.MAX_SAFE_INTEGER;
  return name.startsWith("test/") ? bytes + GATEWAY_BYTES : bytes;
}
