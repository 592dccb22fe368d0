// What Linux knows of processes: the CPU time they took and the memory they hold.

import { readdirSync, readFileSync } from "node:fs";

/** sysconf(_SC_CLK_TCK), 100 on every Linux that Node runs on. */
const TICK_MICROS = 10_000;
const KIB_A_MIB = 1024;

/** CPU time of this one process, user and system. */
export function cpuMicros(pid: number): number {
  const { user, system } = timesOf(pid);
  return (user + system) * TICK_MICROS;
}

/** CPU time of a process and all its children, also those that have ended. */
export function cpuMicrosOfFamily(pid: number): number {
  const { user, system, endedChildren } = timesOf(pid);
  const children = childrenOf(pid).reduce((sum, child) => sum + cpuMicros(child), 0);
  return (user + system + endedChildren) * TICK_MICROS + children;
}

/** CPU time of a process and of all that descends from it, as far as it runs or was waited for. */
export function cpuMicrosOfDescent(ancestor: number): number {
  const stats = new Map(processes().map((pid) => [pid, statOf(pid)]));
  const byParent = Map.groupBy(stats.keys(), (pid) => Number(stats.get(pid)?.[1]));
  let ticks = 0;
  for (const family = [ancestor]; family.length > 0; ) {
    const pid = family.pop() ?? 0;
    const { user, system, endedChildren } = timesIn(stats.get(pid) ?? []);
    ticks += user + system + endedChildren;
    family.push(...(byParent.get(pid) ?? []));
  }
  return ticks * TICK_MICROS;
}

/** Resident memory: now, and the most that there ever was. */
export function memoryMiB(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]);
  return { now: kib("VmRSS") / KIB_A_MIB, peak: kib("VmHWM") / KIB_A_MIB };
}

/** The arguments of a running program; none if it has just ended. */
export function commandLine(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  } catch {
    return [];
  }
}

const timesOf = (pid: number) => timesIn(statOf(pid));

function timesIn(fields: readonly string[]) {
  // proc(5): the name, in parentheses, may hold spaces; fields 14 to 17 are utime, stime, cutime, cstime.
  const at = (field: number) => Number(fields[field - 3] ?? 0);
  return { user: at(14), system: at(15), endedChildren: at(16) + at(17) };
}

export function childrenOf(parent: number): readonly number[] {
  return processes().filter((pid) => Number(statOf(pid)[1]) === parent);
}

const processes = (): readonly number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0);

/** From field 3 on; empty if the process has just ended. */
function statOf(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}
