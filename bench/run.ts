// `npm run bench` measures sales a second, memory and the time of a start on this machine and says whether the targets
// are met; `-- --quick` does so roughly. `-- --table` measures bench/README.md's table alone (`--write` puts it there), `-- --workers 2 --nodes 2` compares more
// workers and nodes with one, `-- --minutes 60` watches the memory. Results go to bench/results/. Everything that it starts or
// writes elsewhere is gone when it ends.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newFolder } from "./data.ts";
import { launchGateway, type RunningGateway } from "./gateway.ts";
import { tellMemory } from "./level-run.ts";
import { databaseFacts, machineFacts } from "./machine.ts";
import { memoryOverSales, reportsTo } from "./memory.ts";
import { FULL, type Plan, QUICK } from "./plan.ts";
import { type Results, render } from "./report.ts";
import { tellScale } from "./scale-run.ts";
import { openSender } from "./sender.ts";
import { tellTable } from "./table-run.ts";
import { judge } from "./targets.ts";
import { programOf, SUBJECTS, type Subject, throughput, ungroupedByWriters } from "./throughput.ts";
import { type Undo, undoing } from "./undo.ts";

const RESULTS = join(import.meta.dirname, "results");
const [flag, text] = [{ type: "boolean" }, { type: "string" }] as const;

const { values } = parseArgs({
  options: {
    ...{ quick: flag, table: flag, write: flag, against: text },
    ...{ workers: text, nodes: text, minutes: text, seconds: text, rounds: text },
  },
});
const say = (line: string) => console.log(line);
await undoing(async (undo) => {
  const rounds = above0("rounds", 3);
  if (values.table) {
    const plan = { rounds, secondsAPoint: above0("seconds", 10) };
    return tellTable(undo, above0("workers", 1), plan, values.against, values.write === true, say);
  }
  if (values.write) throw new Error("--write goes with --table: it puts the table into bench/README.md.");
  if (values.minutes !== undefined) return tellMemory(undo, above0("workers", 1), above0("minutes", 60), say);
  if (values.workers !== undefined || values.nodes !== undefined) {
    const [workers, nodes] = [above0("workers", 1), above0("nodes", 1)];
    return tellScale(undo, { rounds, workers, nodes, secondsAPoint: above0("seconds", 5) }, values.against, say);
  }
  const results = await measure(undo, values.quick ? QUICK : FULL);
  say(render(results));
  mkdirSync(RESULTS, { recursive: true });
  const file = join(RESULTS, `${results.at.replaceAll(/[:.]/g, "-")}.json`);
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  say(file);
});

function above0(name: "workers" | "nodes" | "minutes" | "seconds" | "rounds", usual: number): number {
  const value = Number(values[name] ?? usual);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} is a whole number above 0.`);
}

async function measure(undo: Undo, plan: Plan): Promise<Results> {
  const at = new Date().toISOString();
  const machine = machineFacts(newFolder(undo));
  const sender = openSender();
  undo.add(sender.close);
  const start = async (...launch: Parameters<typeof launchGateway>) =>
    (await undo.started(launchGateway(...launch))).ready;

  say("Writes that are not grouped: how many connections serve them best?");
  const byWriters = await ungroupedByWriters(plan, (program) => start(program, newFolder(undo)), sender, say);
  const [[writers] = [1]] = [...byWriters].sort(([, a], [, b]) => b - a);

  say("Sales a second");
  const gateways = new Map<Subject, RunningGateway>();
  for (const subject of SUBJECTS) gateways.set(subject, await start(programOf(subject, writers), newFolder(undo)));
  const points = await throughput(plan, gateways, sender, say);
  for (const gateway of gateways.values()) await gateway.stop();

  say("Memory");
  const folder = newFolder(undo);
  const shipped = programOf("shipped", writers);
  const gateway = await start(shipped, folder, reportsTo(folder));
  const database = databaseFacts(gateway.databasePid);
  const memory = await memoryOverSales(plan, gateway, folder, sender, say);
  await gateway.stop();

  say("Starts on these data");
  const startsMs: number[] = [];
  for (let count = 0; count < plan.starts; count++) {
    const started = await start(shipped, folder);
    startsMs.push(started.readyAfterMs);
    await started.stop();
  }

  const targets = judge(points, memory, startsMs);
  const ungrouped = [...byWriters];
  return { at, machine, database, plan, points, ungroupedByWriters: ungrouped, writers, memory, startsMs, targets };
}
