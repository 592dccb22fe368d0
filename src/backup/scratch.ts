// A folder for a copy of the database, and the programs that work in it. A guard, a process of its own, ends the programs and removes
// the folder when this process ends, also by kill -9: a copy of all payments must not stay behind.

import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Writable } from "node:stream";
import { SERVER_ENVIRONMENT } from "../journal/embedded/cluster.ts";
import { mayEnter, type Owner, ownerFor } from "../journal/embedded/owner.ts";
import { reasonOf } from "../start-fault.ts";
import { BackupFault } from "./fault.ts";

export interface Run {
  readonly env?: NodeJS.ProcessEnv;
  /** A file descriptor. */
  readonly stdin?: number;
  /** Both outputs, line by line. */
  readonly line?: (line: string) => void;
  /** As the user of this process, who may read what the copy's owner may not. */
  readonly asSelf?: boolean;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  /** The end of it. */
  readonly stderr: string;
}

export interface Fed {
  readonly stdin: Writable;
  readonly ended: Promise<Ended>;
}

export interface Scratch {
  readonly folder: string;
  /** Who owns the copy: PostgreSQL does not run as root. */
  readonly owner: Owner;
  /** A folder in it for the owner alone. */
  own(name: string): string;
  /** Whether so many bytes fit. @throws BackupFault */
  requireRoom(bytes: number): void;
  /** Runs a program to its end. @throws BackupFault if it cannot be started */
  run(program: string, args: readonly string[], options?: Run): Promise<Ended>;
  /** Runs a program that reads what it is fed. */
  feed(program: string, args: readonly string[], options: Pick<Run, "env" | "line">): Fed;
  /** Starts a program that goes on until it is closed. */
  start(program: string, args: readonly string[], stdio: StdioOptions, env?: NodeJS.ProcessEnv): ChildProcess;
  /** Ends everything and removes the folder. */
  close(): Promise<void>;
}

const PREFIX = "faregate-backup-";
const MOST_KEPT = 64 * 1024;

/** Reads until whoever started it is gone, then ends what is noted in `pids` and removes the folder, which may still be written to. */
const GUARD = `
trap '' INT TERM HUP
cat > /dev/null
pids=$(ls "$1/pids" 2> /dev/null)
for pid in $pids; do kill -TERM "-$pid" 2> /dev/null; done
sleep 0.1
for pid in $pids; do kill -QUIT "$pid" 2> /dev/null; done
n=0
while [ $n -lt 100 ]; do
  alive=
  for pid in $pids; do kill -0 "$pid" 2> /dev/null && alive=1; done
  [ -z "$alive" ] && break
  n=$((n + 1)); sleep 0.1
done
for pid in $pids; do kill -KILL "-$pid" 2> /dev/null; done
n=0
until rm -rf "$1" 2> /dev/null || [ $n -ge 50 ]; do n=$((n + 1)); sleep 0.1; done
`;

/** @param parent the folder that gets it @throws BackupFault */
export function openScratch(parent: string): Scratch {
  const owner = ownerFor(undefined);
  const folder = newFolder(parent, owner);
  const guard = spawn("/bin/sh", ["-c", GUARD, "guard", folder], {
    ...{ cwd: "/", env: SERVER_ENVIRONMENT, detached: true },
    stdio: ["pipe", "ignore", "ignore"],
  });
  const gone = once(guard, "exit");
  guard.stdin.on("error", () => undefined);
  const start = (program: string, args: readonly string[], stdio: StdioOptions, env = {}, asSelf = false) => {
    const child = spawn(program, [...args], {
      ...(asSelf ? {} : owner),
      ...{ cwd: "/", env: { ...SERVER_ENVIRONMENT, ...env }, detached: true, stdio },
    });
    const { pid } = child;
    if (pid !== undefined) {
      const note = join(folder, "pids", `${pid}`);
      writeFileSync(note, "");
      child.once("exit", () => rmSync(note, { force: true }));
    }
    return child;
  };
  return {
    folder,
    owner,
    own: (name) => {
      const path = join(folder, name);
      mkdirSync(path, { mode: 0o700 });
      chownSync(path, owner.uid, owner.gid);
      return path;
    },
    requireRoom: (bytes) => {
      const { bavail, bsize } = statfsSync(folder);
      if (bytes <= bavail * bsize) return;
      throw new BackupFault(
        `The copy needs ${gigabytes(bytes)}, and ${parent} has ${gigabytes(bavail * bsize)}: name a folder with more room with --scratch.`,
      );
    },
    run: (program, args, { env, stdin, line, asSelf } = {}) =>
      ended(program, start(program, args, [stdin ?? "ignore", "pipe", "pipe"], env, asSelf), line),
    feed: (program, args, { env, line }) => {
      const child = start(program, args, ["pipe", "pipe", "pipe"], env);
      if (child.stdin === null) throw new Error("a pipe was asked for");
      return { stdin: child.stdin, ended: ended(program, child, line) };
    },
    start,
    close: async () => {
      guard.stdin.end();
      await gone;
    },
  };
}

function newFolder(parent: string, owner: Owner): string {
  let folder: string;
  try {
    folder = mkdtempSync(join(parent, PREFIX));
  } catch (error) {
    throw new BackupFault(`Cannot create a folder in ${parent}: ${reasonOf(error)}. Name another one with --scratch.`);
  }
  chmodSync(folder, 0o711);
  if (!mayEnter(owner, folder)) {
    rmSync(folder, { recursive: true });
    throw new BackupFault(
      `The user that PostgreSQL runs as (uid ${owner.uid}) cannot reach ${parent}: name another folder with --scratch.`,
    );
  }
  mkdirSync(join(folder, "pids"), { mode: 0o700 });
  return folder;
}

async function ended(program: string, child: ChildProcess, line?: (line: string) => void): Promise<Ended> {
  const kept = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    const stream = child[name];
    if (stream === null) continue;
    createInterface({ input: stream }).on("line", (text) => {
      kept[name] = name === "stdout" ? `${kept[name]}${text}\n` : `${kept[name]}${text}\n`.slice(-MOST_KEPT);
      line?.(text);
    });
  }
  const [code] = (await new Promise<unknown[]>((resolve, reject) => {
    child.once("error", (fault) => reject(new BackupFault(`Cannot run ${program}: ${reasonOf(fault)}.`)));
    child.once("close", (...result) => resolve(result));
  })) as [number | null];
  return { code, ...kept };
}

/** `3.2 GB` */
export const gigabytes = (bytes: number): string =>
  bytes < 10 ** 8 ? `${(bytes / 10 ** 6).toFixed(1)} MB` : `${(bytes / 10 ** 9).toFixed(1)} GB`;
