// The memory of a gateway over many sales: what the process holds, and what of it are live or not yet collected objects.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningGateway } from "./gateway.ts";
import { type Plan, TARGET_CONNECTIONS } from "./plan.ts";
import { memoryMiB } from "./processes.ts";
import type { Sender } from "./sender.ts";

export interface MemoryReading {
  readonly afterSales: number;
  readonly residentMiB: number;
  readonly peakMiB: number;
  readonly heapUsedMiB: number;
}

/** In the folder that was named to `reportsTo`. */
export const REPORT = "report.json";
const REPORT_WITHIN_MS = 5_000;
const MIB = 2 ** 20;
const MOST_SALES_AT_ONCE = 5_000;

/** Node writes its diagnostic report, with the size of the heap, whenever it gets this signal. */
export const reportsTo = (folder: string): readonly string[] => [
  "--report-on-signal",
  "--report-signal=SIGUSR2",
  `--report-directory=${folder}`,
  `--report-filename=${REPORT}`,
  "--report-exclude-network",
  "--report-exclude-env",
];

/** @param gateway freshly started, with `reportsTo(folder)` as options of Node */
export async function memoryOverSales(
  plan: Plan,
  gateway: RunningGateway,
  folder: string,
  sender: Sender,
  say: (line: string) => void,
): Promise<readonly MemoryReading[]> {
  const readings: MemoryReading[] = [];
  const deadline = Date.now() + plan.memorySeconds * 1000;
  let sales = 0;
  for (const after of plan.memoryAfter) {
    while (sales < after && Date.now() < deadline) {
      const some = Math.min(after - sales, MOST_SALES_AT_ONCE);
      await sender.send(gateway, TARGET_CONNECTIONS, { sales: some });
      sales += some;
    }
    const heapUsedMiB = await heapMiB(gateway.pid, join(folder, REPORT));
    const { now, peak } = memoryMiB(gateway.pid);
    readings.push({ afterSales: sales, residentMiB: now, peakMiB: peak, heapUsedMiB });
    say(`  after ${sales} sales: ${now.toFixed(0)} MiB`);
    if (sales < after) break;
  }
  return readings;
}

/** @param pid of a process that was started with `reportsTo` @param file that it writes */
export async function heapMiB(pid: number, file: string): Promise<number> {
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  for (const deadline = Date.now() + REPORT_WITHIN_MS; Date.now() < deadline; await sleep(20)) {
    if (!existsSync(file)) continue;
    try {
      const report = JSON.parse(readFileSync(file, "utf8")) as { javascriptHeap: { usedMemory: number } };
      return report.javascriptHeap.usedMemory / MIB;
    } catch {
      // still being written
    }
  }
  throw new Error(`Node wrote no report to ${file}.`);
}
