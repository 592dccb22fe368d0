// Where a run keeps its databases and temporary files: in memory if there is plenty, for tests make and remove some hundreds of
// databases of four hundred files each. Whoever sets TMPDIR has chosen.

import { readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** A file system in memory, as Linux has it mounted. */
const IN_MEMORY = "/dev/shm";
/** More than the data of any shard. It counts as memory, beside the shard's processes. */
const SHARD_DATA_BYTES = 2 ** 30;

/** What decides. */
export interface Machine {
  readonly chosen: string | undefined;
  /** As /proc/self/mounts has them. */
  readonly mounts: string;
  readonly freeInMemoryBytes: number;
  readonly availableMemoryBytes: number;
}

/** @param shardBytes of memory that each shard's processes take */
export function placeFor(shards: number, shardBytes: number, machine: Machine = thisMachine()): string {
  const hasRoom =
    machine.freeInMemoryBytes >= shards * SHARD_DATA_BYTES &&
    machine.availableMemoryBytes >= shards * (SHARD_DATA_BYTES + shardBytes);
  return machine.chosen === undefined && runsPrograms(machine.mounts) && hasRoom ? IN_MEMORY : tmpdir();
}

/** proc_pid_mounts(5): device, place, type, options. Tests put programs there, too. */
function runsPrograms(mounts: string): boolean {
  const [, , type, options = ""] =
    mounts
      .split("\n")
      .map((line) => line.split(" "))
      .findLast(([, place]) => place === IN_MEMORY) ?? [];
  const words = options.split(",");
  return type === "tmpfs" && words.includes("rw") && !words.includes("noexec");
}

function thisMachine(): Machine {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return {
      chosen: process.env.TMPDIR,
      mounts: readFileSync("/proc/self/mounts", "utf8"),
      freeInMemoryBytes: bavail * bsize,
      availableMemoryBytes: process.availableMemory(),
    };
  } catch {
    return { chosen: undefined, mounts: "", freeInMemoryBytes: 0, availableMemoryBytes: 0 }; // not a Linux that has it
  }
}
