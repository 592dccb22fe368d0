// A check of the newest backup from its restoring to its removing: whatever happens, nothing of the copy stays.

import { openPool, type Sql } from "../journal/database.ts";
import { type BaseSource, restoreBase } from "./base-backup.ts";
import { type Checked, checkCopy, type Keys } from "./check.ts";
import { type DumpSource, emptyAgain, requireEmpty, restoreDump } from "./dump.ts";
import { type PgBackRestSource, restorePgBackRest } from "./pgbackrest.ts";
import type { Names, Restored, ShownBackup } from "./restored.ts";
import { openScratch, type Scratch } from "./scratch.ts";

export type Source = PgBackRestSource | BaseSource | DumpSource;

export interface CheckPlan {
  readonly source: Source;
  readonly names: Names;
  readonly keys: Keys;
  /** The folder that gets the copy. */
  readonly scratch: string;
  /** The running database; undefined: it is not asked. */
  readonly live: Sql | undefined;
}

export type BackupCheck = { readonly backup: ShownBackup } & Checked;

/** A journal of a hundred million rows is read from end to end. */
const PATIENT = { connections: 4, statementTimeoutMs: 6 * 3_600_000 };

/**
 * Reads the running database, and writes to a copy alone.
 * @param interrupted ends the check and removes the copy
 * @throws BackupFault
 */
export async function checkBackup(
  { source, names, keys, scratch: parent, live }: CheckPlan,
  say: (line: string) => void,
  interrupted: AbortSignal,
): Promise<BackupCheck> {
  if ("into" in source && source.into !== undefined) await requireEmpty(source.into);
  const scratch = openScratch(parent);
  const over = new Promise<never>((_, reject) => {
    interrupted.addEventListener("abort", () => reject(interrupted.reason), { once: true });
  });
  over.catch(() => undefined);
  let copy: Sql | undefined;
  const work = async () => {
    const { backup, address, findings } = await restore(scratch, names, source, say);
    copy = openPool(address, "faregate backup check", PATIENT);
    const checked = await checkCopy(copy, live, keys, say);
    return { backup, ...checked, findings: [...findings, ...checked.findings] };
  };
  try {
    return await Promise.race([work(), over]);
  } finally {
    await copy?.end({ timeout: 0 });
    await scratch.close();
    if ("into" in source && source.into !== undefined) await emptyAgain(source.into);
  }
}

function restore(scratch: Scratch, names: Names, source: Source, say: (line: string) => void): Promise<Restored> {
  if ("stanza" in source) return restorePgBackRest(scratch, names, source, say);
  if ("base" in source) return restoreBase(scratch, names, source, say);
  return restoreDump(scratch, names, source, say);
}
