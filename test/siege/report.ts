// The figures of a run, as a table for people.

import type { Tally } from "./attack.ts";
import type { Verdict } from "./judge.ts";
import type { Findings } from "./siege.ts";
import type { Reading } from "./watch.ts";

const PHASES = ["quiet", "siege", "recovery", "calm"] as const;
type Row = readonly [what: string, ...cells: string[]];

export function render(findings: Findings, verdicts: readonly Verdict[]): string {
  const { victim, healthFaults, tallies, logged } = findings;
  return [
    "",
    `seed ${findings.plan.seed}, ${(findings.plan.siegeMs / 60_000).toFixed(1)} minutes of siege, ${findings.plan.kinds.length} kinds of attackers`,
    "",
    ...table([["", ...PHASES], ...salesRows(findings), ...healthRows(findings), ...machineRows(findings)]),
    "",
    ...kindLines(tallies),
    "",
    ...victim.faults.map((fault) => `  V: ${fault}`),
    ...healthFaults.map((fault) => `  health: ${fault}`),
    ...logged.first.map((line) => `  log: ${line}`),
    ...verdicts.map(({ promise, figure, kept }) => `  ${kept ? "PASS" : "FAIL"}  ${promise}: ${figure}`),
    "",
  ].join("\n");
}

const over = <T>(what: string, of: (phase: string) => T | undefined, show: (value: T) => string): Row => [
  what,
  ...PHASES.map((phase) => {
    const value = of(phase);
    return value === undefined ? "" : show(value);
  }),
];
const tenth = (value: number): string => value.toFixed(1);
const whole = (value: number): string => value.toFixed(0);

function salesRows({ victim }: Findings): Row[] {
  const of = (phase: string) => victim.phases[phase];
  return [
    over("V's sales", of, ({ sales }) => String(sales)),
    over("failed", of, ({ failed }) => String(failed)),
    over("p50 ms", of, ({ p50Ms }) => tenth(p50Ms)),
    over("p99 ms", of, ({ p99Ms }) => tenth(p99Ms)),
    over("longest ms", of, ({ mostMs }) => tenth(mostMs)),
    over("V's look-ups", of, ({ looks }) => String(looks)),
    over("p99 ms of look-ups", of, ({ looksP99Ms }) => tenth(looksP99Ms)),
  ];
}

function healthRows({ health }: Findings): Row[] {
  const of = (phase: string) => health[phase];
  return [
    over("health checks", of, ({ asked }) => String(asked)),
    over("failed", of, ({ failed }) => String(failed)),
    over("p50 ms of /health/live", of, ({ liveP50Ms }) => tenth(liveP50Ms)),
    over("p99 ms", of, ({ liveP99Ms }) => tenth(liveP99Ms)),
    over("longest ms", of, ({ liveMostMs }) => tenth(liveMostMs)),
    over("longest ms of /health/ready", of, ({ readyMostMs }) => tenth(readyMostMs)),
  ];
}

function machineRows({ readings }: Findings): Row[] {
  const of = (phase: string) => {
    const own = readings.filter((reading) => reading.phase === phase);
    const [first, ...others] = own;
    return first && ([first, ...others] as const);
  };
  const values = (all: readonly Reading[], what: keyof Omit<Reading, "phase">) => all.map((one) => one[what]);
  const mean = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;
  const most = (what: keyof Omit<Reading, "phase">, name: string) =>
    over(name, of, (all) => whole(Math.max(...values(all, what))));
  const meanOf = (what: "gatewayCpu" | "databaseCpu" | "hostileCpu", name: string) =>
    over(name, of, (all) => `${whole(mean(values(all, what)) * 100)} %`);
  return [
    over("memory of the gateway, mean MiB", of, (all) => whole(mean(values(all, "memoryMiB")))),
    most("memoryMiB", "most MiB"),
    over("of that, the process for heavy requests", of, (all) => whole(fullest(all).heavyMiB)),
    most("connections", "most connections of attackers"),
    most("openFiles", "most open files"),
    most("databaseMiB", "memory of PostgreSQL's sessions, most MiB"),
    most("sessions", "most sessions"),
    most("sessionsAtWork", "most sessions at work"),
    meanOf("gatewayCpu", "CPU of the gateway, of one core"),
    meanOf("databaseCpu", "of PostgreSQL"),
    meanOf("hostileCpu", "of the attackers"),
  ];
}

const fullest = (readings: readonly [Reading, ...Reading[]]): Reading =>
  readings.reduce((most, one) => (one.memoryMiB > most.memoryMiB ? one : most));

const kindLines = (tallies: Readonly<Record<string, Tally>>): string[] =>
  Object.entries(tallies).flatMap(([name, { counts, wrong }]) => [
    `${name}: ${Object.entries(counts)
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([outcome, count]) => `${count} × ${outcome}`)
      .join(", ")}`,
    ...wrong.map((what) => `  WRONG: ${what}`),
  ]);

function table(rows: readonly Row[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) =>
    row.map((cell, nth) => (nth === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[nth] ?? 0))).join("  "),
  );
}
