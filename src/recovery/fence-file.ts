// The fence file: what this machine last knew of its database. It lies outside of the database, so that a database that was put
// back from a copy is recognized even if its lineage is the same.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { AcceptedLineage, LineageState } from "../journal/lineage.ts";
import { count, flag, list, object, rowReader, text } from "../journal/rows.ts";
import { StartFault } from "../start-fault.ts";
import type { AcknowledgedWrite } from "./acknowledged-writes.ts";

export interface Fence extends AcceptedLineage {
  /** How much of the write-ahead log was on disk, in bytes. */
  readonly flushed: number;
  /** The newest writes that were committed. */
  readonly newest: readonly AcknowledgedWrite[];
}

const writeValue = rowReader<AcknowledgedWrite>("fence file", {
  ...{ merchantId: text, transactionId: text, sequence: count, concluded: flag },
});
const fenceValue = rowReader<Fence>("fence file", {
  ...{ lineage: text, epoch: count, flushed: count },
  newest: list((value) => writeValue(object(value))),
});

/** @throws StartFault if it is there and cannot be read */
export function readFence(file: string): Fence | undefined {
  try {
    return fenceValue(object(JSON.parse(readFileSync(file, "utf8"))));
  } catch (fault) {
    if (fault instanceof Error && "code" in fault && fault.code === "ENOENT") return undefined;
    throw new StartFault(
      `Cannot read the fence file ${file}: ${fault instanceof Error ? fault.message : ""}. ` +
        "If you know that the database is the newest one, remove the file.",
    );
  }
}

/** Replaces it as a whole. */
export function writeFence(file: string, fence: Fence): void {
  const fresh = `${file}.${process.pid}.new`;
  writeFileSync(fresh, `${JSON.stringify(fence)}\n`, { mode: 0o600 });
  renameSync(fresh, file);
}

/** Pure. @returns why this database may be older than the one that the fence file was written for */
export function olderThan(fence: Fence, { accepted, flushed }: LineageState): string | undefined {
  const epoch = accepted?.epoch ?? 0;
  if (epoch > fence.epoch) return undefined;
  if (epoch < fence.epoch || accepted?.lineage !== fence.lineage)
    return "the fence file was written for a later history of this database";
  if (flushed < fence.flushed)
    return `the database has ${fence.flushed - flushed} bytes of its log less than when the fence file was written`;
  return undefined;
}
