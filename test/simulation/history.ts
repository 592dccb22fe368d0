// Runs a history, and after every step compares what happened with the model. A fault tells the step and what was there.

import { chanceFrom } from "./chance.ts";
import type { House } from "./house.ts";
import { settlesFrom, timeFrom } from "./money.ts";
import { SCHEDULES } from "./records.ts";
import { Simulation } from "./simulation.ts";
import type { ClockMove, Step } from "./steps.ts";

const MINUTE = 60_000;

/** @param coverage counts what was met, by name */
export async function runHistory(house: House, steps: readonly Step[], coverage: Map<string, number>): Promise<void> {
  const simulation = await Simulation.open(house, coverage);
  for (const [index, step] of steps.entries()) await saying(`step ${index}`, () => take(simulation, step));
  await saying("the end", () => simulation.end());
}

/** What fails says where. */
export async function saying(where: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (fault) {
    if (fault instanceof Error) fault.message = `${where}: ${fault.message}`;
    throw fault;
  }
}

async function take(simulation: Simulation, step: Step): Promise<void> {
  const { house, records, weather } = simulation;
  switch (step.step) {
    case "burst":
      await simulation.burst(step);
      return;
    case "resolve":
      Object.assign(weather, { chance: chanceFrom(step.seed), noise: step.noise, databaseAway: false });
      await simulation.resolve(simulation.nodes[step.node]);
      return simulation.compare([]);
    case "clock":
      house.clock.set(new Date(moved(house.clock.now().getTime(), step)));
      return simulation.compare([]);
    case "schedule": {
      const schedule = SCHEDULES[step.schedule] ?? SCHEDULES[0];
      const record = records[step.record];
      if (record) records[step.record] = { ...record, schedule };
    }
  }
}

function moved(now: number, { to, minutes }: Step & { step: "clock" }): number {
  const { cutoffAt, visibleAt } = settlesFrom(now, SCHEDULES[0]);
  const moves: Readonly<Record<ClockMove, number>> = {
    on: now + minutes * MINUTE,
    "before cut-off": cutoffAt - 1,
    "cut-off": cutoffAt,
    "in window": timeFrom(now, "22:00") + minutes * MINUTE,
    "before visible": visibleAt - 1,
    visible: visibleAt,
  };
  return moves[to];
}
