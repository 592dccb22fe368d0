// Who uses the machine while something is measured: the gateways' processes, the database, the load, nobody, and anything else.

import { availableParallelism, cpus } from "node:os";
import { performance } from "node:perf_hooks";
import type { RunningGateway } from "./gateway.ts";
import { childrenOf, cpuMicros, cpuMicrosOfFamily } from "./processes.ts";

export interface Use {
  /** CPU time in microseconds, of all processes of the gateways together. */
  readonly gatewayMicros: number;
  readonly databaseMicros: number;
  readonly loadMicros: number;
  /** Of one core, in percent, the busiest of the gateways' processes. */
  readonly busiest: number;
  /** Of the machine, in percent. */
  readonly idle: number;
  /** Of the machine, in percent: other programs, and what the system does for nobody in particular. */
  readonly others: number;
}

/** @param gateways on one database @param loadPid who sends to them @returns a function that tells the use since then */
export function watch(gateways: readonly Pick<RunningGateway, "pid" | "databasePid">[], loadPid: number): () => Use {
  const databases = [...new Set(gateways.map(({ databasePid }) => databasePid))];
  const pids = gateways.flatMap(({ pid }) => [pid, ...childrenOf(pid)]).filter((pid) => !databases.includes(pid));
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const spent = () => ({
    each: pids.map(cpuMicros),
    database: sum(databases.map(cpuMicrosOfFamily)),
    load: cpuMicros(loadPid),
  });
  const [startedAt, before, idleShare] = [performance.now(), spent(), idleSince()];
  return () => {
    const [after, idle] = [spent(), idleShare()];
    const micros = (performance.now() - startedAt) * 1_000;
    const each = after.each.map((value, nth) => value - (before.each[nth] ?? 0));
    const [gatewayMicros, databaseMicros, loadMicros] = [
      sum(each),
      after.database - before.database,
      after.load - before.load,
    ];
    const known = (gatewayMicros + databaseMicros + loadMicros) / (micros * availableParallelism());
    return {
      ...{ gatewayMicros, databaseMicros, loadMicros, idle },
      busiest: (Math.max(...each) / micros) * 100,
      others: Math.max(0, 100 - idle - known * 100),
    };
  };
}

/** @returns a function that tells the share of all cores that had nothing to do since, in percent */
function idleSince(): () => number {
  const before = times();
  return () => {
    const after = times();
    return ((after.idle - before.idle) / (after.all - before.all)) * 100;
  };
}

function times(): { readonly idle: number; readonly all: number } {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const each = cpus().map((core) => core.times);
  return { idle: sum(each.map(({ idle }) => idle)), all: sum(each.map((one) => sum(Object.values(one)))) };
}
