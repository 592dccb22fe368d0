// A line of figures while a run goes on.

import type { HealthFigures } from "./health.ts";
import type { VictimFigures } from "./victim-process.ts";
import type { Reading } from "./watch.ts";

export function progressLine(
  phase: string,
  { phases, failed, looksFailed }: VictimFigures,
  health: HealthFigures | undefined,
  readings: readonly Reading[],
): string {
  const sales = phases[phase];
  const last = readings.at(-1);
  return [
    `${phase.padEnd(9)} V p50 ${ms(sales?.p50Ms)} p99 ${ms(sales?.p99Ms)}, ${failed} failed, ${looksFailed} look-ups wrong`,
    `live p99 ${ms(health?.liveP99Ms)}, ${health?.failed ?? 0} health checks failed`,
    `${last?.memoryMiB.toFixed(0)} MiB, ${last?.connections} connections, ${last?.sessionsAtWork}/${last?.sessions} sessions`,
    `CPU ${share(last?.gatewayCpu)} ${share(last?.databaseCpu)} ${share(last?.hostileCpu)}`,
  ].join(" | ");
}

const ms = (value: number | undefined): string => `${(value ?? Number.NaN).toFixed(1)} ms`;
const share = (value: number | undefined): string => `${((value ?? 0) * 100).toFixed(0)} %`;
