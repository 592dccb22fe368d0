// `npm run bench` measures sales a second, memory and the time of a start on this machine and says whether the targets
// are met; `npm run bench -- --quick` does so roughly, and `npm run bench -- --table` measures bench/README.md's table alone. Results go to bench/results/. Everything that it starts or writes
// elsewhere is gone when it ends.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newFolder } from "./data.ts";
import { launchGateway, type RunningGateway } from "./gateway.ts";
import { databaseFacts, machineFacts } from "./machine.ts";
import { memoryOverSales, reportsTo } from "./memory.ts";
import { FULL, type Plan, QUICK } from "./plan.ts";
import { type Results, render } from "./report.ts";
import { openSender } from "./sender.ts";
import type { TablePlan } from "./table.ts";
import { tellTable } from "./table-run.ts";
import { judge } from "./targets.ts";
import { programOf, SUBJECTS, type Subject, throughput, ungroupedByWriters } from "./throughput.ts";
import { type Undo, undoing } from "./undo.ts";

const RESULTS = join(import.meta.dirname, "results");

const { values } = parseArgs({
  options: {
    quick: { type: "boolean" },
    table: { type: "boolean" },
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "3" },
    workers: { type: "string", default: "1" },
  },
});
const say = (line: string) => console.log(line);
await undoing(async (undo) => {
  if (values.table) return tellTable(undo, Number(values.workers), tablePlan(), say);
  const results = await measure(undo, values.quick ? QUICK : FULL);
  say(render(results));
  mkdirSync(RESULTS, { recursive: true });
  const file = join(RESULTS, `${results.at.replaceAll(/[:.]/g, "-")}.json`);
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  say(file);
});

function tablePlan(): TablePlan {
  const [secondsAPoint, rounds] = [Number(values.seconds), Number(values.rounds)];
  if (!(secondsAPoint > 0 && rounds > 0)) throw new Error("--seconds and --rounds are numbers above 0.");
  return { secondsAPoint, rounds };
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
