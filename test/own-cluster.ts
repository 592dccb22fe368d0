// PostgreSQL servers of a test's own from the system's packages, with all programs that come with them: to be backed up, followed by a
// standby, killed and deleted.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "../bench/free-port.ts";
import { openPool, type Sql } from "../src/journal/database.ts";
import { ownerFor } from "../src/journal/embedded/owner.ts";
import { SYSTEM_POSTGRES } from "./system-programs.ts";

const OWNER = ownerFor(undefined);

/** Runs a program of the system as the owner of clusters. @throws with what it said */
export async function asOwner(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const options = { ...OWNER, cwd: "/", env: { PATH: process.env.PATH, LC_ALL: "C", ...env }, maxBuffer: 2 ** 26 };
  try {
    return (await promisify(execFile)(program, [...args], options)).stdout;
  } catch (fault) {
    const { stdout = "", stderr = "" } = fault as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${program} ${args.join(" ")}: ${stderr || stdout || fault}`);
  }
}

/** A folder that belongs to the owner of clusters. */
export function ownersFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chownSync(path, OWNER.uid, OWNER.gid);
  return path;
}

export interface OwnCluster {
  readonly data: string;
  readonly port: number;
  /** The folder of its socket. */
  readonly sockets: string;
  readonly url: string;
  readonly pool: Sql;
  start(): Promise<void>;
  /** In order. */
  stop(): Promise<void>;
  /** All of its processes at once, as when the machine loses power. */
  kill(): Promise<void>;
  log(): string;
}

const PASSWORD = "faregate";
const READY_WITHIN_MS = 60_000;

/**
 * A cluster with the gateway's role and database, which runs.
 * @param folder that its owner can reach
 * @param settings of postgresql.conf
 */
export async function ownCluster(folder: string, settings: Readonly<Record<string, string>> = {}): Promise<OwnCluster> {
  const data = join(ownersFolder(folder), "data");
  await asOwner(join(bin(), "initdb"), ["-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-sync"]);
  const cluster = await clusterAt(folder, settings);
  await cluster.start();
  const admin = openPool({ ...addressOf(cluster), user: "postgres", database: "postgres" }, "test");
  await admin.unsafe(`create role faregate login password '${PASSWORD}' in role pg_monitor`);
  await admin.unsafe("grant execute on function pg_control_system() to faregate");
  await admin.unsafe("create database faregate owner faregate");
  await admin.end({ timeout: 1 });
  return cluster;
}

const bin = (): string => {
  if (SYSTEM_POSTGRES === undefined) throw new Error("the system has no PostgreSQL");
  return SYSTEM_POSTGRES;
};

const addressOf = ({ sockets, port }: Pick<OwnCluster, "sockets" | "port">) => ({
  ...{ host: sockets, port, user: "faregate", password: PASSWORD, database: "faregate" },
});

/** The cluster in this folder, if it is there, or whatever is restored there. It does not run yet. */
async function clusterAt(folder: string, settings: Readonly<Record<string, string>> = {}): Promise<OwnCluster> {
  const data = join(folder, "data");
  const sockets = ownersFolder(join(folder, "s"));
  const port = await freePort();
  const logFile = join(folder, "log");
  const config = join(folder, "postgresql.conf");
  const all = {
    ...{ listen_addresses: "127.0.0.1", port: `${port}`, unix_socket_directories: sockets, fsync: "off" },
    ...{ shared_buffers: "64MB", max_wal_size: "512MB", max_connections: "100", ...settings },
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
  writeFileSync(config, lines.join(""), { mode: 0o644 });
  writeFileSync(
    join(folder, "hba.conf"),
    "local all all trust\nlocal replication all trust\nhost all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n",
  );
  for (const name of ["postgresql.conf", "hba.conf"]) chmodSync(join(folder, name), 0o644);
  let child: ChildProcess | undefined;
  const cluster: Omit<OwnCluster, "pool"> = {
    ...{ data, port, sockets },
    url: `postgres://faregate:${PASSWORD}@127.0.0.1:${port}/faregate`,
    start: async () => {
      const log = openSync(logFile, "a", 0o644);
      const hba = `hba_file=${join(folder, "hba.conf")}`;
      child = spawn(join(bin(), "postgres"), ["-D", data, "-c", `config_file=${config}`, "-c", hba], {
        ...OWNER,
        ...{ cwd: "/", env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" }, stdio: ["ignore", log, log] },
      });
      running.add(child);
      const isReady = () =>
        asOwner(join(bin(), "pg_isready"), ["-q", "-h", sockets, "-p", `${port}`]).then(
          () => true,
          () => false,
        );
      for (const since = performance.now(); !(await isReady()); await sleep(50))
        if (child.exitCode !== null || child.signalCode !== null || performance.now() - since > READY_WITHIN_MS)
          throw new Error(`PostgreSQL does not start: ${readFileSync(logFile, "utf8").slice(-2_000)}`);
    },
    stop: () => ended("SIGINT"),
    kill: () => ended("SIGKILL"),
    log: () => readFileSync(logFile, "utf8"),
  };
  async function ended(signal: NodeJS.Signals): Promise<void> {
    const last = child;
    child = undefined;
    if (last === undefined || last.exitCode !== null || last.signalCode !== null) return;
    const gone = new Promise((resolve) => last.once("exit", resolve));
    // Its processes have groups of their own, and end when it is gone.
    for (const pid of signal === "SIGKILL" ? await childrenOf(last.pid ?? 0) : []) killed(pid);
    last.kill(signal);
    await gone;
    running.delete(last);
  }
  const pool = openPool({ ...addressOf(cluster) }, "test");
  return Object.assign(cluster, { pool });
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGQUIT");
});

async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.trim().split(" ").filter(Boolean).map(Number);
}

function killed(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** A standby of it, which runs, and follows as fast as it can. @param name under which the primary may wait for it */
export async function standbyOf(primary: OwnCluster, folder: string, name: string): Promise<OwnCluster> {
  const connection = `host=${primary.sockets} port=${primary.port} user=postgres application_name=${name}`;
  ownersFolder(folder);
  const parameters = ["--no-sync", "-c", "fast", "-R", "-D", join(folder, "data"), "-d", connection];
  await asOwner(join(bin(), "pg_basebackup"), parameters);
  const standby = await clusterAt(folder);
  await standby.start();
  return standby;
}

/** As its superuser. @returns what psql printed */
export const psql = ({ sockets, port }: OwnCluster, ...commands: readonly string[]): Promise<string> =>
  asOwner(join(bin(), "psql"), [
    ...["-h", sockets, "-p", `${port}`, "-U", "postgres", "-d", "postgres", "-At"],
    ...commands.flatMap((command) => ["-c", command]),
  ]);
