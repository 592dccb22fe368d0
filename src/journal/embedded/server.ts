// Starts the PostgreSQL server of a cluster or finds the one that runs already, and stops it. The server is a process
// of its own: it outlives a gateway that is killed, and the next gateway goes on with it.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, rmSync, statfsSync } from "node:fs";
import { freemem, totalmem } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { reasonOf, StartFault } from "../../start-fault.ts";
import { SERVER_ENVIRONMENT } from "./cluster.ts";
import type { Owner } from "./owner.ts";
import { clusterOf, logFileOf } from "./place.ts";
import {
  lockFileNamesStranger,
  lockFileOf,
  type Postmaster,
  postmasterOf,
  processesOn,
  titleOf,
} from "./postmaster.ts";
import { logSince, logSize, openLog, relevantLine } from "./server-log.ts";
import { type Machine, serverSettings } from "./server-settings.ts";
import { hasSocket, PORT, prepareSockets } from "./sockets.ts";

export type Server = {
  /** The folder of the place: cluster, log and password. */
  readonly folder: string;
  /** The `postgres` program. */
  readonly postgres: string;
  readonly owner: Owner;
  /** The folder of its socket. */
  readonly sockets: string;
  readonly log: (line: string) => void;
  /** Over those of server-settings.ts. */
  readonly settings: Readonly<Record<string, string>>;
};

const POLL_MS = 10;
const SAY_AGAIN_MS = 15_000;
/** Replaying 8 GB of the write-ahead log takes minutes on a slow disk. */
const PATIENCE_MS = 600_000;
const ORPHAN_PATIENCE_MS = 1_000;
const ORPHAN_POLL_MS = 50; // each look reads the whole process table
const ATTEMPTS = 5;

export type Running = Postmaster & { readonly adopted: boolean };

/** Resolves when the server takes connections. To be called under the start lock. @throws StartFault */
export async function ensureRunning(server: Server, signal?: AbortSignal): Promise<Running> {
  const cluster = clusterOf(server.folder);
  for (let attempt = 1; ; attempt++) {
    const running = await readyOrGone(server, signal);
    if (running !== undefined && hasSocket(running.socketFolder)) return { ...running, adopted: true };
    if (running !== undefined) await stopServer(server.folder); // moved away from its socket: nobody can reach it
    await endOrphans(cluster);
    // PostgreSQL itself clears away any other lock file that a crash left.
    if (lockFileNamesStranger(cluster)) rmSync(lockFileOf(cluster), { force: true });
    const logStart = logSize(logFileOf(server.folder));
    const started = await readyOrGone(server, signal, await launch(server));
    if (started !== undefined) return { ...started, adopted: false };
    const complaint = logSince(logFileOf(server.folder), logStart);
    // Processes of a killed server may hold its memory a moment longer than they are seen.
    const passes = /pre-existing shared memory block|lock file .* already exists/.test(complaint);
    if (!passes || attempt >= ATTEMPTS) throw startFault(server, complaint);
    await sleep(250, undefined, { signal });
  }
}

/** Waits while a server of this cluster starts up, recovers or stops; `child` is the one that was just launched. */
async function readyOrGone(
  server: Server,
  signal?: AbortSignal,
  child?: ChildProcess,
): Promise<Postmaster | undefined> {
  const { folder, log } = server;
  for (let waitedMs = POLL_MS; ; waitedMs += POLL_MS) {
    const postmaster = postmasterOf(clusterOf(folder));
    const pending = child !== undefined && child.exitCode === null && child.signalCode === null;
    if (postmaster?.status === "ready" || (postmaster === undefined && !pending)) return postmaster;
    const state = `The database in ${folder} is still ${postmaster?.status ?? "starting"}`;
    if (waitedMs > PATIENCE_MS) throw new StartFault(`${state}. Its log is ${logFileOf(folder)}; start again later.`);
    if (waitedMs % SAY_AGAIN_MS === 0) log(`${state}: it may be recovering from a crash`);
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Ends what a killed server left behind: PostgreSQL does not start while one of its old processes still works. */
async function endOrphans(cluster: string): Promise<void> {
  for (let waitedMs = 0; waitedMs <= 2 * ORPHAN_PATIENCE_MS; waitedMs += ORPHAN_POLL_MS) {
    const orphans = processesOn(cluster);
    if (orphans.length === 0) return;
    // Nothing is lost: what they committed is in the write-ahead log, which the next start replays.
    if (waitedMs === ORPHAN_PATIENCE_MS) for (const pid of orphans) sendSignal(pid, "SIGKILL");
    await sleep(ORPHAN_POLL_MS);
  }
}

async function launch({ folder, postgres, owner, sockets, settings: given }: Server): Promise<ChildProcess> {
  prepareSockets(sockets, owner);
  const settings = {
    ...serverSettings(machineOf(folder)),
    unix_socket_directories: `"${sockets.replaceAll('"', '""')}"`,
    cluster_name: titleOf(clusterOf(folder)),
    ...given,
  };
  const log = openLog(logFileOf(folder), owner);
  try {
    // A session of its own: Ctrl-C in a terminal reaches the gateway, which stops it in order.
    const child = spawn(postgres, ["-D", clusterOf(folder), "-p", `${PORT}`, ...options(settings)], {
      ...owner,
      cwd: "/",
      env: SERVER_ENVIRONMENT,
      detached: true,
      stdio: ["ignore", log, log],
    });
    child.unref();
    await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    return child;
  } catch (error) {
    throw new StartFault(`The database does not start: ${postgres}: ${reasonOf(error)}.`);
  } finally {
    closeSync(log);
  }
}

function options(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

function startFault({ folder }: Server, complaint: string): StartFault {
  return new StartFault(`The database does not start: ${relevantLine(complaint)}. Its log is ${logFileOf(folder)}`);
}

/** Stops a server in order, with what its clients have in flight undone. @throws StartFault if it takes too long */
export async function stopServer(folder: string): Promise<void> {
  const cluster = clusterOf(folder);
  const postmaster = postmasterOf(cluster);
  if (postmaster === undefined) return;
  sendSignal(postmaster.pid, "SIGINT"); // PostgreSQL's fast shutdown
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += POLL_MS) {
    if (postmasterOf(cluster)?.pid !== postmaster.pid && processesOn(cluster).length === 0) return;
    await sleep(POLL_MS);
  }
  throw new StartFault(`The database in ${folder} does not stop. Its log is ${logFileOf(folder)}`);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it ended by itself
  }
}

function machineOf(folder: string): Machine {
  const { bavail, bsize } = statfsSync(folder);
  const limit = process.constrainedMemory(); // of the container; 0 or beyond all measure without one
  const memoryBytes = limit > 0 ? Math.min(totalmem(), limit) : totalmem();
  return { memoryBytes, availableMemoryBytes: Math.min(freemem(), memoryBytes), freeDiskBytes: bavail * bsize };
}
