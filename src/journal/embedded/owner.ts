// The system user that PostgreSQL runs as: whoever starts the gateway, or, because PostgreSQL refuses root,
// the system user `postgres` (created if missing) when root does.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { StartFault } from "../../start-fault.ts";

export type Owner = { readonly uid: number; readonly gid: number };

const SYSTEM_USER = "postgres";

/** The user to run a new cluster as, or one that exists: it keeps the owner it has. @throws StartFault */
export function ownerFor(cluster: string | undefined): Owner {
  const self = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  if (self.uid !== 0) return self;
  const existing = cluster === undefined ? undefined : statSync(cluster, { throwIfNoEntry: false });
  if (existing !== undefined && existing.uid !== 0) return { uid: existing.uid, gid: existing.gid };
  return findSystemUser() ?? createSystemUser();
}

/** What the user may do is asked of the kernel, which also knows of access lists and read-only mounts. */
export function mayEnter(owner: Owner, path: string): boolean {
  if (owner.uid === process.getuid?.()) return true;
  return spawnSync("/bin/sh", ["-c", '[ -x "$1" ]', "sh", path], { ...owner, cwd: "/" }).status === 0;
}

function findSystemUser(): Owner | undefined {
  const { stdout } = spawnSync("getent", ["passwd", SYSTEM_USER], { encoding: "utf8" });
  const [, uid, gid] = /^[^:]*:[^:]*:(\d+):(\d+):/.exec(stdout ?? "") ?? [];
  return uid === undefined || uid === "0" ? undefined : { uid: Number(uid), gid: Number(gid) };
}

function createSystemUser(): Owner {
  const shell = ["--shell", "/usr/sbin/nologin"];
  const made = spawnSync("useradd", ["--system", "--user-group", "--no-create-home", ...shell, SYSTEM_USER], {
    encoding: "utf8",
  });
  const user = findSystemUser(); // also when useradd failed: another start may have been faster
  if (user !== undefined) return user;
  throw new StartFault(
    `PostgreSQL does not run as root, and the system user ${SYSTEM_USER} could not be created ` +
      `(${made.error?.message ?? made.stderr.trim()}). Create it, or start the gateway as an ordinary user.`,
  );
}
