// What more workers, and more nodes on one database, do to sales, beside one gateway of one worker: as many sales as go through at 64
// connections, and a steady rate over a slow processor, where the database is not what limits them.

import { newFolder } from "./data.ts";
import type { Figure } from "./figure.ts";
import { launchGateway, type RunningGateway } from "./gateway.ts";
import { startNodes } from "./nodes.ts";
import { TARGET_CONNECTIONS, WARM_UP_SALES } from "./plan.ts";
import { openSender, type Sender } from "./sender.ts";
import { overSlowProcessor, PROCESSOR_MS, slowDown } from "./slow-processor.ts";
import { median } from "./statistics.ts";
import type { Undo } from "./undo.ts";
import { type Use, watch } from "./watch.ts";

export interface ScalePlan {
  readonly rounds: number;
  readonly secondsAPoint: number;
  /** With one there is nothing to compare. */
  readonly workers: number;
  readonly nodes: number;
}

interface Subject {
  readonly name: string;
  /** That take requests, in all its gateways. */
  readonly processes: number;
  readonly gateways: readonly RunningGateway[];
}
/** By the name of a measure. */
type Values = Readonly<Record<string, number>>;

/** What is read of each subject, in the order in which it is shown. */
export interface Measure {
  readonly name: string;
  readonly what: string;
  readonly unit: string;
  readonly better: Figure["better"];
}

export interface Scale {
  /** Medians over the rounds, by subject. */
  readonly bySubject: ReadonlyMap<string, Values>;
  readonly comparisons: readonly Figure[];
}

const RATES = [500, 1_000] as const;
const ONE = "1 worker";

const measure = (name: string, what: string, unit: string, better: Figure["better"] = "less"): Measure => {
  return { name, what, unit, better };
};
const used = (at: string): readonly Measure[] => [
  measure(`${at} gateway`, "  the gateway's CPU a sale", "µs"),
  measure(`${at} database`, "  PostgreSQL's CPU a sale", "µs"),
  measure(`${at} load`, "  the load's CPU a sale", "µs"),
  measure(`${at} busiest`, "  the gateway's busiest process, of a core", "%"),
  measure(`${at} idle`, "  of the machine idle", "%", "more"),
  measure(`${at} others`, "  of the machine used by anything else", "%"),
];
export const MEASURES: readonly Measure[] = [
  measure("most", `sales at ${TARGET_CONNECTIONS} connections`, "/s", "more"),
  measure("most p50", "  p50", "ms"),
  measure("most p99", "  p99", "ms"),
  ...used("most"),
  ...RATES.flatMap((rate) => [
    measure(`${rate}`, `${rate} sales/s over a processor of ${PROCESSOR_MS} ms: approved`, "/s", "more"),
    measure(`${rate} failed`, "  failed", ""),
    measure(`${rate} p50`, "  added, p50", "ms"),
    measure(`${rate} p99`, "  added, p99", "ms"),
    ...used(`${rate}`),
  ]),
];

export async function measureScale(undo: Undo, plan: ScalePlan, say: (line: string) => void): Promise<Scale> {
  const subjects = await startAll(undo, plan);
  const sender = openSender();
  undo.add(sender.close);
  const seconds = plan.secondsAPoint;
  for (const { name, gateways, processes } of subjects) {
    say(`  ${name}: ${processes * WARM_UP_SALES} sales before it is measured`);
    await sender.send(gateways, TARGET_CONNECTIONS, { sales: processes * WARM_UP_SALES });
  }
  const rounds = new Map(subjects.map(({ name }) => [name, Array.from({ length: plan.rounds }, () => ({}) as Values)]));
  const inRounds = async (what: string, values: (subject: Subject) => Promise<Values>) => {
    for (let round = 0; round < plan.rounds; round++) {
      say(`  ${what}, round ${round + 1} of ${plan.rounds}`);
      const first = round % subjects.length;
      // In turn, so that a machine whose speed drifts favours none.
      for (const subject of [...subjects.slice(first), ...subjects.slice(0, first)]) {
        const all = rounds.get(subject.name) ?? [];
        all[round] = { ...all[round], ...(await values(subject)) };
      }
    }
  };
  await inRounds(`${TARGET_CONNECTIONS} connections`, (subject) => asManyAsGo(subject, sender, seconds));
  for (const { gateways } of subjects) await slowDown(gateways);
  for (const rate of RATES) await inRounds(`${rate} sales/s`, (subject) => atRate(undo, subject, rate, seconds));
  return {
    bySubject: new Map([...rounds].map(([name, all]) => [name, medians(all)])),
    comparisons: compare(plan, rounds),
  };
}

