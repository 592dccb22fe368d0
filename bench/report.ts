// The results as a table for people.

import type { DatabaseFacts, Machine } from "./machine.ts";
import type { MemoryReading } from "./memory.ts";
import { type Plan, TARGET_CONNECTIONS } from "./plan.ts";
import { median } from "./statistics.ts";
import type { Target } from "./targets.ts";
import type { Point, Subject } from "./throughput.ts";

export interface Results {
  readonly at: string;
  readonly machine: Machine;
  readonly database: DatabaseFacts;
  readonly plan: Plan;
  readonly points: readonly Point[];
  /** Connections a statement, and the sales a second with them. */
  readonly ungroupedByWriters: readonly (readonly [number, number])[];
  readonly writers: number;
  readonly memory: readonly MemoryReading[];
  readonly startsMs: readonly number[];
  readonly targets: readonly Target[];
}

const NAMES: Readonly<Record<Subject, string>> = {
  shipped: "as it ships",
  ungrouped: "writes not grouped",
  "no-database": "no database",
};

export function render(results: Results): string {
  const { machine, database, plan, points, writers, memory, startsMs, targets } = results;
  return [
    "",
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGiB.toFixed(0)} GiB, Node ${machine.node}${machine.nodeOptions && ` with ${machine.nodeOptions}`}, ` +
      `${database.version}, fsync ${database.settings.fsync} (${machine.fsyncMs.toFixed(2)} ms here` +
      `${machine.durable ? "" : ", IN MEMORY: not durable"}), load before ${machine.loadBefore.toFixed(1)}`,
    "Gateway, database and the sender of the load share these cores: ratios and CPU a sale say more than rates.",
    `Medians of ${plan.rounds} rounds of ${plan.secondsAPoint} s; not grouped: ${writers} connections for each statement.`,
    "",
    ...table([
      ["", "connections", "sales/s", "p50 ms", "p99 ms", "CPU µs a sale:", "gateway", "PostgreSQL", "sender"],
      ...points.map((point) => [
        NAMES[point.subject],
        String(point.connections),
        point.salesPerSecond.toFixed(0),
        point.p50Ms.toFixed(1),
        point.p99Ms.toFixed(1),
        "",
        point.gatewayMicrosPerSale.toFixed(0),
        point.databaseMicrosPerSale.toFixed(0),
        point.senderMicrosPerSale.toFixed(0),
      ]),
    ]),
    "",
    ...table([
      ["memory after", "sales", "resident MiB", "peak MiB", "heap MiB"],
      ...memory.map((reading) => [
        "",
        String(reading.afterSales),
        reading.residentMiB.toFixed(0),
        reading.peakMiB.toFixed(0),
        reading.heapUsedMiB.toFixed(0),
      ]),
    ]),
    "",
    `Ready after ${seconds(median(startsMs))} s (median of ${startsMs.map(seconds).join(", ")}).`,
    "",
    `Targets, at ${TARGET_CONNECTIONS} connections:`,
    ...targets.map(({ what, figure, met }) => `  ${met ? "met   " : "MISSED"}  ${what}: ${figure}`),
    "",
  ].join("\n");
}

const seconds = (ms: number): string => (ms / 1000).toFixed(2);

/** The first column to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
