// How many workers there are, and how many connections to the database each process opens: all of them together stay within
// what the database allows.

import { availableParallelism } from "node:os";
import type { Sql } from "../journal/database.ts";
import { FEWEST_CONNECTIONS, MORE_ON_CITUS, MOST_CONNECTIONS, type PoolSizes, sizesWithin } from "../pool-sizes.ts";
import type { Settings } from "../settings.ts";
import { StartFault } from "../start-fault.ts";

/** For the first process, the command line, and whoever looks into the database. */
const SPARE_CONNECTIONS = 6;

/** What the embedded database allows by itself is enough for few. */
export const connectionsFor = (workers: number): number =>
  Math.max(100, (workers + 1) * MOST_CONNECTIONS + SPARE_CONNECTIONS + RESERVED_BY_DEFAULT);
/** PostgreSQL's superuser_reserved_connections. */
const RESERVED_BY_DEFAULT = 3;

/** As many as are asked for; if nobody asked, one for each core but one, which the database and the system need. */
export function wantedWorkers({ workers }: Pick<Settings, "workers">, cores = availableParallelism()): number {
  if (workers !== undefined) return workers;
  // Elsewhere several processes cannot listen on one port in this way.
  return process.platform === "linux" ? Math.max(1, cores - 1) : 1;
}

export interface Plan {
  readonly workers: number;
  /** Of each process. */
  readonly sizes: PoolSizes;
}

/**
 * @param allowed connections to the database
 * @param distributed whether it is distributed over the workers of Citus
 * @throws StartFault if it allows too few for as many workers as were asked for, or for one
 */
export function planWorkers(
  settings: Pick<Settings, "workers" | "heavyWorker">,
  allowed: number,
  wanted: number,
  distributed = false,
): Plan {
  const beside = settings.heavyWorker === true ? 1 : 0;
  const left = allowed - SPARE_CONNECTIONS;
  const more = distributed ? MORE_ON_CITUS : 0;
  const fewest = FEWEST_CONNECTIONS + more;
  const most = Math.floor(left / fewest) - beside;
  const workers = settings.workers === undefined ? Math.max(1, Math.min(wanted, most)) : wanted;
  const sizes = sizesWithin(Math.floor(left / (workers + beside)) - more);
  if (sizes !== undefined) return { workers, sizes };
  const fewer = most >= 1 ? `Set WORKERS=${most}, or raise` : "Raise";
  throw new StartFault(
    `The database allows this user ${allowed} connections, too few for ${workers} workers: each needs ${fewest}` +
      `${beside === 1 ? ", and so does the process for heavy requests (HEAVY_WORKER)" : ""}. ${fewer} its max_connections, or what it allows the user.`,
  );
}

/** To this database, by this user, all processes together. */
export async function allowedConnections(sql: Sql): Promise<number> {
  const [row] = await sql<[{ allowed: number }]>`
    select least(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true), '0')::int,
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
    ) as allowed`;
  return row.allowed;
}
