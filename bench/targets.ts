// What the figures are judged by. A target that was missed is said, it fails nothing: machines differ.

import type { MemoryReading } from "./memory.ts";
import { TARGET_CONNECTIONS } from "./plan.ts";
import { median } from "./statistics.ts";
import type { Point, Subject } from "./throughput.ts";

export interface Target {
  readonly what: string;
  readonly figure: string;
  readonly met: boolean;
}

const TIMES_UNGROUPED = 3;
const SHARE_OF_NO_DATABASE = 0.25;
const P99_MS = 100;
const MEMORY_MIB = 250;
/** Level: at the end no more than this above what it was a quarter of the way. */
const LEVEL_WITHIN = 0.1;
const START_MS = 3_000;

export function judge(
  points: readonly Point[],
  memory: readonly MemoryReading[],
  startsMs: readonly number[],
): readonly Target[] {
  const at = (subject: Subject) => {
    const point = points.find((one) => one.subject === subject && one.connections === TARGET_CONNECTIONS);
    if (point === undefined) throw new Error(`${subject} was not measured`);
    return point;
  };
  const { salesPerSecond, p99Ms } = at("shipped");
  const timesUngrouped = salesPerSecond / at("ungrouped").salesPerSecond;
  const share = salesPerSecond / at("no-database").salesPerSecond;
  const peakMiB = Math.max(...memory.map((reading) => reading.peakMiB));
  const [, early, ...later] = memory;
  const last = later.at(-1);
  const growth = early && last ? last.residentMiB / early.residentMiB - 1 : Number.NaN;
  const startMs = median(startsMs);
  return [
    {
      what: `at least ${TIMES_UNGROUPED} times the sales without grouping`,
      figure: `${timesUngrouped.toFixed(1)} times`,
      met: timesUngrouped >= TIMES_UNGROUPED,
    },
    {
      what: `at least ${SHARE_OF_NO_DATABASE * 100} % of the sales without a database`,
      figure: `${(share * 100).toFixed(0)} %`,
      met: share >= SHARE_OF_NO_DATABASE,
    },
    { what: `99 % of answers within ${P99_MS} ms`, figure: `${p99Ms.toFixed(0)} ms`, met: p99Ms < P99_MS },
    { what: `memory under ${MEMORY_MIB} MiB`, figure: `${peakMiB.toFixed(0)} MiB`, met: peakMiB < MEMORY_MIB },
    {
      what: `memory level (within ${LEVEL_WITHIN * 100} %)`,
      figure: Number.isNaN(growth)
        ? "not enough sales in the time to tell"
        : `${growth > 0 ? "+" : ""}${(growth * 100).toFixed(0)} %`,
      met: growth <= LEVEL_WITHIN,
    },
    {
      what: `ready within ${START_MS / 1000} s on existing data`,
      figure: `${(startMs / 1000).toFixed(2)} s`,
      met: startMs < START_MS,
    },
  ];
}
