// The database's machine: a cluster that pgBackRest backs up as docs/backups.md says, by the page's own commands. It is lost as a whole, and
// restored on the next one.

import { execFile } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { compiled } from "../compiled.ts";
import { type OwnCluster, ownCluster, ownersFolder } from "../own-cluster.ts";
import { SYSTEM_POSTGRES } from "../system-programs.ts";
import { blockWith } from "./page.ts";

export interface Machine {
  readonly cluster: OwnCluster;
  /** Runs commands as an operator at its shell. @returns what they printed */
  shell(commands: string, env?: NodeJS.ProcessEnv): Promise<Ran>;
  /** The block of the page that has these words. @param instead texts of the page that are others here */
  page(words: string, instead?: Readonly<Record<string, string>>): Promise<Ran>;
  /** What is written so far is in the archive. */
  archived(): Promise<void>;
  /** All processes are killed, and the disk is gone; its successor is empty. */
  lose(): Promise<void>;
  end(): Promise<void>;
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const LONGEST_MS = 180_000;

/** In a folder that its owner can reach. */
export async function openMachine(folder: string): Promise<Machine> {
  const place = ownersFolder(join(folder, "machine"));
  const config = join(folder, "pgbackrest.conf");
  process.env.PGBACKREST_CONFIG = config;
  const cluster = await ownCluster(place, { wal_level: "replica" });
  const backups = ownersFolder(join(folder, "backups"));
  const own = `pg1-port=${cluster.port}\npg1-socket-path=${cluster.sockets}\npg1-user=postgres\n`;
  const global = `log-path=${backups}\nlock-path=${backups}/lock\n`;
  const places: Record<string, string> = {
    "/var/lib/postgresql/15/main": cluster.data,
    "/var/lib/pgbackrest": backups,
    "/etc/faregate/environment": join(folder, "environment"),
  };
  const placed = (text: string, instead: Readonly<Record<string, string>> = {}) =>
    Object.entries({ ...places, ...instead }).reduce((all, [shown, here]) => all.replaceAll(shown, here), text);
  writeFileSync(config, `${placed(blockWith("[global]")).replace("[global]\n", `[global]\n${global}`)}${own}`, {
    mode: 0o644,
  });
  const bin = join(folder, "bin");
  writeShims(bin, folder, cluster);
  const shell = async (commands: string, env: NodeJS.ProcessEnv = {}): Promise<Ran> => {
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    const own = { PGHOST: cluster.sockets, PGPORT: `${cluster.port}`, PGUSER: "postgres", PGBACKREST_CONFIG: config };
    const options = {
      ...{ cwd: folder, timeout: LONGEST_MS, maxBuffer: 2 ** 26 },
      env: { PATH: `${bin}:${PATH}`, HOME, NODE_COMPILE_CACHE, TMPDIR: join(folder, "tmp"), ...own, ...env },
    };
    return promisify(execFile)("bash", ["-e", "-o", "pipefail", "-c", commands], options).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout = "", stderr = "" }) => ({ code: Number(code ?? -1), stdout, stderr }),
    );
  };
  mkdirSync(join(folder, "tmp"), { mode: 0o711 });
  // The page's own commands start it, so nobody else ends it where the drill is broken off.
  process.once("exit", () => killServer(cluster.data));
  return {
    cluster,
    shell,
    page: async (words, instead) => {
      const ran = await shell(placed(blockWith(words), instead));
      if (ran.code !== 0)
        throw new Error(
          `${placed(blockWith(words), instead)}${ran.code}: ${ran.stdout}${ran.stderr}${textOf(join(folder, "machine/server.log")).slice(-2_000)}`,
        );
      return ran;
    },
    archived: async () => {
      const psql = async (query: string) => (await shell(`psql -Atc "${query}"`)).stdout.trim();
      const file = await psql("select pg_walfile_name(pg_switch_wal())");
      for (const since = performance.now(); performance.now() - since < LONGEST_MS; await sleep(100))
        if ((await psql("select last_archived_wal from pg_stat_archiver")) >= file) return;
      throw new Error(`${file} does not come into the archive`);
    },
    lose: async () => {
      await killAll(cluster.data);
      // As /run, the socket is gone too: its lock names a process that nobody may have collected yet.
      await shell(`rm -rf ${cluster.data} ${cluster.sockets}/.s.PGSQL.* && mkdir -m 700 ${cluster.data}`);
      const { uid, gid } = statSync(place);
      chownSync(cluster.data, uid, gid);
    },
    end: async () => {
      await cluster.pool.end({ timeout: 1 });
      await killAll(cluster.data);
      await cluster.stop();
    },
  };
}

/** What a server has and a test has not: `sudo`, `systemctl` and `npx`. */
function writeShims(bin: string, folder: string, { data }: OwnCluster): void {
  mkdirSync(bin, { mode: 0o755 });
  const asPostgres = process.getuid?.() === 0 ? "setpriv --reuid=postgres --regid=postgres --clear-groups" : "";
  const conf = join(folder, "machine");
  const options = `-c config_file=${conf}/postgresql.conf -c hba_file=${conf}/hba.conf`;
  const pgCtl = `${asPostgres} ${SYSTEM_POSTGRES}/pg_ctl -D ${data} -w -t 120 -l ${conf}/server.log -o "${options}"`;
  for (const [name, script] of Object.entries({
    sudo: `if [ "$1" = -u ]; then shift 2; cd /; exec ${asPostgres} "$@"; fi\nexec "$@"`,
    systemctl: `cd /\n[ "$1" != start ] && { ${pgCtl} -m fast stop > /dev/null 2>&1 || true; }\n[ "$1" = stop ] || exec ${pgCtl} start > /dev/null`,
    npx: `[ "$1" = faregate ] || exit 64\nshift\nexec ${process.execPath} ${compiled("faregate")} "$@"`,
  })) {
    writeFileSync(join(bin, name), `#!/bin/bash\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
}

async function killAll(data: string): Promise<void> {
  for (const one of killServer(data))
    while (textOf(`/proc/${one}/comm`).startsWith("postgres") && !isZombie(one)) await sleep(10);
}

/** @returns its processes */
function killServer(data: string): readonly number[] {
  const pid = Number(textOf(join(data, "postmaster.pid")).split("\n")[0]);
  if (!(pid > 0 && textOf(`/proc/${pid}/comm`).startsWith("postgres"))) return [];
  const children = textOf(`/proc/${pid}/task/${pid}/children`).trim().split(" ").filter(Boolean).map(Number);
  for (const one of [pid, ...children]) kill(one);
  return [pid, ...children];
}

const isZombie = (pid: number): boolean => / Z /.test(textOf(`/proc/${pid}/stat`));

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
