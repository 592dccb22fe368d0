// Runs histories in a thread of its own: in the thread of the tests, the runner's bookkeeping of every promise would take
// more time than the histories.

import { parentPort, workerData } from "node:worker_threads";
import fc from "fast-check";
import { type DatabaseAddress, openPool } from "../../src/journal/database.ts";
import { postgresInstallation } from "../postgres-installation.ts";
import { type House, memoryHouse } from "./house.ts";
import { postgresHouses } from "./postgres-house.ts";
import { Simulation } from "./simulation.ts";
import { history } from "./steps.ts";

export interface Assignment {
  readonly seed: number;
  readonly histories: number;
  /** Of a history that failed: it alone is run. */
  readonly path: string | undefined;
  /** An empty one, which this thread alone uses; without one, the histories are in memory. */
  readonly database: Exclude<DatabaseAddress, string> | undefined;
}

export interface Report {
  readonly failure: string | undefined;
  /** How often each answer, refusal and mishap was met. */
  readonly met: ReadonlyMap<string, number>;
}

async function runAll({ seed, histories, path }: Assignment, house: () => Promise<House>): Promise<Report> {
  const met = new Map<string, number>();
  const property = fc.asyncProperty(history, async (steps) => Simulation.run(await house(), steps, met));
  const result = await fc.check(property, { numRuns: histories, seed, ...(path !== undefined && { path }) });
  const cause = result.failed && result.errorInstance instanceof Error ? `\n${result.errorInstance.stack}` : "";
  return { failure: result.failed ? `${fc.defaultReportMessage(result)}${cause}` : undefined, met };
}

async function runIn(address: Exclude<DatabaseAddress, string>, assignment: Assignment): Promise<Report> {
  const pool = openPool(address);
  const installation = postgresInstallation({ address, pool, drop: () => pool.end() });
  try {
    return await runAll(assignment, await postgresHouses(installation));
  } finally {
    await installation.end();
  }
}

const assignment = workerData as Assignment;
const { database } = assignment;
parentPort?.postMessage(await (database ? runIn(database, assignment) : runAll(assignment, async () => memoryHouse())));
