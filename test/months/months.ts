// Many months. A failure tells the seed and the path that run it again, shrunk to the shortest month that still fails:
// `node test/months/run.ts --seed … --path …`.

import { createDatabase, type FreshDatabase } from "../database-server.ts";
import { inThreads, inWords, type Met, type Wish } from "../simulation/threads.ts";

export const monthsInMemory = (say: (line: string) => void, wish: Wish): Promise<Met> => months(say, wish, []);

/** In databases of their own. */
export async function monthsInPostgres(say: (line: string) => void, wish: Wish): Promise<Met> {
  const databases = await Promise.all(Array.from({ length: wish.threads }, () => createDatabase("migrated")));
  try {
    return await months(say, wish, databases);
  } finally {
    for (const { drop } of databases) await drop();
  }
}

async function months(say: (line: string) => void, wish: Wish, databases: readonly FreshDatabase[]): Promise<Met> {
  say(`MONTHS_SEED=${wish.seed}`);
  const addresses = databases.map(({ address }) => address);
  const met = await inThreads(new URL("./worker.ts", import.meta.url), wish, addresses);
  say(inWords(met));
  return met;
}
