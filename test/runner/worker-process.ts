// A worker's process with what belongs to it: a process group, and a folder for all its temporary files.

import { type ChildProcess, fork } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { GROUP_FILE } from "../../bench/gateway.ts";
import { postmasterOf } from "../../src/journal/embedded/postmaster.ts";
import type { ToWorker } from "./messages.ts";

export interface WorkerProcess {
  readonly child: ChildProcess;
  readonly folder: string;
}

const WORKER = join(import.meta.dirname, "worker.ts");
const REPORTER = join(import.meta.dirname, "reporter.ts");
/** Of Node: halves what each of the many starts costs. */
export const COMPILE_CACHE = join(import.meta.dirname, "../../node_modules/.cache/faregate/compiled");
const CLOSING_MS = 30_000;
const POLL_MS = 20;

/** @param folder which is made here */
export function startWorker(folder: string, env: NodeJS.ProcessEnv): WorkerProcess {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o711); // the user that PostgreSQL runs as passes through
  const child = fork(WORKER, [folder], {
    // Not the launcher's options, with which a gateway holds little memory, for more of the collector's time.
    execArgv: ["--use-largepages=silent", "--max-semi-space-size=32", `--test-reporter=${REPORTER}`],
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...env,
      TMPDIR: folder,
      NODE_TEST_CONTEXT: undefined,
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true, // a group of its own, with whatever the tests start
  });
  return { child, folder };
}

/** Lets it stop what it started; then removes what is left of it. */
export async function closeWorker(worker: WorkerProcess): Promise<void> {
  const { child } = worker;
  if (child.connected) child.send("no more" satisfies ToWorker, () => child.connected && child.disconnect());
  for (let waited = 0; waited < CLOSING_MS && !hasEnded(child); waited += POLL_MS) await sleep(POLL_MS);
  await killWorker(worker);
}

/** At once, with all that it started. */
export async function killWorker({ child, folder }: WorkerProcess): Promise<void> {
  signal(-(child.pid ?? 0), "SIGKILL");
  await removeFolder(folder);
}

export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** Gateways and database servers on data in this folder are ended first: in groups of their own, they outlive who started them. */
export async function removeFolder(folder: string): Promise<void> {
  for (const file of globSync(`**/${GROUP_FILE}`, { cwd: folder })) signal(-groupIn(join(folder, file)), "SIGKILL");
  await endServers(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** What a runner that was killed leaves: in memory it would stay until the machine is started anew. */
export function removeRunIfLast(folder: string): void {
  if (!existsSync(folder)) return;
  const ofWorkers = readdirSync(folder).filter((name) => /^\w+(-own)?-\d+$/.test(name));
  if (ofWorkers.length === 0) rmSync(folder, { recursive: true, force: true });
}

function groupIn(file: string): number {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0; // stopped meanwhile
  }
}

async function endServers(folder: string): Promise<void> {
  for (const lockFile of globSync("**/postmaster.pid", { cwd: folder })) {
    const cluster = dirname(join(folder, lockFile));
    for (let waited = 0; waited < CLOSING_MS; waited += POLL_MS) {
      const server = postmasterOf(cluster);
      if (server === undefined) break;
      signal(server.pid, "SIGQUIT"); // without a checkpoint: the data is to be removed
      await sleep(POLL_MS);
    }
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    if (pid !== 0) process.kill(pid, name);
  } catch {
    // It is gone.
  }
}
