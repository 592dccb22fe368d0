// A cluster is PostgreSQL's word for the folder of one server's data. It is created beside its place and moved there
// whole, with its password: an interrupted creation leaves nothing that a later start would take for a database.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { reasonOf, StartFault } from "../../start-fault.ts";
import { MAJOR_VERSION } from "./binaries.ts";
import type { Owner } from "./owner.ts";
import { clusterOf, passwordFileOf } from "./place.ts";
import { relevantLine } from "./server-log.ts";

/** The role that owns everything; the gateway itself works under a lesser one. */
export const SUPERUSER = "postgres";

/** Creates an empty cluster in `folder`, which does not exist yet. @throws StartFault */
export async function createCluster(folder: string, initdb: string, owner: Owner): Promise<void> {
  removeDrafts(folder);
  let draft: string | undefined;
  try {
    // Never the draft of before: the initdb of a start that was killed may still be writing there.
    draft = mkdtempSync(`${folder}${DRAFT}`);
    if (owner.uid !== process.getuid?.()) {
      chownSync(draft, 0, owner.gid); // PostgreSQL's user passes through it and writes in its cluster only
      chmodSync(draft, 0o710);
    }
    mkdirSync(clusterOf(draft), { mode: 0o700 });
    const passwordFile = passwordFileOf(draft);
    writeFileSync(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600, flush: true });
    for (const path of [passwordFile, clusterOf(draft)]) chownSync(path, owner.uid, owner.gid);
    await runInitdb(initdb, clusterOf(draft), passwordFile, owner);
    syncFolder(draft);
    renameSync(draft, folder);
    syncFolder(dirname(folder));
  } catch (error) {
    if (draft !== undefined) rmSync(draft, { recursive: true, force: true });
    if (error instanceof StartFault) throw error;
    throw new StartFault(`Cannot create a database in ${dirname(folder)}: ${reasonOf(error)}.`);
  }
}

const DRAFT = ".draft-";

function removeDrafts(folder: string): void {
  for (const name of readdirSync(dirname(folder)).filter((entry) => entry.startsWith(basename(folder) + DRAFT))) {
    try {
      rmSync(join(dirname(folder), name), { recursive: true, force: true });
    } catch {
      // still being written to: a later start finds it again
    }
  }
}

/** @throws StartFault when the cluster is not one for the PostgreSQL of this package, or may not be read */
export function requireFitting(folder: string): void {
  let version: string;
  try {
    version = readFileSync(join(clusterOf(folder), "PG_VERSION"), "utf8").trim();
  } catch (error) {
    throw new StartFault(
      `Cannot read the database in ${folder}: ${reasonOf(error)}. Start the gateway as the user that it belongs to.`,
    );
  }
  if (version === MAJOR_VERSION) return;
  throw new StartFault(
    `The database in ${folder} is of PostgreSQL ${version}, and this gateway brings PostgreSQL ${MAJOR_VERSION}. ` +
      "Move the data over with pg_dump and pg_restore, or start the version of the gateway that made it.",
  );
}

/** @throws StartFault */
export function readPassword(folder: string): string {
  try {
    return readFileSync(passwordFileOf(folder), "utf8").trim();
  } catch (error) {
    throw new StartFault(`Cannot read the database's password in ${passwordFileOf(folder)}: ${reasonOf(error)}.`);
  }
}

async function runInitdb(initdb: string, cluster: string, passwordFile: string, owner: Owner): Promise<void> {
  const locale = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8"];
  const access = [`--username=${SUPERUSER}`, "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  const initdbProcess = spawn(initdb, ["-D", cluster, ...access, ...locale, "--data-checksums", "--no-instructions"], {
    ...owner,
    cwd: "/",
    env: SERVER_ENVIRONMENT,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [complaint, code] = await Promise.all([
    text(initdbProcess.stderr),
    new Promise<number | null>((resolve, reject) => initdbProcess.once("error", reject).once("close", resolve)),
  ]);
  if (code !== 0)
    throw new StartFault(`Cannot create a database in ${dirname(dirname(cluster))}: ${relevantLine(complaint)}.`);
}

/** PostgreSQL gets nothing of the gateway's environment: it may hold secrets. */
export const SERVER_ENVIRONMENT: NodeJS.ProcessEnv = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/** Makes the names in a folder survive a power failure, as fsync on a file does for its content. */
function syncFolder(folder: string): void {
  const entries = openSync(folder, "r");
  fsyncSync(entries);
  closeSync(entries);
}
