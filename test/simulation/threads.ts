// Many random runs, in threads of their own: in the thread of the tests, the runner's bookkeeping of every promise would
// take more time than the runs.

import assert from "node:assert/strict";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { DatabaseAddress } from "../../src/journal/database.ts";
import { FULL, SEED, sized } from "../random.ts";

export interface Assignment {
  readonly seed: number;
  readonly runs: number;
  /** Of a run that failed: it alone is run. */
  readonly path: string | undefined;
  /** An empty one, which this thread alone uses; without one, all is in memory. */
  readonly database: Exclude<DatabaseAddress, string> | undefined;
}

/** What all threads share, and how many they are. Each loads the code for itself, which takes longer than a short run. */
export interface Wish extends Pick<Assignment, "seed" | "runs" | "path"> {
  readonly threads: number;
}

export interface Report {
  readonly failure: string | undefined;
  /** How often each answer, refusal and mishap was met. */
  readonly met: Met;
}

export type Met = ReadonlyMap<string, number>;

/** What the environment says of the runs of this name: `NAME_SEED`, `NAME_PATH` of one that failed, `NAME_RUNS`. */
export function wished(name: string, most: number) {
  const { [`${name}_SEED`]: seed, [`${name}_PATH`]: path, [`${name}_RUNS`]: runs } = process.env;
  return {
    seed: Number(seed ?? SEED),
    path,
    runs: Number(runs ?? most),
    threads: path === undefined ? sized(1, 2) : 1,
    /** Not all that is to be met is met in fewer. */
    whole: FULL && path === undefined && runs === undefined,
  };
}

/** @param databases one for each thread; none: in memory @throws what the first of the failures says, and how to see it again */
export async function inThreads(
  script: URL,
  { seed, path, runs, threads }: Wish,
  databases: readonly Assignment["database"][] = [],
): Promise<Met> {
  const share = (_: unknown, thread: number): Assignment => {
    return { seed: seed + thread, runs: Math.ceil(runs / threads), path, database: databases[thread] };
  };
  const reports = await Promise.all(Array.from({ length: threads }, share).map((one) => inThread(script, one)));
  const met = new Map<string, number>();
  for (const report of reports) {
    if (report.failure !== undefined) assert.fail(report.failure);
    for (const [what, times] of report.met) met.set(what, (met.get(what) ?? 0) + times);
  }
  return met;
}

async function inThread(script: URL, workerData: Assignment): Promise<Report> {
  const worker = new Worker(script, { workerData, execArgv: [] });
  const [report] = (await once(worker, "message")) as [Report];
  await worker.terminate();
  return report;
}

export const inWords = (met: Met): string =>
  [...met]
    .sort()
    .map(([what, times]) => `${what}: ${times}`)
    .join(", ");
