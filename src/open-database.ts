// The database that the settings name, by its URL or the embedded one in the data folder, and a gateway's connections to it,
// separated by purpose, so that nothing waits behind something slower. Payments use the database's own pool.

import { setPriority } from "node:os";
import {
  codeOf,
  connectionLost,
  type DatabaseAddress,
  openPool,
  type SessionFence,
  type Sql,
} from "./journal/database.ts";
import { startEmbedded } from "./journal/embedded/embedded.ts";
import { FULL_SIZES, type PoolSizes } from "./pool-sizes.ts";
import type { Settings } from "./settings.ts";
import { StartFault } from "./start-fault.ts";

export interface Database {
  readonly address: DatabaseAddress;
  readonly pool: Sql;
  /** Of the other pools; without it, as many as are useful. */
  readonly sizes?: PoolSizes;
  /** For people: where the data is. */
  readonly place: string;
  /** Its server was started for this, and is stopped with it unless others use it by then. */
  readonly startedServer?: boolean;
  close(): Promise<void>;
}

/**
 * @param connections that the embedded one should allow, if it is not the usual number
 * @throws StartFault if it can't be reached
 */
export async function openDatabase(
  settings: Settings,
  log: (line: string) => void,
  connections?: number,
): Promise<Database> {
  const { databaseUrl, dataFolder } = settings;
  if (databaseUrl !== undefined) {
    const address = databaseUrl.reveal();
    const pool = poolOf(address, String(databaseUrl));
    await reach(pool, String(databaseUrl));
    return { address, pool, place: String(databaseUrl), close: () => pool.end({ timeout: 5 }) };
  }
  const embedded = await startEmbedded({
    ...{ dataFolder, log },
    ...(connections !== undefined && { settings: { max_connections: String(connections) } }),
  });
  const pool = openPool(embedded.connection);
  return {
    address: embedded.connection,
    pool,
    place: embedded.folder,
    startedServer: !embedded.adopted,
    close: async () => {
      await pool.end({ timeout: 5 });
      await embedded.stop();
    },
  };
}

/** The driver reads the files that the URL names at once, and judges what it says of them. */
function poolOf(address: string, shown: string): Sql {
  try {
    return openPool(address);
  } catch (fault) {
    throw new StartFault(`Cannot use the database ${shown}: ${wordsOf(fault)}. Look at DATABASE_URL.`);
  }
}

async function reach(pool: Sql, shown: string): Promise<void> {
  try {
    await pool`select 1`;
  } catch (fault) {
    await pool.end({ timeout: 0 });
    throw new StartFault(`Cannot use the database ${shown}: ${wordsOf(fault)}. ${adviceFor(fault)}`);
  }
}

const wordsOf = (fault: unknown): string => (fault instanceof Error && fault.message) || codeOf(fault);

function adviceFor(fault: unknown): string {
  const code = codeOf(fault);
  if (code === "TLS_NOT_THERE")
    return "Switch TLS on at the server (ssl = on), or, where nobody else can read the network, set sslmode=disable in DATABASE_URL.";
  if (CERTIFICATE.test(code))
    return "Name the authority's certificate (sslrootcert) and the host that the certificate is for in DATABASE_URL.";
  return connectionLost(fault) ? "Is it running, and is the address right?" : "Look at DATABASE_URL.";
}

/** Node's names for a certificate that is not believed. */
const CERTIFICATE = /CERT|UNABLE_TO_VERIFY/;

export interface Pools {
  /** Who sends a request, and whether the database answers: also while all others wait. */
  readonly lookUps: Sql;
  /** That this node lives. Behind a queue of requests' look-ups it would be taken for dead, and its charges reversed. */
  readonly heartbeats: Sql;
  /** Lists and exports: what reads much, and may take long. */
  readonly slowReads: Sql;
  /** What operators see and change. */
  readonly office: Sql;
  /** The resolver, and what falls due. Only on the lineage that the gateway knows. */
  readonly background: Sql;
  readonly webhooks: Sql;
  close(): Promise<void>;
}

const SLOW_STATEMENT_MS = 60_000;
/** Of the system's processes: payments come first where both want the processor. */
const SLOW_PRIORITY = 10;

/** @param fence of the sessions that look for work */
export function openPools(address: DatabaseAddress, sizes: PoolSizes = FULL_SIZES, fence?: SessionFence): Pools {
  const pools = {
    lookUps: openPool(address, "faregate look-ups", { connections: sizes.lookUps }),
    heartbeats: openPool(address, "faregate heartbeats", { connections: sizes.heartbeats }),
    slowReads: openPool(address, "faregate slow reads", {
      ...{ connections: sizes.slowReads, statementTimeoutMs: SLOW_STATEMENT_MS },
      // The embedded database is on this machine, and nobody else's.
      opened: typeof address === "string" ? undefined : yieldToOthers,
    }),
    office: openPool(address, "faregate office", { connections: sizes.office }),
    background: openPool(address, "faregate background", { connections: sizes.background, fence }),
    webhooks: openPool(address, "faregate webhooks", { connections: sizes.webhooks }),
  };
  const close = async () => {
    await Promise.all(Object.values(pools).map((pool) => pool.end({ timeout: 5 })));
  };
  return { ...pools, close };
}

function yieldToOthers(pid: number): void {
  try {
    setPriority(pid, SLOW_PRIORITY);
  } catch {
    // Another user's process, or one that has ended: then it is as quick as the others.
  }
}
