// Charges are written while a merchant's rows move to the other worker, and while a worker is killed and comes back: nothing is lost
// and nothing is doubled. Started by run.ts.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { openPool, type Sql } from "../../src/journal/database.ts";
import { freshDatabase } from "../database.ts";
import { handClock } from "../hand-clock.ts";
import { type PostgresInstallation, postgresInstallation } from "../postgres-installation.ts";
import { LEFT_OUT, worker } from "./worker.ts";
import { startWriters, type Writers } from "./writers.ts";

const MERCHANTS = 6;
const WRITERS = 12;
/** Until the writers go on, each merchant's. */
const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 100;
const LONGEST_MS = 180_000;

describe("beside writers on Citus", { timeout: 2 * LONGEST_MS }, () => {
  let installation: PostgresInstallation;
  let merchants: string[];
  let writers: Writers;

  before(async () => {
    installation = postgresInstallation(await freshDatabase());
  });
  after(() => installation.end());
  beforeEach(async () => {
    merchants = Array.from({ length: MERCHANTS }, () => uuidv7());
    for (const id of merchants) await installation.addMerchant(id);
    const { journal } = await installation.join({ clock: handClock(new Date()) });
    writers = startWriters(journal, merchants, WRITERS);
    await allGoOn(writers, merchants);
  });
  afterEach(() => writers.stop());

  test("a merchant's rows move to the other worker", async (t) => {
    const { written } = writers;
    const before = written.told.length;
    await moveRowsOf(merchants[0] ?? "", installation);
    t.diagnostic(`${written.told.length - before} charges were recorded meanwhile`);
    await allGoOn(writers, merchants);
    await writers.stop();
    assert.ok(written.told.length > before);
    assert.deepEqual(written.faults, []);
    await nothingLostOrDoubled(installation.pool, merchants, writers);
  });

  test("a worker is killed and comes back", { skip: worker ? false : LEFT_OUT }, async (t) => {
    assert.ok(worker);
    const { written } = writers;
    await worker.kill();
    await worker.start();
    await allGoOn(writers, merchants);
    await writers.stop();
    t.diagnostic(`${written.told.length} charges were recorded, ${written.uncertain} uncertain or refused`);
    assert.deepEqual(written.faults, []);
    await nothingLostOrDoubled(installation.pool, merchants, writers);
  });
});

interface Place {
  readonly worker: number;
  readonly host: string;
  readonly port: number;
}

async function moveRowsOf(merchantId: string, { address, pool }: PostgresInstallation): Promise<void> {
  const [shard] = await pool<(Place & { id: string })[]>`
    select p.shardid as id, n.groupid as worker, n.nodename as host, n.nodeport as port
    from pg_dist_placement p join pg_dist_node n using (groupid)
    where p.shardid = get_shard_id_for_distribution_column('transactions', ${merchantId}::text)`;
  assert.ok(shard);
  const [target] = await pool<Place[]>`
    select groupid as worker, nodename as host, nodeport as port from pg_dist_node
    where groupid not in (0, ${shard.worker}) and noderole = 'primary' limit 1`;
  assert.ok(target, "there are two workers");
  const mover = openPool(address, "mover", { statementTimeoutMs: LONGEST_MS, deadlineMs: LONGEST_MS });
  await mover`
    select citus_move_shard_placement(${shard.id}::int8, ${shard.host}::text, ${shard.port}::int,
      ${target.host}::text, ${target.port}::int)`;
  await mover.end();
}

/** Resolves when a charge of each merchant was recorded that began after the call. */
async function allGoOn({ written }: Writers, merchants: readonly string[]): Promise<void> {
  const start = written.told.length + WRITERS;
  const until = Date.now() + PATIENCE_MS;
  const going = () => new Set(written.told.slice(start).map(({ merchantId }) => merchantId));
  while (going().size < merchants.length) {
    assert.ok(Date.now() < until, `${going().size} of ${merchants.length} merchants go on`);
    await sleep(LOOK_EVERY_MS);
  }
}

async function nothingLostOrDoubled(sql: Sql, merchants: readonly string[], { written }: Writers): Promise<void> {
  let open = 0;
  for (const merchant of merchants) {
    const [found] = await sql<{ counted: number }[]>`
      select (select transactions::int from merchant_counters where merchant_id = ${merchant}) as counted,
        (select count(*)::int from transactions where merchant_id = ${merchant}) as rows,
        (select count(distinct number)::int from transactions where merchant_id = ${merchant}) as numbers,
        (select max(number)::int from transactions where merchant_id = ${merchant}) as last,
        (select count(*)::int from events where merchant_id = ${merchant}) as events,
        (select count(*)::int from idempotency_keys where merchant_id = ${merchant}) as keys`;
    assert.ok(found);
    const { counted } = found;
    assert.deepEqual(found, {
      counted,
      ...{ rows: counted, numbers: counted, last: counted, events: counted, keys: counted },
    });
    const outcomes = await sql<{ id: string }[]>`
      select transaction_id as id from outcomes where merchant_id = ${merchant}`;
    const there = new Set(outcomes.map(({ id }) => id));
    const told = written.told.filter(({ merchantId }) => merchantId === merchant);
    const lost = told.filter(({ id }) => !there.has(id));
    assert.deepEqual(lost, []);
    open += counted - outcomes.length;
  }
  assert.ok(open <= written.uncertain, `${open} without an outcome, ${written.uncertain} uncertain`);
}
