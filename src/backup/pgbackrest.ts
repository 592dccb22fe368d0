// The newest backup of a pgBackRest stanza, restored by pgBackRest itself, and its archive replayed to the end.

import { spawnSync } from "node:child_process";
import { count, list, object, text } from "../journal/rows.ts";
import { BackupFault } from "./fault.ts";
import { findPrograms } from "./programs.ts";
import { gapAfter, type Names, type Restored } from "./restored.ts";
import { gigabytes, type Scratch } from "./scratch.ts";
import { startServer, superuserOf } from "./server.ts";

export interface PgBackRestSource {
  readonly stanza: string;
  /** pgBackRest's configuration file, if it is not where pgBackRest looks for it. */
  readonly config?: string | undefined;
  readonly pgBin?: string | undefined;
}

/** @throws BackupFault */
export async function restorePgBackRest(
  scratch: Scratch,
  names: Names,
  { stanza, config, pgBin }: PgBackRestSource,
  say: (line: string) => void,
): Promise<Restored> {
  const env = environmentOf(scratch);
  const common = [
    `--stanza=${stanza}`,
    ...(config === undefined ? [] : [`--config=${config}`]),
    "--log-level-file=off",
  ];
  const run = async (parameters: readonly string[], line?: (text: string) => void) => {
    const ended = await scratch.run("pgbackrest", parameters, { env, ...(line && { line }) });
    if (ended.code !== 0) throw new BackupFault(`pgBackRest: ${complaintOf(ended.stderr || ended.stdout)}`);
    return ended.stdout;
  };
  const newest = newestOf(await run([...common, "--output=json", "info"]), stanza);
  scratch.requireRoom(newest.bytes);
  const programs = findPrograms(["postgres"], {
    ...{ major: Number(newest.postgresql), owner: scratch.owner, base: scratch.folder },
    ...(pgBin !== undefined && { given: pgBin }),
  });
  say(`Restoring backup ${newest.label} (${gigabytes(newest.bytes)}) …`);
  const data = scratch.own("data");
  const places = [`--pg1-path=${data}`, `--tablespace-map-all=${scratch.own("tablespaces")}`];
  const restoring = ["--type=default", "--archive-mode=off", "--log-level-console=detail", "--log-level-stderr=off"];
  await run([...common, ...places, ...restoring, "restore"], everyTenSeconds(say));
  const server = await startServer(scratch, programs, data, say, { env });
  const user = await superuserOf(server, names.user, names.database);
  const { label, bytes, finishedAt, postgresql } = newest;
  return {
    backup: { kind: "pgbackrest", name: label, finished_at: finishedAt, bytes, postgresql },
    address: server.address(user, names.database),
    findings: gapAfter(server.lastReplayed ?? newest.lastNeeded, newest.newestArchived),
  };
}

interface Newest {
  readonly label: string;
  readonly bytes: number;
  readonly finishedAt: string;
  readonly postgresql: string;
  /** Of the write-ahead log: without it the backup is not whole. */
  readonly lastNeeded: string;
  readonly newestArchived: string | undefined;
}

/** https://pgbackrest.org/command.html#command-info */
function newestOf(json: string, stanza: string): Newest {
  const one = list(object)(JSON.parse(json)).find(({ name }) => name === stanza);
  const backups = list(object)(one?.backup ?? []);
  const backup = backups.at(-1);
  if (one === undefined || backup === undefined) {
    const { message } = object(one?.status ?? {});
    throw new BackupFault(
      `pgBackRest has no backup of stanza ${stanza}${message === undefined ? "" : ` (${text(message)})`}: look at pgbackrest --stanza=${stanza} check`,
    );
  }
  const database = count(object(backup.database).id);
  const version = list(object)(one.db).find(({ id }) => id === database)?.version;
  const archives = list(object)(one.archive ?? []).filter((archive) => object(archive.database).id === database);
  const newestArchived = archives.at(-1)?.max;
  return {
    label: text(backup.label),
    bytes: count(object(backup.info).size),
    finishedAt: new Date(count(object(backup.timestamp).stop) * 1_000).toISOString(),
    postgresql: text(version),
    lastNeeded: text(object(backup.archive).stop),
    newestArchived: typeof newestArchived === "string" ? newestArchived : undefined,
  };
}

/**
 * pgBackRest reads options from its environment, too; a repository at another host needs the user's home for its keys. Its places are its
 * own here, so that neither a restore nor a standby on this machine notices anything.
 */
function environmentOf(scratch: Scratch): NodeJS.ProcessEnv {
  const given = Object.entries(process.env).filter(([name]) => name.startsWith("PGBACKREST_"));
  const user = spawnSync("getent", ["passwd", `${scratch.owner.uid}`], { encoding: "utf8" }).stdout ?? "";
  return {
    ...Object.fromEntries(given),
    HOME: user.trim().split(":")[5] ?? "/",
    PGBACKREST_LOCK_PATH: scratch.own("lock"),
    PGBACKREST_SPOOL_PATH: scratch.own("spool"),
    PGBACKREST_LOG_LEVEL_FILE: "off",
  };
}

const complaintOf = (output: string): string =>
  output
    .split("\n")
    .filter((line) => /\bERROR: /.test(line))
    .map((line) => line.replace(/^.*?ERROR: (\[\d+\]: )?/, ""))
    .at(0) ??
  (output.trim().split("\n").at(-1) || "it ended without a word");

const SAY_EVERY_MS = 10_000;

/** pgBackRest names each file that it has restored, with how much of all that is. */
function everyTenSeconds(say: (line: string) => void): (line: string) => void {
  let nextMs = performance.now() + SAY_EVERY_MS;
  return (line) => {
    const [, part] = /restore file .*?(\d+(?:\.\d+)?%)/.exec(line) ?? [];
    if (part === undefined || performance.now() < nextMs) return;
    nextMs = performance.now() + SAY_EVERY_MS;
    say(`Restoring … ${part}`);
  };
}
