// What a thread does: so many random values of a kind, each brought to a house of its own.

import { parentPort, workerData } from "node:worker_threads";
import fc from "fast-check";
import { openPool } from "../../src/journal/database.ts";
import { type PostgresInstallation, postgresInstallation } from "../postgres-installation.ts";
import type { Assignment, Report } from "./threads.ts";

export interface Property<House, Value> {
  readonly values: fc.Arbitrary<Value>;
  inMemory(): Promise<House>;
  /** @returns what gives each run its house, one after the other */
  inDatabase(installation: PostgresInstallation): Promise<() => Promise<House>>;
  /** @param met counts what was met, by name */
  run(house: House, value: Value, met: Map<string, number>): Promise<void>;
  /** What fails in a database is told as it is: to look for the shortest would take too long. */
  readonly slowInDatabase?: boolean;
}

/** A node is dead when the history says so, and not because the machine was slow or this process was stopped for a while. */
const NEVER_BY_ITSELF_MS = 600_000;

/** Works off what this thread was given, and reports. */
export async function workOff<House, Value>(property: Property<House, Value>): Promise<void> {
  const assignment = workerData as Assignment;
  const { database: address } = assignment;
  if (address === undefined) return report(await runAll(property, assignment, property.inMemory));
  const pool = openPool(address);
  const installation = postgresInstallation({ address, pool, drop: () => pool.end() }, NEVER_BY_ITSELF_MS);
  try {
    report(await runAll(property, assignment, await property.inDatabase(installation)));
  } finally {
    await installation.end();
  }
}

const report = (report: Report): void => parentPort?.postMessage(report);

async function runAll<House, Value>(
  { values, run, slowInDatabase = false }: Property<House, Value>,
  { seed, runs, path, database }: Assignment,
  house: () => Promise<House>,
): Promise<Report> {
  const met = new Map<string, number>();
  const property = fc.asyncProperty(values, async (value) => run(await house(), value, met));
  const endOnFailure = slowInDatabase && database !== undefined;
  const result = await fc.check(property, { numRuns: runs, seed, endOnFailure, ...(path !== undefined && { path }) });
  const cause = result.failed && result.errorInstance instanceof Error ? `\n${result.errorInstance.stack}` : "";
  return { failure: result.failed ? `${fc.defaultReportMessage(result)}${cause}` : undefined, met };
}
