// The run: warm-up, quiet, siege, recovery, calm; and after it what became of every promise.

import type { Undo } from "../../bench/undo.ts";
import type { Tally } from "./attack.ts";
import { type Health, type HealthFigures, watchHealth } from "./health.ts";
import { startHostiles } from "./hostiles.ts";
import { openHouse } from "./house.ts";
import { faultsIn, type Logged } from "./log.ts";
import type { Plan } from "./plan.ts";
import { KINDS } from "./registry.ts";
import { lay } from "./stock.ts";
import { startVictim, type Victim } from "./victim.ts";
import type { Compared, VictimFigures } from "./victim-process.ts";
import { type Reading, type Watch, watch } from "./watch.ts";

export interface Findings {
  readonly plan: Plan;
  readonly victim: VictimFigures;
  readonly compared: Compared;
  readonly health: Readonly<Record<string, HealthFigures>>;
  readonly healthFaults: readonly string[];
  readonly readings: readonly Reading[];
  readonly tallies: Readonly<Record<string, Tally>>;
  /** The gateway's process ended before the siege did. */
  readonly gone: boolean;
  /** What the gateway logged as an error. */
  readonly logged: Logged;
}

const PROGRESS_EVERY_MS = 10_000;
/** Of a run of an hour, whose figures take longer to make. */
const PROGRESS_OF_LONG_RUN_EVERY_MS = 60_000;
const LONG_RUN_MS = 600_000;
/** Of the time that is measured, nothing is lost to others' figures at its ends. */
const BOOT_MS = 2_000;

export interface Saying {
  readonly say: (line: string) => void;
  /** Called when all is there and the phases begin. */
  readonly begun?: () => void;
  /** Of the gateway's process. */
  readonly nodeOptions?: readonly string[];
}

export async function besiege(
  undo: Undo,
  plan: Plan,
  { say, begun = () => undefined, nodeOptions = [] }: Saying,
): Promise<Findings> {
  const kinds = KINDS.filter(({ name }) => plan.kinds.includes(name));
  const house = await openHouse(undo, kinds, nodeOptions);
  const { gateway, port, victim: account } = house;
  say("the merchants sell what is on record before");
  const ground = await lay(house, plan.stock);
  begun();
  const victim = startVictim(undo, {
    ...{ port, saleTokens: account.saleTokens, readToken: account.token, processorId: account.processors[0] ?? "" },
    run: `v-${Date.now().toString(36)}`,
  });
  const health = watchHealth(port, plan.healthWithinMs);
  const machine = watch(port, gateway.pid, gateway.databasePid, plan.siegeLookMs);
  undo.add(() => {
    health.stop();
    machine.stop();
  });
  const stage = stages(victim, health, machine, say);

  await stage("warm-up", plan.warmUpMs);
  await stage("quiet", plan.quietMs);
  const hostiles = startHostiles(undo, ground, plan.kinds, plan.seed);
  machine.hostile(hostiles.pids);
  await stage("beginning", BOOT_MS);
  await stage("siege", plan.siegeMs);
  machine.hostile([]);
  const [, tallies] = await Promise.all([
    stage("recovery", plan.recoveryMs),
    hostiles.end().then(() => hostiles.tallies()),
  ]);
  await stage("calm", plan.calmMs);
  const gone = machine.gone();
  // All that V sold is listed now, which is work of its own.
  for (const part of [health, machine]) part.phase("comparing");
  const compared = await victim.compare();
  health.stop();
  machine.stop();
  return {
    ...{ plan, compared, gone, tallies, readings: machine.readings, logged: faultsIn(house.folder) },
    ...{ victim: await victim.tell(), health: health.figures(), healthFaults: health.faults },
  };
}

/** Every part is told of the phase; while it lasts, a line each ten seconds, in a long run each minute. */
function stages(victim: Victim, health: Health, machine: Watch, say: (line: string) => void) {
  return async (name: string, ms: number): Promise<void> => {
    for (const part of [victim, health, machine]) part.phase(name);
    const end = performance.now() + ms;
    for (let left = ms; left > 0 && !machine.gone(); left = end - performance.now()) {
      await new Promise((resolve) =>
        setTimeout(resolve, Math.min(left, ms >= LONG_RUN_MS ? PROGRESS_OF_LONG_RUN_EVERY_MS : PROGRESS_EVERY_MS)),
      );
      say(progressLine(name, await victim.tell(), health.figures()[name], machine.readings));
    }
  };
}

function progressLine(
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
