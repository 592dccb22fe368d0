// `npm run bench -- --table`: measures the table, prints it with what was met, keeps it, and says what got worse since the last one
// that was kept of the same machine, with as many workers, rounds and seconds.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "./data.ts";
import { type Figure, lineOf, worse } from "./figure.ts";
import { launchGateway } from "./gateway.ts";
import { type Machine, machineFacts } from "./machine.ts";
import { measureTable, type TablePlan } from "./table.ts";
import type { Undo } from "./undo.ts";

interface Kept {
  readonly at: string;
  readonly machine: Machine;
  readonly workers: number;
  readonly plan: TablePlan;
  readonly figures: readonly Figure[];
}

const RESULTS = join(import.meta.dirname, "results");
const PREFIX = "table-";

export async function tellTable(
  undo: Undo,
  workers: number,
  plan: TablePlan,
  say: (line: string) => void,
): Promise<void> {
  const [at, machine] = [new Date().toISOString(), machineFacts(newFolder(undo))];
  const settings = { RATE_LIMIT_PER_MINUTE: "0", WORKERS: String(workers) };
  const launched = await undo.started(launchGateway(["src/main.ts"], newFolder(undo), [], settings));
  const figures = await measureTable(undo, await launched.ready, plan, say);
  const now: Kept = { at, machine, workers, plan, figures };
  mkdirSync(RESULTS, { recursive: true });
  const before = lastKept(now);
  for (const line of [heading(now), ...figures.map(lineOf), "", ...comparison(before, now)]) say(line);
  const file = join(RESULTS, `${PREFIX}${at.replaceAll(/[:.]/g, "-")}.json`);
  writeFileSync(file, `${JSON.stringify(now, null, 2)}\n`);
  say(file);
}

const heading = ({ machine, workers, plan }: Kept): string =>
  `\n${machine.cores} cores (${machine.processor}), Node ${machine.node}, ${workers} workers, load before ` +
  `${machine.loadBefore.toFixed(1)}; medians of ${plan.rounds} rounds of ${plan.secondsAPoint} s\n`;

function lastKept(now: Kept): Kept | undefined {
  const files = readdirSync(RESULTS).filter((name) => name.startsWith(PREFIX));
  return files
    .sort()
    .map((name) => JSON.parse(readFileSync(join(RESULTS, name), "utf8")) as Kept)
    .findLast(
      (kept) => kept.workers === now.workers && samePlan(kept.plan, now.plan) && sameMachine(kept.machine, now.machine),
    );
}

const samePlan = (one: TablePlan, other: TablePlan): boolean =>
  one.rounds === other.rounds && one.secondsAPoint === other.secondsAPoint;

const sameMachine = (one: Machine, other: Machine): boolean =>
  one.cores === other.cores && one.processor === other.processor;

function comparison(before: Kept | undefined, now: Kept): string[] {
  if (before === undefined)
    return ["No result of this machine, with as many workers, rounds and seconds, was kept to compare with."];
  const changes = worse(before.figures, now.figures);
  if (changes.length === 0) return [`Nothing got a tenth worse since ${before.at}.`];
  return [
    `Worse than at ${before.at}:`,
    ...changes.map(({ what, before: was, now: is, worseBy }) => {
      return `  ${what.trim()}: ${was.toFixed(1)} before, ${is.toFixed(1)} now (${(worseBy * 100).toFixed(0)} % worse)`;
    }),
  ];
}
