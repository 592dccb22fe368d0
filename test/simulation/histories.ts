// Many histories. A failure tells the seed and the path that run it again, shrunk to the shortest history that still fails:
// `SIMULATION_SEED=… SIMULATION_PATH=… npm test -- tests`.

import assert from "node:assert/strict";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { Worker } from "node:worker_threads";
import type { FreshDatabase } from "../database.ts";
import type { Assignment, Report } from "./worker.ts";

export const THREADS = 2;
const { SIMULATION_SEED, SIMULATION_PATH, SIMULATION_HISTORIES } = process.env;

/** How often each answer, refusal and mishap was met. */
type Met = ReadonlyMap<string, number>;

export const historiesInMemory = (t: TestContext, most: number): Promise<Met> => histories(t, most, []);

/** @param databases one for each thread */
export const historiesIn = (t: TestContext, databases: readonly FreshDatabase[], most: number): Promise<Met> =>
  histories(t, most, databases);

async function histories(t: TestContext, most: number, databases: readonly FreshDatabase[]): Promise<Met> {
  // Where a change is judged, the same histories judge it that judged the one before; elsewhere they are new each time.
  const seed = Number(SIMULATION_SEED ?? (process.env.CI === undefined ? Date.now() % 2 ** 31 : 1));
  t.diagnostic(`SIMULATION_SEED=${seed}`);
  const threads = SIMULATION_PATH === undefined ? THREADS : 1;
  const each = Math.ceil(Number(SIMULATION_HISTORIES ?? most) / threads);
  const share = (_: unknown, thread: number): Assignment => {
    return { seed: seed + thread, histories: each, path: SIMULATION_PATH, database: databases[thread]?.address };
  };
  return told(t, await Promise.all(Array.from({ length: threads }, share).map(inThread)));
}

async function inThread(workerData: Assignment): Promise<Report> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData, execArgv: [] });
  const [report] = (await once(worker, "message")) as [Report];
  await worker.terminate();
  return report;
}

function told(t: TestContext, reports: readonly Report[]): Met {
  const met = new Map<string, number>();
  for (const report of reports) {
    assert.equal(report.failure, undefined, report.failure);
    for (const [what, times] of report.met) met.set(what, (met.get(what) ?? 0) + times);
  }
  const words = [...met].sort().map(([what, times]) => `${what}: ${times}`);
  t.diagnostic(words.join(", "));
  return met;
}
