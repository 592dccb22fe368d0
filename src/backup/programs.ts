// PostgreSQL's programs on this machine, by version: a copy of a cluster only starts under the version that made it.

import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import { binariesFor, MAJOR_VERSION } from "../journal/embedded/binaries.ts";
import { mayEnter, type Owner } from "../journal/embedded/owner.ts";
import { StartFault } from "../start-fault.ts";
import { BackupFault } from "./fault.ts";

export type Program = "postgres" | "initdb" | "pg_restore" | "psql";

export interface Programs {
  /** The folder in which they are. */
  readonly folder: string;
  /** 15 */
  readonly major: number;
}

/** Debian, Red Hat, and PostgreSQL's own default. */
const USUAL = ["/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin"];

/**
 * The newest PostgreSQL that has these programs.
 * @param major the version that made the copy; without it, any
 * @param given the operator's own folder; only that one is looked at then
 * @param base where a copy of the gateway's own PostgreSQL may lie, if it is used
 * @throws BackupFault
 */
export function findPrograms(
  needed: readonly Program[],
  {
    major,
    given,
    owner,
    base,
  }: { readonly major?: number; readonly given?: string; readonly owner: Owner; readonly base: string },
): Programs {
  const folders = given === undefined ? [...globSync(USUAL), ...pathFolders()] : [given];
  const found = folders
    .filter(
      (folder) =>
        needed.every((name) => existsSync(join(folder, name))) && mayEnter(owner, join(folder, needed[0] ?? "")),
    )
    .flatMap((folder) => {
      const version = majorOf(join(folder, needed[0] ?? ""));
      return version === undefined ? [] : [{ folder, major: version }];
    })
    .sort((one, other) => other.major - one.major);
  const fitting =
    found.find((one) => major === undefined || one.major === major) ?? own(needed, major, given, owner, base);
  if (fitting !== undefined) return fitting;
  const there = [...new Set(found.map((one) => one.major))].join(", ");
  throw new BackupFault(
    `${major === undefined ? "PostgreSQL's programs" : `The programs of PostgreSQL ${major}, which made the backup,`} (${needed.join(", ")}) ` +
      `are not ${given === undefined ? "on this machine" : `in ${given}`}${there === "" ? "" : ` (found: ${there})`}: install them, ` +
      "or name their folder with --pg-bin.",
  );
}

/** The PostgreSQL that comes with the gateway has a server, and no other programs. */
function own(
  needed: readonly Program[],
  major: number | undefined,
  given: string | undefined,
  owner: Owner,
  base: string,
): Programs | undefined {
  if (given !== undefined || (major !== undefined && major !== Number(MAJOR_VERSION))) return undefined;
  if (needed.some((name) => name !== "postgres" && name !== "initdb")) return undefined;
  try {
    return { folder: dirname(binariesFor(owner, base).postgres), major: Number(MAJOR_VERSION) };
  } catch (fault) {
    if (fault instanceof StartFault) return undefined;
    throw fault;
  }
}

const pathFolders = (): string[] => (process.env.PATH ?? "").split(":").filter((folder) => folder.startsWith("/"));

function majorOf(program: string): number | undefined {
  const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  const [, major] = /\(PostgreSQL\) (\d+)/.exec(stdout ?? "") ?? [];
  return major === undefined ? undefined : Number(major);
}
