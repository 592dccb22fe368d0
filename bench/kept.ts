// Results that are kept in bench/results/, and how those of now compare with the last ones.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Figure, worse } from "./figure.ts";
import type { Machine } from "./machine.ts";

export interface Kept {
  readonly at: string;
  readonly machine: Machine;
  /** Of the gateway, or of one that is compared with. */
  readonly workers: number;
  /** Rounds, seconds, and whatever else was chosen. */
  readonly plan: Readonly<Record<string, number>>;
  readonly figures: readonly Figure[];
}

const RESULTS = join(import.meta.dirname, "results");

/** @param kind of result: how the names of its files begin @returns the file */
export function keep(kind: string, kept: Kept): string {
  mkdirSync(RESULTS, { recursive: true });
  const file = join(RESULTS, `${kind}-${kept.at.replaceAll(/[:.]/g, "-")}.json`);
  writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`);
  return file;
}

/**
 * @param file instead of the last one that was kept here
 * @returns undefined if there is none of this machine
 */
export function lastKept(kind: string, now: Kept, file: string | undefined): Kept | undefined {
  if (file !== undefined) return read(file);
  mkdirSync(RESULTS, { recursive: true });
  const names = readdirSync(RESULTS).filter((name) => name.startsWith(`${kind}-`));
  return toCompareWith(
    names.sort().map((name) => read(join(RESULTS, name))),
    now,
  );
}

const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Kept;

/** The last one of this machine with as many workers: of the same plan, if there is one. @param all in the order of their time */
export function toCompareWith(all: readonly Kept[], now: Kept): Kept | undefined {
  const alike = all.filter((kept) => kept.workers === now.workers && sameMachine(kept.machine, now.machine));
  return alike.findLast((kept) => samePlan(kept, now)) ?? alike.at(-1);
}

const sameMachine = (one: Machine, other: Machine): boolean =>
  one.cores === other.cores && one.processor === other.processor;

const samePlan = (one: Kept, other: Kept): boolean => planOf(one) === planOf(other);

const planOf = ({ plan }: Kept): string =>
  Object.entries(plan)
    .sort()
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");

/** What got a tenth worse, as lines for people. */
export function comparison(before: Kept | undefined, now: Kept): readonly string[] {
  if (before === undefined) return ["No result of this machine with as many workers was kept to compare with."];
  const { machine } = before;
  const differently = [
    ...(samePlan(before, now) ? [] : [`measured otherwise (${planOf(before)}; now ${planOf(now)})`]),
    ...(sameMachine(machine, now.machine) ? [] : [`on another machine (${machine.cores} cores, ${machine.processor})`]),
    ...(before.workers === now.workers ? [] : [`with ${before.workers} workers`]),
  ];
  const then = [`${before.at}, load before ${machine.loadBefore.toFixed(1)}`, ...differently].join(", ");
  const changes = worse(before.figures, now.figures);
  if (changes.length === 0) return [`Nothing got a tenth worse since ${then}.`];
  return [
    `Worse than at ${then}:`,
    ...changes.map(({ what, before: was, now: is, worseBy }) => {
      return `  ${what.trim()}: ${was.toFixed(1)} before, ${is.toFixed(1)} now (${(worseBy * 100).toFixed(0)} % worse)`;
    }),
  ];
}
