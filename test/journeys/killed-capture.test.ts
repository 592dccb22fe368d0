// A gateway that is killed in the middle of its automatic capture, as the system kills: the next start on the same data
// captures the rest within seconds, and nothing twice.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startGateway } from "../../bench/gateway.ts";
import { openBook } from "../../bench/open-book.ts";
import { openPool, type Sql } from "../../src/journal/database.ts";
import { startEmbedded } from "../../src/journal/embedded/embedded.ts";
import { nextAfter } from "../../src/payment/settlement.ts";
import { compiledForTests } from "../compiled.ts";
import { sized } from "../random.ts";
import { atEnd, usedFolder } from "./used-folder.ts";

const BOOK = sized(3_000, 6_000);
const PATIENCE_MS = 120_000;
const PROGRAM = [compiledForTests("test/journeys/impatient-gateway.ts")];

test("a gateway that is killed while it captures leaves nothing open and captures nothing twice", async (t) => {
  const folder = await usedFolder(t);
  const first = await startGateway(PROGRAM, folder);
  atEnd(t, first.stop);
  const { connection, stop } = await startEmbedded({ dataFolder: folder, log: () => undefined });
  const sql = openPool(connection, "test");
  atEnd(t, stop);
  atEnd(t, () => sql.end({ timeout: 1 }));
  const captureAt = nextAfter(new Date(), "20:30");
  await openBook(sql, first.sandbox, BOOK, new Date(captureAt.getTime() - 3_600_000));
  // The answer comes when all is captured, and nobody waits for it.
  const moved = fetch(`${first.url}/operator/clock`, {
    method: "POST",
    headers: { authorization: `Bearer ${first.sandbox.operator_token}`, "content-type": "application/json" },
    body: JSON.stringify({ now: captureAt }),
  }).catch(() => undefined);

  while ((await captured(sql)) < BOOK / 10) await sleep(5);
  process.kill(first.pid, "SIGKILL");
  await moved;
  const before = await captured(sql);
  assert.ok(before < BOOK, "it was killed too late to show anything");

  const second = await startGateway(PROGRAM, folder);
  atEnd(t, second.stop);
  const since = performance.now();
  while ((await stillDue(sql, captureAt)) && performance.now() - since < PATIENCE_MS) await sleep(50);
  t.diagnostic(`killed after ${before} of ${BOOK}; the rest took ${((performance.now() - since) / 1000).toFixed(1)} s`);
  // The few that were in flight are the resolver's.
  while ((await captured(sql)) < BOOK && performance.now() - since < PATIENCE_MS) await sleep(50);
  const [sums] = await sql<[Record<"captures" | "transactions" | "approved", number>]>`
    select count(*)::int as captures, count(distinct e.transaction_id)::int as transactions,
      (count(*) filter (where o.kind = 'approved'))::int as approved
    from events e left join outcomes o using (merchant_id, transaction_id, sequence) where e.type = 'capture'`;
  assert.deepEqual(sums, { captures: BOOK, transactions: BOOK, approved: BOOK });
});

async function captured(sql: Sql): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from events join outcomes using (merchant_id, transaction_id, sequence)
    where type = 'capture'`;
  return row.count;
}

async function stillDue(sql: Sql, captureAt: Date): Promise<boolean> {
  return (await sql`select from auto_captures where due_at <= ${captureAt}`).length > 0;
}
