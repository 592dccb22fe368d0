// Many months. A failure tells the seed and the path that run it again, shrunk to the shortest month that still fails:
// `node test/months/run.ts --seed … --path …`.

import type { FreshDatabase } from "../database.ts";
import { inThreads, inWords, type Met, wished } from "../simulation/threads.ts";

/** @param databases one for each thread; none: in memory */
export async function months(
  say: (line: string) => void,
  most: number,
  databases: readonly FreshDatabase[] = [],
): Promise<Met> {
  const assignment = wished("MONTHS", most);
  say(`MONTHS_SEED=${assignment.seed}`);
  const addresses = databases.map(({ address }) => address);
  const met = await inThreads(new URL("./worker.ts", import.meta.url), assignment, addresses);
  say(inWords(met));
  return met;
}
