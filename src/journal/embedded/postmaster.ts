// What is known of a cluster's server from outside: its lock file and the process table. Asks no one, changes nothing.
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";

export type Postmaster = {
  readonly pid: number;
  readonly socketFolder: string;
  readonly status: "starting" | "ready" | "stopping";
};

export function lockFileOf(cluster: string): string {
  return join(cluster, "postmaster.pid");
}

/** The server that runs on this cluster, if one does. Its lock file alone proves nothing: it outlives a kill -9. */
export function postmasterOf(cluster: string): Postmaster | undefined {
  // storage/pidfile.h: pid, data folder, start time, port, socket folder, address, shared memory, status
  const lines = linesOf(lockFileOf(cluster));
  const pid = Math.abs(Number(lines[0]));
  if (!pid || !livesIn(pid, cluster)) return undefined;
  const status = lines[7]?.trim() === "ready" ? "ready" : lines[7]?.trim() === "stopping" ? "stopping" : "starting";
  return { pid, socketFolder: lines[4] ?? "", status };
}

/** True when the lock file names a process that is something else: the number was given out again after a crash. */
export function lockFileNamesStranger(cluster: string): boolean {
  const pid = Math.abs(Number(linesOf(lockFileOf(cluster))[0]));
  return pid > 0 && commandOf(pid) !== undefined && !livesIn(pid, cluster);
}

/** PostgreSQL's processes on this cluster: also those that outlived a server that was killed. */
export function processesOn(cluster: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => livesIn(pid, cluster));
}

function livesIn(pid: number, cluster: string): boolean {
  if (commandOf(pid) !== "postgres") return false;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cluster;
  } catch {
    // Gone; or another user's, and this root may not look (a container without CAP_SYS_PTRACE): then by what it shows.
    return linesOf(`/proc/${pid}/cmdline`).some(
      (line) => line.includes(`\0${cluster}\0`) || line.includes(titleOf(cluster)),
    );
  }
}

/** The name that every process of the cluster's server carries in its title. */
export function titleOf(cluster: string): string {
  return `faregate-${statSync(cluster, { throwIfNoEntry: false })?.ino}`;
}

function commandOf(pid: number): string | undefined {
  return linesOf(`/proc/${pid}/comm`)[0];
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}
