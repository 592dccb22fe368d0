// What each kind of backup gives when it is restored into the scratch folder.

import type { DatabaseAddress } from "../journal/database.ts";

/** The running database's names, under which the copy is opened. */
export interface Names {
  readonly user: string;
  readonly database: string;
}

export interface ShownBackup {
  readonly kind: "pgbackrest" | "base" | "dump";
  /** The backup's label, folder or file. */
  readonly name: string;
  /** ISO 8601; null if nothing says it. */
  readonly finished_at: string | null;
  readonly bytes: number;
  /** The version that made it: `15`. */
  readonly postgresql: string;
}

export interface Restored {
  readonly backup: ShownBackup;
  /** Of the copy, as a role that may change it. */
  readonly address: DatabaseAddress;
  /** Why less can be restored than there is, in words. */
  readonly findings: readonly string[];
}

/**
 * Pure. File names of the write-ahead log: timeline, then place.
 * @returns what to say where the archive has later files than could be replayed
 */
export function gapAfter(lastReplayed: string | undefined, newestArchived: string | undefined): readonly string[] {
  if (lastReplayed === undefined || newestArchived === undefined) return [];
  if (newestArchived.slice(0, 8) !== lastReplayed.slice(0, 8) || newestArchived <= lastReplayed) return [];
  return [
    `the archive goes up to ${newestArchived}, but only ${lastReplayed} and before could be replayed: a file between them is ` +
      "missing or damaged",
  ];
}