async function startAll(undo: Undo, { workers, nodes }: ScalePlan): Promise<readonly Subject[]> {
  const ofWorkers = async (count: number): Promise<readonly RunningGateway[]> => {
    const settings = { RATE_LIMIT_PER_MINUTE: "0", WORKERS: String(count) };
    const launched = launchGateway(["src/main.ts"], newFolder(undo), [], settings);
    return [await (await undo.started(launched)).ready];
  };
  return [
    { name: ONE, processes: 1, gateways: await ofWorkers(1) },
    ...(workers > 1
      ? [{ name: nameOf(workers, "workers"), processes: workers, gateways: await ofWorkers(workers) }]
      : []),
    ...(nodes > 1 ? [{ name: nameOf(nodes, "nodes"), processes: nodes, gateways: await startNodes(undo, nodes) }] : []),
  ];
}

const nameOf = (count: number, what: "workers" | "nodes"): string => `${count} ${what}`;

async function asManyAsGo({ gateways }: Subject, sender: Sender, seconds: number): Promise<Values> {
  const use = watch(gateways, sender.pid);
  const { sales, salesPerSecond, p50Ms, p99Ms } = await sender.send(gateways, TARGET_CONNECTIONS, { seconds });
  return { most: salesPerSecond, "most p50": p50Ms, "most p99": p99Ms, ...usedBy("most", use(), sales) };
}

async function atRate(undo: Undo, { gateways }: Subject, rate: number, seconds: number): Promise<Values> {
  const { perSecond, failed, p50Ms, p99Ms, use } = await overSlowProcessor(undo, gateways, rate, seconds);
  const latencies = { [`${rate} p50`]: p50Ms, [`${rate} p99`]: p99Ms };
  return {
    [`${rate}`]: perSecond,
    [`${rate} failed`]: failed,
    ...latencies,
    ...usedBy(`${rate}`, use, rate * seconds),
  };
}

const usedBy = (at: string, use: Use, sales: number): Values => ({
  [`${at} gateway`]: use.gatewayMicros / sales,
  [`${at} database`]: use.databaseMicros / sales,
  [`${at} load`]: use.loadMicros / sales,
  [`${at} busiest`]: use.busiest,
  [`${at} idle`]: use.idle,
  [`${at} others`]: use.others,
});

const medians = (rounds: readonly Values[]): Values =>
  Object.fromEntries(MEASURES.map(({ name }) => [name, median(rounds.map((round) => round[name] ?? Number.NaN))]));

/** Round by round, each with what was measured next to it. */
function compare({ workers, nodes }: ScalePlan, rounds: ReadonlyMap<string, readonly Values[]>): readonly Figure[] {
  const ratios = (subject: string, name: string): number => {
    const [ones, others] = [rounds.get(ONE) ?? [], rounds.get(subject) ?? []];
    return median(others.map((other, round) => (other[name] ?? Number.NaN) / (ones[round]?.[name] ?? Number.NaN)));
  };
  const times = (subject: string, target: Pick<Figure, "target"> = {}): Figure[] => [
    { what: `${subject}, times the sales of one`, value: ratios(subject, "most"), unit: "", better: "more", ...target },
    ...RATES.map((rate): Figure => {
      const what = `${subject}, p99 added at ${rate} sales/s, times that of one`;
      return { what, value: ratios(subject, `${rate} p99`), unit: "", better: "less" };
    }),
  ];
  const failed = [...rounds.values()].flat().flatMap((round) => RATES.map((rate) => round[`${rate} failed`] ?? 0));
  const value = failed.reduce((sum, one) => sum + one, 0);
  return [
    // Also where the cores are few: who has two of them starts with one worker, and may set two.
    ...(workers > 1 ? times(nameOf(workers, "workers"), { target: { least: 1 } }) : []),
    ...(nodes > 1 ? times(nameOf(nodes, "nodes")) : []),
    { what: "sales that failed at a steady rate", value, unit: "", better: "less", target: { most: 0 } },
  ];
}
