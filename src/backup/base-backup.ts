// The newest base backup of a folder, as pg_basebackup writes it, and an archive of the write-ahead log that is replayed to its end.

import { spawnSync } from "node:child_process";
import { chownSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reasonOf } from "../start-fault.ts";
import { BackupFault } from "./fault.ts";
import { findPrograms } from "./programs.ts";
import { gapAfter, type Names, type Restored } from "./restored.ts";
import { gigabytes, type Scratch } from "./scratch.ts";
import { startServer, superuserOf } from "./server.ts";

export interface BaseSource {
  /** A base backup, or a folder with several of them. */
  readonly base: string;
  /** The archive, as archive_command or pg_receivewal fills it. Without it, what the backup brought. */
  readonly wal?: string | undefined;
  readonly pgBin?: string | undefined;
}

/** @throws BackupFault */
export async function restoreBase(
  scratch: Scratch,
  names: Names,
  { base, wal, pgBin }: BaseSource,
  say: (line: string) => void,
): Promise<Restored> {
  const { folder, finishedAt } = newestIn(base);
  if (wal !== undefined) requireReadable(scratch, wal);
  const data = scratch.own("data");
  const bytes = await sizeOf(scratch, folder);
  scratch.requireRoom(bytes);
  say(`Copying base backup ${folder} (${gigabytes(bytes)}) …`);
  await copy(scratch, folder, data);
  const postgresql = readFileSync(join(data, "PG_VERSION"), "utf8").trim();
  requireWhole(data, folder);
  const programs = findPrograms(["postgres"], {
    ...{ major: Number(postgresql), owner: scratch.owner, base: scratch.folder },
    ...(pgBin !== undefined && { given: pgBin }),
  });
  const labelFile = join(data, "backup_label");
  const label = existsSync(labelFile) ? readFileSync(labelFile, "utf8") : undefined;
  if (label !== undefined) writeOwn(scratch, join(data, "recovery.signal"));
  const server = await startServer(scratch, programs, data, say, {
    settings: { restore_command: wal === undefined ? "false" : FROM_ARCHIVE },
    env: { WAL: wal ?? "" },
  });
  const user = await superuserOf(server, names.user, names.database);
  return {
    backup: { kind: "base", name: folder, finished_at: finishedAt.toISOString(), bytes, postgresql },
    address: server.address(user, names.database),
    findings: wal === undefined ? [] : gapAfter(server.lastReplayed ?? firstNeededIn(label), newestWalIn(wal)),
  };
}

/** As archive_command copied it, compressed by gzip, or the file that pg_receivewal is still filling. */
const FROM_ARCHIVE =
  'if test -f "$WAL/%f"; then cp "$WAL/%f" "%p"; elif test -f "$WAL/%f.gz"; then gzip -dc "$WAL/%f.gz" > "%p"; ' +
  'else test -f "$WAL/%f.partial" && cp "$WAL/%f.partial" "%p"; fi';

function newestIn(folder: string): { readonly folder: string; readonly finishedAt: Date } {
  const names = namesIn(folder);
  const candidates = isBackup(folder) ? [folder] : names.map((name) => join(folder, name)).filter(isBackup);
  const [newest] = candidates
    .map((one) => ({ folder: one, finishedAt: finishedAtOf(one) }))
    .sort((one, other) => other.finishedAt.getTime() - one.finishedAt.getTime());
  if (newest !== undefined) return newest;
  throw new BackupFault(
    `There is no base backup in ${folder}: neither PG_VERSION nor base.tar is in it, or in one of its folders.`,
  );
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new BackupFault(`Cannot read ${folder}: ${reasonOf(error)}.`);
  }
}

const tarIn = (folder: string, name: string): string | undefined =>
  [`${name}.tar`, `${name}.tar.gz`].map((file) => join(folder, file)).find((file) => existsSync(file));

const isBackup = (folder: string): boolean =>
  existsSync(join(folder, "PG_VERSION")) || tarIn(folder, "base") !== undefined;

