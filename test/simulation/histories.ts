// Many histories. A failure tells the seed and the path that run it again, shrunk to the shortest history that still fails:
// `SIMULATION_SEED=… SIMULATION_PATH=… npm test -- tests`.

import type { TestContext } from "node:test";
import type { FreshDatabase } from "../database.ts";
import { inThreads, inWords, type Met, wished } from "./threads.ts";

/** @param databases one for each thread; none: in memory */
export async function histories(t: TestContext, most: number, databases: readonly FreshDatabase[] = []): Promise<Met> {
  const assignment = wished("SIMULATION", most);
  t.diagnostic(`SIMULATION_SEED=${assignment.seed}`);
  const addresses = databases.map(({ address }) => address);
  const met = await inThreads(new URL("./worker.ts", import.meta.url), assignment, addresses);
  t.diagnostic(inWords(met));
  return met;
}
