// Programs of the system's packages that some tests need, and which of them this machine lacks. No npm package has them.

import { globSync } from "node:fs";
import { join } from "node:path";

/** Debian's folders have the version in their name. */
function majorOf(folder: string): number {
  return Number(/postgresql\/(\d+)/.exec(folder)?.[1]);
}

/** The folder of the newest PostgreSQL that the system's packages brought. */
export const SYSTEM_POSTGRES = globSync("/usr/lib/postgresql/*/bin/pg_basebackup")
  .map((program) => program.replace(/\/pg_basebackup$/, ""))
  .sort((one, other) => majorOf(other) - majorOf(one))
  .at(0);

const isInstalled = (program: string): boolean =>
  (process.env.PATH ?? "").split(":").some((folder) => globSync(join(folder, program)).length > 0);

/** @returns what is missing, in words; undefined: nothing */
export function missingPrograms(program?: "pgbackrest" | "haproxy"): string | undefined {
  if (SYSTEM_POSTGRES === undefined) return "PostgreSQL's own programs (Debian: postgresql)";
  return program === undefined || isInstalled(program) ? undefined : `${program} (Debian: ${program})`;
}

/** A line for each group of tests that is skipped. */
export const SKIPPED_WITHOUT_PROGRAMS: readonly string[] = (["pgbackrest", "haproxy"] as const).flatMap((program) => {
  const missing = missingPrograms(program);
  const what = program === "pgbackrest" ? "The recovery drill and checks of backups" : "The failover tests";
  return missing === undefined ? [] : [`${what} were skipped: they need ${missing}.`];
});
