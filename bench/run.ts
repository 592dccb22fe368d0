// `npm run bench` measures sales a second, memory and the time of a start on this machine and says whether the targets
// are met; `npm run bench -- --quick` does so roughly. Results go to bench/results/. Everything that it starts or writes
// elsewhere is gone when it ends.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { existingPlace } from "../src/journal/embedded/place.ts";
import { launchGateway, type RunningGateway } from "./gateway.ts";
import { databaseFacts, machineFacts } from "./machine.ts";
import { memoryOverSales, reportsTo } from "./memory.ts";
import { FULL, type Plan, QUICK } from "./plan.ts";
import { type Results, render } from "./report.ts";
import { openSender } from "./sender.ts";
import { judge } from "./targets.ts";
import { programOf, SUBJECTS, type Subject, throughput, ungroupedByWriters } from "./throughput.ts";

const RESULTS = join(import.meta.dirname, "results");

const { values } = parseArgs({ options: { quick: { type: "boolean" } } });
const say = (line: string) => console.log(line);
const undo: (() => Promise<void> | void)[] = [];
let undone = Promise.resolve();
let stopped = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    stopped = true;
    void undoAll(); // whatever is under way fails by that, and ends below
  });
try {
  const results = await measure(values.quick ? QUICK : FULL);
  say(render(results));
  mkdirSync(RESULTS, { recursive: true });
  const file = join(RESULTS, `${results.at.replaceAll(/[:.]/g, "-")}.json`);
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  say(file);
} catch (fault) {
  if (!stopped) console.error(fault);
  process.exitCode = 1;
} finally {
  await undoAll();
}

function register(step: () => Promise<void> | void): void {
  undo.push(step);
  if (stopped) throw new Error("The measurement was stopped.");
}

/** One step after the other, the latest first. */
function undoAll(): Promise<void> {
  undone = undone.then(async () => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  });
  return undone;
}

async function measure(plan: Plan): Promise<Results> {
  const at = new Date().toISOString();
  const machine = machineFacts(newFolder());
  const sender = openSender();
  register(sender.close);

  say("Writes that are not grouped: how many connections serve them best?");
  const byWriters = await ungroupedByWriters(plan, (program) => start(program, newFolder()), sender, say);
  const [[writers] = [1]] = [...byWriters].sort(([, a], [, b]) => b - a);

  say("Sales a second");
  const gateways = new Map<Subject, RunningGateway>();
  for (const subject of SUBJECTS) gateways.set(subject, await start(programOf(subject, writers), newFolder()));
  const points = await throughput(plan, gateways, sender, say);
  for (const gateway of gateways.values()) await gateway.stop();

  say("Memory");
  const folder = newFolder();
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

async function start(program: readonly string[], folder: string, nodeOptions?: readonly string[]) {
  const launched = await launchGateway(program, folder, nodeOptions);
  register(launched.stop);
  return launched.ready;
}

function newFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "faregate-bench-"));
  register(() => {
    // It is elsewhere where PostgreSQL's user cannot reach this one.
    for (const part of [existingPlace(folder)?.base ?? folder, folder])
      rmSync(part, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });
  return folder;
}
