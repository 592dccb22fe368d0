// `node bin/run.mjs bench/auto-capture.ts [authorizations] [sales a second]`: how long the automatic capture of a full book
// takes, and what it does to the sales that go on beside it. Everything that it starts or writes is gone when it ends.

import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "../src/journal/database.ts";
import { defaultSchedule, nextAfter } from "../src/payment/settlement.ts";
import { newFolder, openDatabase } from "./data.ts";
import { launchGateway, type RunningGateway } from "./gateway.ts";
import { machineFacts } from "./machine.ts";
import { openBook } from "./open-book.ts";
import { cpuMicros, cpuMicrosOfFamily } from "./processes.ts";
import { steadySales } from "./sales-beside.ts";
import type { Phases } from "./steady-sales.ts";
import { type Undo, undoing } from "./undo.ts";

const AUTHORIZATIONS = Number(process.argv[2] ?? 100_000);
const SALES_PER_SECOND = Number(process.argv[3] ?? 80);
/** Sales alone, before the captures begin: first to warm up, then to be measured. */
const WARM_UP_SECONDS = 10;
const ALONE_SECONDS = 40;
const POLL_MS = 100;
const TARGET_SECONDS = 60;
const TARGET_RATIO = 2;

await undoing(measure);

async function measure(undo: Undo): Promise<void> {
  const folder = newFolder(undo);
  const machine = machineFacts(folder);
  const gateway = await (await undo.started(launchGateway(["src/main.ts"], folder))).ready;
  const sql = await openDatabase(undo, folder);
  const captureAt = nextAfter(new Date(), defaultSchedule("CAD").auto_capture_at ?? "");
  const hourBefore = new Date(captureAt.getTime() - 3_600_000);
  await openBook(sql, gateway.sandbox, AUTHORIZATIONS, hourBefore);

  const leadMs = (WARM_UP_SECONDS + ALONE_SECONDS) * 1000;
  await moveClock(gateway, new Date(captureAt.getTime() - leadMs));
  const sales = steadySales(undo, gateway, SALES_PER_SECOND);
  sales.phase("warm-up");
  await sleep(WARM_UP_SECONDS * 1000);
  const alone = cpu(gateway);
  sales.phase("before");
  await sleep(ALONE_SECONDS * 1000);
  const startedAt = performance.now();
  const before = cpu(gateway);
  sales.phase("during");
  while (await isDue(sql, captureAt)) await sleep(POLL_MS);
  const seconds = (performance.now() - startedAt) / 1000;
  const during = cpu(gateway);
  sales.phase("after");
  await sleep(5_000);
  const figures = await sales.tell();
  const [{ captured }] = await sql<[{ captured: number }]>`
    select count(*)::int as captured from events join outcomes using (merchant_id, transaction_id, sequence)
    where type = 'capture' and kind = 'approved'`;
  if (captured !== AUTHORIZATIONS) throw new Error(`${captured} of ${AUTHORIZATIONS} were captured`);
  // What the sales beside them cost is taken off: as much as before.
  const perCapture = (of: "gateway" | "database") => {
    const aSecond = (before[of] - alone[of]) / (before.at - alone.at);
    return (during[of] - before[of] - aSecond * (during.at - before.at)) / AUTHORIZATIONS;
  };
  const load = `load before ${machine.loadBefore.toFixed(1)}`;
  console.log(`${machine.cores} cores (${machine.processor}), ${load}, fsync ${machine.fsyncMs.toFixed(2)} ms`);
  console.log(
    `${captured} authorizations captured in ${seconds.toFixed(1)} s, ${(captured / seconds).toFixed(0)} a second`,
  );
  console.log(
    `CPU µs a capture: gateway ${perCapture("gateway").toFixed(0)}, PostgreSQL ${perCapture("database").toFixed(0)}`,
  );
  console.table(figures);
  judge(seconds, figures);
}

function judge(seconds: number, { before, during }: Phases): void {
  if (before === undefined || during === undefined) throw new Error("sales were not measured");
  const say = (met: boolean, what: string) => console.log(`  ${met ? "met   " : "MISSED"}  ${what}`);
  say(seconds < TARGET_SECONDS, `captured within ${TARGET_SECONDS} s: ${seconds.toFixed(1)} s`);
  for (const at of ["p50Ms", "p99Ms"] as const) {
    const ratio = during[at] / before[at];
    say(ratio <= TARGET_RATIO, `${at} of sales at most ${TARGET_RATIO} times: ${ratio.toFixed(1)} times`);
  }
}

function cpu({ pid, databasePid }: RunningGateway) {
  return { at: performance.now(), gateway: cpuMicros(pid), database: cpuMicrosOfFamily(databasePid) };
}

async function isDue(sql: Sql, captureAt: Date): Promise<boolean> {
  const rows = await sql`select from auto_captures where due_at <= ${captureAt}`;
  return rows.length > 0;
}

async function moveClock({ url, sandbox }: RunningGateway, now: Date): Promise<void> {
  const answer = await fetch(`${url}/operator/clock`, {
    method: "POST",
    headers: { authorization: `Bearer ${sandbox.operator_token}`, "content-type": "application/json" },
    body: JSON.stringify({ now }),
  });
  if (answer.status !== 200) throw new Error(await answer.text());
}
