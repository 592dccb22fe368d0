// Whether each promise was kept. Those that depend on the machine's speed are told apart: a test must not.

import { median } from "../../bench/statistics.ts";
import { FENDED_OFF, type Kind, type Tally } from "./attack.ts";
import { KINDS } from "./registry.ts";
import type { Findings } from "./siege.ts";
import type { Reading } from "./watch.ts";

export interface Verdict {
  readonly promise: string;
  readonly figure: string;
  readonly kept: boolean;
  readonly dependsOnSpeed: boolean;
}

const MOST_RATIO = 3;
const MOST_MIB = 400;
/** Garbage that is not collected yet. */
const LEVEL_MIB = 40;
const LEVEL_RATIO = 1.2;
/** Of a figure that is a few milliseconds, chance alone doubles some. */
const NORMAL_RATIO = 2;
const NORMAL_MS = 10;

export function judge(findings: Findings): readonly Verdict[] {
  const { victim, compared, health, tallies, logged, readings, plan } = findings;
  const verdicts: Verdict[] = [];
  const promise = (what: string, figure: string, kept: boolean, dependsOnSpeed = false) =>
    void verdicts.push({ promise: what, figure, kept, dependsOnSpeed });
  const of = (phase: string) => readings.filter((reading) => reading.phase === phase);
  const middle = (phase: string, what: keyof Omit<Reading, "phase">) => medianOf(of(phase).map((one) => one[what]));
  const { quiet, siege, calm } = victim.phases;

  promise("the gateway goes on", findings.gone ? "its process ended" : "its process is the same", !findings.gone);
  promise("no sale failed", `${victim.failed} of ${victim.sales + victim.failed}`, victim.failed === 0);
  const ratio = (siege?.p99Ms ?? Number.NaN) / (quiet?.p99Ms ?? Number.NaN);
  promise(
    `p99 of sales at most ${MOST_RATIO} times the quiet one`,
    `${ratio.toFixed(1)} times`,
    ratio <= MOST_RATIO,
    true,
  );
  promise("own look-ups are answered, and rightly", `${victim.looksFailed} were not`, victim.looksFailed === 0);
  const { sold, listed, missing, twice, seconds, fault } = compared;
  promise(
    "each sale stands once in the list",
    fault === null
      ? `${sold} sold, ${listed} listed in ${seconds.toFixed(1)} s, ${missing} missing, ${twice} twice`
      : `there was no list after ${seconds.toFixed(1)} s, but ${fault}`,
    fault === null && sold === listed && missing === 0 && twice === 0,
  );
  const sum = (what: "asked" | "failed" | "liveFailed") =>
    Object.values(health).reduce((all, figures) => all + figures[what], 0);
  const within = `within ${plan.healthWithinMs / 1_000} s`;
  promise(`/health/live is answered ${within}`, `${sum("liveFailed")} times it was not`, sum("liveFailed") === 0);
  promise(
    `all health checks say yes ${within}`,
    `${sum("failed")} of ${sum("asked")} did not`,
    sum("failed") === 0,
    true, // the database is to answer in two seconds
  );

  const peak = Math.max(0, ...readings.map(({ memoryMiB }) => memoryMiB));
  promise(`memory under ${MOST_MIB} MiB`, `${peak.toFixed(0)} MiB at most`, peak > 0 && peak < MOST_MIB);
  const besieged = of("siege").map(({ memoryMiB }) => memoryMiB);
  const quarter = (nth: number) =>
    medianOf(besieged.slice((besieged.length * nth) / 4, (besieged.length * (nth + 1)) / 4));
  const [second, last] = [quarter(1), quarter(3)];
  promise(
    "memory level: the last quarter of the siege and the second",
    `${last.toFixed(0)} MiB, ${second.toFixed(0)} MiB`,
    last <= Math.max(second * LEVEL_RATIO, second + LEVEL_MIB),
    true,
  );

  const wrong = Object.values(tallies).reduce((sum, { counts }) => sum + (counts.WRONG ?? 0), 0);
  promise("no client was given a wrong answer", `${wrong} were`, wrong === 0);
  const faults = Object.values(tallies).reduce((sum, { counts }) => sum + faultsOf(counts), 0);
  promise(
    "no request was answered with a fault",
    `${faults} were; in the log: ${JSON.stringify(logged.counts)}`,
    faults === 0,
  );
  const waged = KINDS.filter(({ name }) => plan.kinds.includes(name));
  const idle = waged.flatMap((kind) => neverMet(kind, countsOf(tallies[kind.name])));
  promise(
    "every kind of attack came to its end",
    idle.join("; ") || `all ${waged.length} did`,
    idle.length === 0,
    true,
  );
  const mistaken = waged.flatMap((kind) => mistakes(kind, countsOf(tallies[kind.name])));
  promise("no attack was refused for a mistake of its own", mistaken.join("; ") || "none was", mistaken.length === 0);

  // Minus infinity where nobody looked.
  const left = Math.max(...of("calm").map(({ connections }) => connections));
  promise("five seconds after it the attackers' connections are closed", `${left} are left`, left === 0);
  const normalMs = Math.max((quiet?.p99Ms ?? 0) * NORMAL_RATIO, (quiet?.p99Ms ?? 0) + NORMAL_MS);
  promise(
    "five seconds after it sales are as quick as before",
    `p99 ${calm?.p99Ms.toFixed(1)} ms, ${quiet?.p99Ms.toFixed(1)} ms before`,
    (calm?.p99Ms ?? Number.NaN) <= normalMs,
    true,
  );
  const [cpuBefore, cpuAfter] = (["quiet", "calm"] as const).map(
    (phase) => middle(phase, "gatewayCpu") + middle(phase, "databaseCpu"),
  ) as [number, number];
  promise(
    "five seconds after it gateway and database have nothing else to do",
    `${percent(cpuAfter)} of a core, ${percent(cpuBefore)} before`,
    cpuAfter <= cpuBefore * NORMAL_RATIO + 0.1,
    true,
  );
  return verdicts;
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
const medianOf = (values: readonly number[]): number => (values.length === 0 ? Number.NaN : median(values));

/** 503 is a refusal, and 505 what HTTP/2 on a plain port is told. */
const faultsOf = (counts: Tally["counts"]): number =>
  Object.entries(counts).reduce(
    (sum, [what, count]) => (/^5\d\d$/.test(what) && what !== "503" && what !== "505" ? sum + count : sum),
    0,
  );

const countsOf = (tally: Tally | undefined): Tally["counts"] => tally?.counts ?? {};

/** Nothing of what it meant to bring about. */
const neverMet = ({ name, meets }: Kind, counts: Tally["counts"]): string[] =>
  meets.some((outcome) => (counts[outcome] ?? 0) > 0) ? [] : [`${name} never met ${meets.join(" or ")}`];

function mistakes({ name, meets, mayMeet = [] }: Kind, counts: Tally["counts"]): string[] {
  const known = new Set([...meets, ...mayMeet, ...FENDED_OFF, "WRONG"]);
  const others = Object.entries(counts).filter(([outcome]) => !known.has(outcome) && !/^5\d\d$/.test(outcome));
  return others.map(([outcome, count]) => `${name} met ${count} × ${outcome}`);
}
