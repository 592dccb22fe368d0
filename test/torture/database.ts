// The database of a run: an embedded PostgreSQL of its own, or one on the Citus that CITUS_URL names.

import { mkdirSync, writeFileSync } from "node:fs";
import type { DatabaseAddress } from "../../src/journal/database.ts";
import { startEmbedded } from "../../src/journal/embedded/embedded.ts";
import { clusterOf, existingPlace } from "../../src/journal/embedded/place.ts";
import { postmasterOf } from "../../src/journal/embedded/postmaster.ts";
import { connectionsFor } from "../../src/workers/plan.ts";
import { worker } from "../citus/worker.ts";
import { createDatabase, stopDatabases } from "../database-server.ts";

export interface Database {
  readonly address: DatabaseAddress;
  /** Resolves when it is back. @throws where nobody said how it is killed */
  kill(): Promise<void>;
  /** @param keep its rows stay for whoever looks after what was found */
  stop(keep: boolean): Promise<void>;
}

/**
 * @param place a folder, or, of a database that is kept on Citus, a file with its name
 * @param nodes that it has connections for
 */
export const startDatabase = (place: string, nodes: number): Promise<Database> =>
  process.env.CITUS_URL === undefined ? ownDatabase(place, nodes) : distributedDatabase(place);

/** Each gateway leaves some connections to others, and there are two; the run has some of its own. */
const connectionsOf = (nodes: number): string => String(connectionsFor(nodes + 2));

async function ownDatabase(dataFolder: string, nodes: number): Promise<Database> {
  mkdirSync(dataFolder, { mode: 0o700 });
  const settings = { max_connections: connectionsOf(nodes) };
  const start = () => startEmbedded({ dataFolder, log: () => undefined, settings });
  const started = [await start()];
  const [{ connection: address }] = started as [Awaited<ReturnType<typeof start>>];
  return {
    address,
    kill: async () => {
      const place = existingPlace(dataFolder)?.folder;
      const pid = place === undefined ? undefined : postmasterOf(clusterOf(place))?.pid;
      if (pid === undefined) return; // it is dead already
      process.kill(pid, "SIGKILL");
      // At once, and not after the pause of a server that dies again and again.
      started.push(await start());
    },
    stop: async () => {
      // All at once: what one stops, no other is still there to start again.
      await Promise.all(started.map((one) => one.stop()));
    },
  };
}

/** A worker of it is killed. */
async function distributedDatabase(file: string): Promise<Database> {
  const { address, pool, drop } = await createDatabase("migrated");
  return {
    address,
    kill: async () => {
      if (worker === undefined) throw new Error("nobody said how");
      await worker.kill();
      await worker.start();
    },
    stop: async (keep) => {
      if (keep) {
        writeFileSync(file, address.database);
        await pool.end();
      } else await drop();
      await stopDatabases();
    },
  };
}
