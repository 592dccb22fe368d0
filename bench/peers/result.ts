// The result of a comparison as rows: each figure of both, its range over the turns, and how many times better the gateway's is.

import { separated, shown } from "../figure.ts";
import type { Machine } from "../machine.ts";
import { quietness, shownMachine } from "../machine.ts";
import { median } from "../statistics.ts";
import { NAMES, type Name } from "./peer.ts";
import { CONNECTIONS, type Kind, type Measured, type PeersPlan, type Sample } from "./turns.ts";

export interface PeersResult extends Measured {
  readonly at: string;
  readonly machine: Machine;
  /** `postgres (PostgreSQL) 18.4` */
  readonly postgres: string;
  readonly killBill: {
    readonly version: string;
    readonly javaVersion: string;
    readonly tomcatVersion: string;
    readonly hashRounds: number;
  };
  readonly plan: PeersPlan;
}

/** Of the turns. */
export interface Range {
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly better: "more" | "less";
  readonly values: Readonly<Record<Name, Range>>;
  /** How many times better the gateway's is, within each turn; below 1 Kill Bill's is better. */
  readonly times: Range;
}

const cpu = ({ gatewayMicros, databaseMicros }: Sample): number => gatewayMicros + databaseMicros;

interface Wanted {
  readonly what: string;
  readonly unit: string;
  readonly better: Row["better"];
  readonly kind: Kind;
  readonly of: (sample: Sample) => number;
}

const at = (connections: number): string => `${connections} connection${connections === 1 ? "" : "s"}`;

const WANTED: readonly Wanted[] = [
  ...CONNECTIONS.map(
    (connections): Wanted => ({
      what: `payments a second, ${at(connections)}`,
      ...{ unit: "/s", better: "more", kind: `payments at ${connections}`, of: ({ perSecond }) => perSecond },
    }),
  ),
  ...CONNECTIONS.map(
    (connections): Wanted => ({
      what: `CPU time a payment, ${at(connections)}`,
      ...{ unit: "µs", better: "less", kind: `payments at ${connections}`, of: cpu },
    }),
  ),
  {
    what: "  of which PostgreSQL's, 64 connections",
    unit: "µs",
    better: "less",
    kind: "payments at 64",
    of: (sample) => sample.databaseMicros,
  },
  {
    what: "p99 of a payment, 64 connections",
    unit: "ms",
    better: "less",
    kind: "payments at 64",
    of: ({ p99Ms }) => p99Ms,
  },
  { what: "a list of 50, one at a time, p50", unit: "ms", better: "less", kind: "list", of: ({ p50Ms }) => p50Ms },
  { what: "CPU time of a list of 50", unit: "µs", better: "less", kind: "list", of: cpu },
  {
    what: "refunds a second, 16 connections",
    unit: "/s",
    better: "more",
    kind: "refunds",
    of: ({ perSecond }) => perSecond,
  },
  { what: "CPU time a refund", unit: "µs", better: "less", kind: "refunds", of: cpu },
  {
    what: "log (WAL) a payment, 64 connections",
    unit: "bytes",
    better: "less",
    kind: "payments at 64",
    of: ({ walBytes }) => walBytes,
  },
];

/** In the order of the table; memory, which is read once, comes last. */
export function rowsOf({ samples, memory, plan }: PeersResult): readonly Row[] {
  const measured = WANTED.map(({ what, unit, better, kind, of }): Row => {
    const each = (name: Name): readonly number[] =>
      samples.filter((one) => one.name === name && one.kind === kind).map(of);
    const [ours, theirs] = [each("Faregate"), each("Kill Bill")];
    const times = Array.from({ length: plan.turns }, (_, turn) => betterBy(better, ours[turn], theirs[turn]));
    return {
      what,
      unit,
      better,
      values: { Faregate: rangeOf(ours), "Kill Bill": rangeOf(theirs) },
      times: rangeOf(times),
    };
  });
  return [...measured, ...(["nowMiB", "peakMiB"] as const).map((which) => memoryRow(memory, which))];
}

function memoryRow(memory: PeersResult["memory"], which: "nowMiB" | "peakMiB"): Row {
  const of = (name: Name): number => memory.find((one) => one.name === name)?.[which] ?? Number.NaN;
  const values = { Faregate: rangeOf([of("Faregate")]), "Kill Bill": rangeOf([of("Kill Bill")]) };
  const what = which === "nowMiB" ? "memory in the end, without PostgreSQL" : "memory at most, without PostgreSQL";
  return {
    what,
    unit: "MiB",
    better: "less",
    values,
    times: rangeOf([betterBy("less", of("Faregate"), of("Kill Bill"))]),
  };
}

const betterBy = (better: Row["better"], ours = Number.NaN, theirs = Number.NaN): number =>
  better === "more" ? ours / theirs : theirs / ours;

const rangeOf = (values: readonly number[]): Range => ({
  least: Math.min(...values),
  median: median(values),
  most: Math.max(...values),
});

/** With a decimal where it matters, and separated thousands: `1,234 (1,100 to 1,300)`. */
export function shownRange({ least, median: middle, most }: Range): string {
  const [low, high] = [count(least), count(most)];
  return low === high ? count(middle) : `${count(middle)} (${low} to ${high})`;
}

export const count = (value: number): string => separated(shown(value));

/** Of the machine, used by whatever took no part: the median over all that was measured. */
export const usedByOthers = ({ samples }: PeersResult): number => median(samples.map((one) => one.othersPercent));

/** What was measured on, in one line. */
export function shownSubjects({ machine, postgres, killBill }: PeersResult): string {
  const { version, javaVersion, tomcatVersion, hashRounds } = killBill;
  return (
    `${shownMachine(machine)}; both on ${postgres.replace(/^postgres \((.*)$/, "$1").replace(")", "")}; ` +
    `Kill Bill ${version} on Java ${javaVersion}, Tomcat ${tomcatVersion}, password hash of ${hashRounds} rounds`
  );
}

export function lines(result: PeersResult): readonly string[] {
  const { turns, secondsAPoint } = result.plan;
  const cells = rowsOf(result).map(({ what, unit, values, times }) => [
    what,
    ...NAMES.map((name) => `${shownRange(values[name])} ${unit}`),
    `${shownRange(times)} times`,
  ]);
  const width = (column: number) => Math.max(...cells.map((row) => row[column]?.length ?? 0));
  return [
    "",
    shownSubjects(result),
    `Medians (and ranges) of ${turns} turns of ${secondsAPoint} s`,
    "",
    ...cells.map((row) =>
      row
        .map((cell, column) => cell.padEnd(width(column) + 2))
        .join("")
        .trimEnd(),
    ),
    "",
    `${usedByOthers(result).toFixed(0)} % of the machine used by whatever took no part`,
    ...quietness(usedByOthers(result)),
  ];
}
