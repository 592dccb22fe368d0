// Where a data folder's database lies: in the folder itself, or, if the user that PostgreSQL runs as cannot get there
// (a project under /root), under /var/lib/faregate with a link from the data folder. The link is what binds the two:
// a data folder that was moved keeps its database, and one that was made anew at an old path never gets an old one.
import { createHash } from "node:crypto";
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readlinkSync, statSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { reasonOf, StartFault } from "../../start-fault.ts";
import { mayEnter, type Owner } from "./owner.ts";

export type Place = {
  /** The folder that holds cluster, password, log and, if its path is short enough, the socket. */
  readonly folder: string;
  /** What lies around `folder`: only root or the gateway's own user writes there. */
  readonly base: string;
  /** The link to be made in the data folder once the database exists. */
  readonly link: string | undefined;
};

const ELSEWHERE = "/var/lib/faregate";
const NAME = "postgresql";

export function clusterOf(folder: string): string {
  return join(folder, "cluster");
}

export function passwordFileOf(folder: string): string {
  return join(folder, "password");
}

export function logFileOf(folder: string): string {
  return join(folder, "postgresql.log");
}

/** The place where the data folder's database is, if there is one. `dataFolder` is a real path. @throws StartFault */
export function existingPlace(dataFolder: string): Place | undefined {
  const entry = join(dataFolder, NAME);
  const found = lstatSync(entry, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isSymbolicLink()) return { folder: entry, base: dataFolder, link: undefined };
  const folder = readlinkSync(entry);
  if (!existsSync(folder)) {
    throw new StartFault(
      `The database of this data folder was in ${folder}, which is gone. Restore it, ` +
        `or remove the link ${entry} to begin with an empty one.`,
    );
  }
  return { folder, base: dirname(folder), link: undefined };
}

/** A place for a new database, which its owner can reach. @throws StartFault */
export function newPlace(dataFolder: string, owner: Owner): Place {
  if (letThrough(dataFolder, owner)) return { folder: join(dataFolder, NAME), base: dataFolder, link: undefined };
  const base = unusedFolder(dataFolder);
  return { folder: join(base, NAME), base, link: join(dataFolder, NAME) };
}

/** An existing database that its owner cannot reach (any more) is a fault: never a reason to begin an empty one. */
export function requireReach(place: Place, owner: Owner): void {
  if (mayEnter(owner, place.folder) || letThrough(place.base, owner)) return;
  let barrier = place.folder;
  while (barrier !== "/" && !mayEnter(owner, dirname(barrier))) barrier = dirname(barrier);
  throw new StartFault(
    `The user that PostgreSQL runs as (uid ${owner.uid}) cannot reach the database in ${place.folder}. ` +
      `Let it through with: chmod o+x ${barrier}`,
  );
}

export function bindPlace(place: Place): void {
  if (place.link !== undefined) symlinkSync(place.folder, place.link);
}

/** Lets the owner's group pass through a closed data folder of root's (not list it), if that is all that is missing. */
function letThrough(folder: string, owner: Owner): boolean {
  if (mayEnter(owner, folder)) return true;
  const { uid, mode } = statSync(folder);
  const closedToGroup = (mode & 0o070) === 0; // else the group is somebody's choice
  if (uid !== process.getuid?.() || !closedToGroup || !mayEnter(owner, dirname(folder))) return false;
  try {
    chownSync(folder, uid, owner.gid);
    chmodSync(folder, (mode & 0o700) | 0o010);
  } catch {
    return false; // a file system without owners
  }
  return mayEnter(owner, folder);
}

function unusedFolder(dataFolder: string): string {
  const name = basename(dataFolder).replace(/[^A-Za-z0-9._-]/g, "_");
  const stem = `${name}-${createHash("sha256").update(dataFolder).digest("hex").slice(0, 8)}`;
  try {
    for (let number = 1; ; number++) {
      const base = join(ELSEWHERE, number === 1 ? stem : `${stem}-${number}`);
      if (existsSync(join(base, NAME))) continue; // of a data folder that is gone: not ours to use or to remove
      mkdirSync(base, { recursive: true });
      chmodSync(ELSEWHERE, 0o711);
      chmodSync(base, 0o711);
      return base;
    }
  } catch (error) {
    throw new StartFault(
      `The user that PostgreSQL runs as cannot reach the data folder ${dataFolder}, and ${ELSEWHERE} ` +
        `could not be used instead: ${reasonOf(error)}. Let it through with chmod o+x, or start as an ordinary user.`,
    );
  }
}