/** pg_basebackup writes the manifest last. */
function finishedAtOf(folder: string): Date {
  const last = [
    join(folder, "backup_manifest"),
    join(folder, "backup_label"),
    tarIn(folder, "base"),
    join(folder, "PG_VERSION"),
  ];
  const file = last.find((one) => one !== undefined && existsSync(one));
  return statSync(file ?? folder).mtime;
}

async function sizeOf(scratch: Scratch, folder: string): Promise<number> {
  const { stdout } = await scratch.run("du", ["-sb", folder], { asSelf: true });
  return Number(/^\d+/.exec(stdout)?.[0] ?? 0);
}

async function copy(scratch: Scratch, folder: string, data: string): Promise<void> {
  const run = async (program: string, ...args: readonly string[]) => {
    const { code, stderr } = await scratch.run(program, args, { asSelf: true });
    if (code !== 0) throw new BackupFault(`Cannot copy ${folder}: ${stderr.trim().split("\n").at(0)}.`);
  };
  const tar = tarIn(folder, "base");
  if (tar === undefined) await run("cp", "-a", "--reflink=auto", `${folder}/.`, data);
  else {
    await run("tar", "-xf", tar, "-C", data);
    const wal = tarIn(folder, "pg_wal");
    if (wal !== undefined) await run("tar", "-xf", wal, "-C", join(data, "pg_wal"));
  }
  for (const name of ["postmaster.pid", "standby.signal"]) rmSync(join(data, name), { force: true });
  const { uid, gid } = scratch.owner;
  await run("chown", "-R", `${uid}:${gid}`, data);
  await run("chmod", "700", data);
}

/** Offset of `state` in PostgreSQL's control file (catalog/pg_control.h), after three numbers of 8, 4 and 4 bytes. */
const STATE_AT = 16;
const SHUT_DOWN = [1, 2];

/** A copy of a running server's files that pg_basebackup did not make is damaged without anybody noticing. */
function requireWhole(data: string, folder: string): void {
  const tablespaces = readdirSync(join(data, "pg_tblspc"));
  const map = statSync(join(data, "tablespace_map"), { throwIfNoEntry: false });
  if (tablespaces.length > 0 || (map?.size ?? 0) > 0)
    throw new BackupFault(`${folder} has tablespaces, which would be written to: use pgBackRest, which can move them.`);
  if (existsSync(join(data, "backup_label"))) return;
  const state = readFileSync(join(data, "global/pg_control")).readUInt32LE(STATE_AT);
  if (SHUT_DOWN.includes(state)) return;
  throw new BackupFault(
    `${folder} is a copy of a running server's files without backup_label, and cannot be relied on: make backups with pg_basebackup.`,
  );
}

function requireReadable({ owner }: Scratch, wal: string): void {
  const newest = namesIn(wal).filter(isWal).sort().at(-1);
  for (const path of [wal, ...(newest === undefined ? [] : [join(wal, newest)])]) {
    const { status } = spawnSync("/bin/sh", ["-c", '[ -r "$1" ]', "sh", path], { ...owner, cwd: "/" });
    if (status !== 0)
      throw new BackupFault(
        `The user that PostgreSQL runs as (uid ${owner.uid}) cannot read ${path}: let it read the archive.`,
      );
  }
}

const WAL = /^([0-9A-F]{24})(\.gz|\.partial)?$/;
const isWal = (name: string): boolean => WAL.test(name);

const newestWalIn = (wal: string): string | undefined =>
  namesIn(wal)
    .flatMap((name) => WAL.exec(name)?.[1] ?? [])
    .sort()
    .at(-1);

/** `START WAL LOCATION: 0/3000028 (file 000000010000000000000003)` */
const firstNeededIn = (label: string | undefined): string | undefined =>
  /^START WAL LOCATION: .*\(file ([0-9A-F]{24})\)/m.exec(label ?? "")?.[1];

function writeOwn({ owner }: Scratch, file: string): void {
  writeFileSync(file, "", { mode: 0o600 });
  chownSync(file, owner.uid, owner.gid);
}
