// What is made once in a run of the tests, by whichever of its processes needs it first, for all of them: a folder that is copied.
// A file that is run by itself has it made for its own process.

import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { holdLock } from "../bin/install-lock.mjs";
import { existingPlace } from "../src/journal/embedded/place.ts";

/** Whether there are others to make it for. */
export const inRun = (): boolean => process.env.TEST_RUN_FOLDER !== undefined;

/**
 * @param make fills an empty folder, which is moved to its place then: nobody sees a half of it
 * @returns the folder, which stays as it is
 */
export async function madeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const place = join(home(), name);
  if (existsSync(place)) return place;
  // The system takes it back from a process that is killed.
  const release = await holdLock(place, () => undefined);
  try {
    if (existsSync(place)) return place;
    const draft = openFolder(`${place}-`);
    await make(draft);
    renameSync(draft, place);
    return place;
  } finally {
    release();
  }
}

/** With owners and modes: a database is another user's. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)("cp", ["-a", "--reflink=auto", `${from}/.`, to]);
}

/** Where a data folder's database lies outside of it, a copy would be the same database: then the folder is empty, and so are copies. */
export function emptyIfElsewhere(dataFolder: string): void {
  const place = existingPlace(dataFolder);
  if (place === undefined || place.base === dataFolder) return;
  for (const folder of [place.base, dataFolder]) rmSync(folder, GONE);
  mkdirSync(dataFolder, { mode: 0o711 });
}

let own: string | undefined;

/** The run's folder, or this process's, which ends with it. */
function home(): string {
  own ??= process.env.TEST_RUN_FOLDER ?? ownFolder();
  return own;
}

function ownFolder(): string {
  const folder = openFolder(join(realpathSync(tmpdir()), "faregate-once-"));
  process.once("exit", () => rmSync(folder, GONE));
  return folder;
}

const GONE = { recursive: true, force: true } as const;

/** The user that PostgreSQL runs as passes through. */
function openFolder(prefix: string): string {
  const folder = mkdtempSync(prefix);
  chmodSync(folder, 0o711);
  return folder;
}
