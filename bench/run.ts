// `npm run bench` measures sales a second, memory and the time of a start on this machine and says whether the targets
// are met; `npm run bench -- --quick` does so roughly. Results go to bench/results/. Everything that it starts or writes
// elsewhere is gone when it ends.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { existingPlace } from "../src/journal/embedded/place.ts";
import { type RunningGateway, startGateway } from "./gateway.ts";
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
let cleaning: Promise<void> | undefined;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => void cleanUp().then(() => process.exit(1)));
try {
  const results = await measure(values.quick ? QUICK : FULL);
  say(render(results));
  mkdirSync(RESULTS, { recursive: true });
  const file = join(RESULTS, `${results.at.replaceAll(/[:.]/g, "-")}.json`);
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  say(file);
} catch (fault) {
  // After a Ctrl-C whatever was under way fails, and that is no news.
  if (cleaning === undefined) console.error(fault);
  process.exitCode = 1;
} finally {
  await cleanUp();
}

function cleanUp(): Promise<void> {
  cleaning ??= (async () => {
    for (const step of undo.splice(0).reverse()) await step();
  })();
  return cleaning;
}

async function measure(plan: Plan): Promise<Results> {
  const at = new Date().toISOString();
  const machine = machineFacts(newFolder());
  const sender = openSender();
  undo.push(sender.close);

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
  const gateway = await start([...reportsTo(folder), ...shipped], folder);
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

async function start(program: readonly string[], folder: string): Promise<RunningGateway> {
  const gateway = await startGateway(program, folder);
  undo.push(gateway.stop);
  return gateway;
}

function newFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "faregate-bench-"));
  undo.push(() => {
    // It is elsewhere where PostgreSQL's user cannot reach this one.
    const place = existingPlace(folder);
    if (place !== undefined) rmSync(place.base, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
