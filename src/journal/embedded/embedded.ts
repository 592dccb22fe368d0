// The PostgreSQL that comes with the package: started, or taken over when it runs already, watched, and stopped.
// Nothing here knows what the gateway keeps in it.
import { existsSync, realpathSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { reasonOf, StartFault } from "../../start-fault.ts";
import { binariesFor, packagedFolder } from "./binaries.ts";
import { createCluster, readPassword, requireFitting } from "./cluster.ts";
import { countClients, type EmbeddedConnection, mostClients, openDatabase } from "./database.ts";
import { ownerFor } from "./owner.ts";
import { bindPlace, clusterOf, existingPlace, newPlace, requireReach } from "./place.ts";
import { postmasterOf } from "./postmaster.ts";
import { ensureRunning, type Server, stopServer } from "./server.ts";
import { chooseSockets, hasSocket, PORT, removeSockets } from "./sockets.ts";
import { withStartLock } from "./start-lock.ts";
import { watchServer } from "./watch.ts";

export type EmbeddedDatabase = {
  readonly connection: EmbeddedConnection;
  /** Where cluster, password and log are. Not always in the data folder: see place.ts. */
  readonly folder: string;
  /** True when the server ran already: its last gateway was killed, or another one is up. */
  readonly adopted: boolean;
  /** Ends the watch and stops the server, unless others use it. Close this gateway's own connections first. */
  stop(): Promise<void>;
};

/** How long a start of another gateway on the same data is waited for before the server is left to it. */
const STOP_PATIENCE_MS = 10_000;

const ATTEMPTS = 5;
const RETRY_MS = 200;

type Log = (line: string) => void;

type Start = {
  readonly dataFolder: string;
  readonly log: Log;
  /** PostgreSQL's settings that differ from server-settings.ts. */
  readonly settings?: Readonly<Record<string, string>>;
};

/** Resolves when the database `faregate` takes connections. `dataFolder` exists. @throws StartFault */
export async function startEmbedded({ dataFolder, log, settings = {} }: Start): Promise<EmbeddedDatabase> {
  packagedFolder(); // or its fault, before anything else is tried
  const home = realpathSync(dataFolder);
  const { server, connection, adopted } = await withStartLock(home, log, () => open(home, log, settings));
  const watch = watchServer({
    log,
    runs: () => postmasterOf(clusterOf(server.folder)) !== undefined && hasSocket(server.sockets),
    restart: (signal) => withStartLock(home, log, async () => void (await ensureRunning(server, signal))),
  });
  let stopping: Promise<void> | undefined;
  async function stop(): Promise<void> {
    await watch.end();
    try {
      await withStartLock(home, log, () => stopUnlessUsed(server, connection), STOP_PATIENCE_MS);
    } catch (error) {
      log(error instanceof Error ? error.message : String(error)); // nothing more can be done, and the data is safe
    }
  }
  return {
    connection,
    folder: server.folder,
    adopted,
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

type Opened = { readonly server: Server; readonly connection: EmbeddedConnection; readonly adopted: boolean };

async function open(home: string, log: Log, settings: Server["settings"]): Promise<Opened> {
  try {
    return await openPlace(home, log, settings);
  } catch (error) {
    if (error instanceof StartFault || !(error instanceof Error && "syscall" in error)) throw error;
    throw new StartFault(
      `The database in ${"path" in error ? error.path : home} cannot be started: ${reasonOf(error)}.`,
    );
  }
}

async function openPlace(home: string, log: Log, settings: Server["settings"]): Promise<Opened> {
  const existing = existingPlace(home);
  const owner = ownerFor(existing && clusterOf(existing.folder));
  const place = existing ?? newPlace(home, owner);
  if (existing !== undefined) requireReach(place, owner);
  requireOneLine(place.folder);
  const { initdb, postgres } = binariesFor(owner, place.base);
  if (!existsSync(place.folder)) await createCluster(place.folder, initdb, owner);
  bindPlace(place);
  requireFitting(place.folder);

  const used = postmasterOf(clusterOf(place.folder))?.socketFolder;
  const sockets = used !== undefined && hasSocket(used) ? used : chooseSockets(place.folder, owner);
  const server = { folder: place.folder, postgres, owner, sockets, log, settings };
  for (let attempt = 1; ; attempt++) {
    const { adopted, socketFolder } = await ensureRunning(server);
    try {
      const connection = await openDatabase(socketFolder, PORT, readPassword(place.folder));
      if (adopted && (await isTooSmall(connection, settings)) && !(await usedByOthers(connection))) {
        log("The database is started again, with room for more connections");
        await stopServer(place.folder);
        continue;
      }
      return { server: { ...server, sockets: socketFolder }, connection, adopted };
    } catch (fault) {
      if (attempt === ATTEMPTS) throw fault;
      await sleep(RETRY_MS); // a server that was just killed or told to stop may look ready for a moment
    }
  }
}

/** One that a gateway with fewer workers left behind. */
async function isTooSmall(connection: EmbeddedConnection, { max_connections }: Server["settings"]): Promise<boolean> {
  return max_connections !== undefined && (await mostClients(connection)) < Number(max_connections);
}

/** PostgreSQL's lock file has a line for the folder, and with two nobody finds the server again that was started. */
function requireOneLine(folder: string): void {
  if (!folder.includes("\n")) return;
  throw new StartFault(
    `The database cannot be in ${JSON.stringify(folder)}: there is a line end in the name. Rename the folder, ` +
      "or name another one in FAREGATE_DATA.",
  );
}

async function stopUnlessUsed(server: Server, connection: EmbeddedConnection): Promise<void> {
  if (await usedByOthers(connection)) {
    server.log(`The database server in ${server.folder} is left running: another program uses it`);
    return;
  }
  await stopServer(server.folder);
  removeSockets(server.sockets);
}

/** Connections that were just closed are counted for a few milliseconds more. */
async function usedByOthers(connection: EmbeddedConnection): Promise<boolean> {
  for (let look = 1; ; look++) {
    const clients = await countClients(connection).catch(() => 0); // a server that does not answer serves nobody
    if (clients === 0 || look === 10) return clients > 0;
    await sleep(50);
  }
}
