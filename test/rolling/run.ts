// `node bin/run.mjs test/rolling/run.ts [--from <commit>] [--seconds 5]`: a rolling update under load. Two gateways of an earlier version
// sell on one database; the tables are migrated beside them, then one after the other is taken out of rotation, stopped, and replaced
// by this version. No request may fail, and nothing that was acknowledged may be lost. Without `--from` it is the commit before the newest
// migration came. Takes about a minute; everything is gone when it ends.

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { newFolder } from "../../bench/data.ts";
import { urlOf } from "../../bench/nodes.ts";
import { percentile } from "../../bench/statistics.ts";
import { type Undo, undoing } from "../../bench/undo.ts";
import { openPool } from "../../src/journal/database.ts";
import { startEmbedded } from "../../src/journal/embedded/embedded.ts";
import { lostOf } from "./lost.ts";
import { type Installation, migrateWith, type Node, startNode } from "./nodes.ts";
import { openTraffic } from "./traffic.ts";

const ROOT = join(import.meta.dirname, "../..");
const NODES = 2;

const { values } = parseArgs({ options: { from: { type: "string" }, seconds: { type: "string", default: "5" } } });
const seconds = Number(values.seconds);
const from =
  values.from ?? `${git("log", "-1", "--format=%H", "--diff-filter=A", "--", "src/journal/migrations").trim()}~1`;

await undoing(update);

async function update(undo: Undo): Promise<void> {
  const folder = newFolder(undo);
  const earlier = checkout(join(folder, "earlier"));
  const { connection } = await undo.started(startEmbedded({ dataFolder: folder, log: () => undefined }));
  const sql = openPool(connection, "rolling update");
  undo.add(() => sql.end({ timeout: 1 }));
  const installation: Installation = { folder, databaseUrl: urlOf(connection) };
  console.log(`From ${git("log", "-1", "--format=%h %s", from).trim()}`);
  await migrateWith(earlier, installation);
  const nodes: Node[] = [];
  for (let nth = 0; nth < NODES; nth++) nodes.push(await undo.started(startNode(earlier, installation, nth)));
  const traffic = openTraffic(
    nodes.map(({ url }) => url),
    nodes[0]?.sandbox,
  );
  undo.add(traffic.stop);
  const phase = async (name: string, work: () => Promise<unknown>) => {
    traffic.phase(name);
    await work();
    await sleep(seconds * 1000);
  };
  await phase("earlier version", async () => undefined);
  await phase("migrating", async () => console.log(await migrateWith(ROOT, installation)));
  for (const [nth, { url }] of nodes.entries())
    await phase(`replacing node ${nth + 1}`, async () => {
      await traffic.withdraw(url);
      await nodes[nth]?.stop();
      nodes[nth] = await undo.started(startNode(ROOT, installation, nth, url));
      traffic.offer(url);
    });
  await phase("this version", async () => undefined);
  await traffic.stop();

  const lost = await lostOf(traffic.acknowledged, nodes, sql);
  const table = [...traffic.phases].map(([name, { timesMs, failures }]) => {
    const sorted = timesMs.toSorted((a, b) => a - b);
    const at = (share: number) => Number(percentile(sorted, share).toFixed(1));
    return [
      name,
      { requests: sorted.length, failed: failures.length, "p50 ms": at(0.5), "p99 ms": at(0.99), "most ms": at(1) },
    ];
  });
  console.table(Object.fromEntries(table));
  const failures = [...traffic.phases.values()].flatMap((phase) => phase.failures);
  for (const failure of [...failures, ...lost].slice(0, 20)) console.log(failure);
  const { sales, refunds } = traffic.acknowledged;
  console.log(
    `${sales.length} sales and ${refunds.length} refunds acknowledged, ${failures.length} requests failed, ${lost.length} lost.`,
  );
  if (failures.length + lost.length > 0 || refunds.length === 0) process.exitCode = 1;
}

/** The sources alone: packages are those of this checkout. */
function checkout(folder: string): string {
  mkdirSync(folder);
  execFileSync("tar", ["-x", "-C", folder], {
    input: execFileSync("git", ["archive", from], { cwd: ROOT, maxBuffer: 2 ** 30 }),
  });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

function git(...words: string[]): string {
  return execFileSync("git", words, { cwd: ROOT, encoding: "utf8" });
}
