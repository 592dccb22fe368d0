// The coordinator crashes while a worker commits: what was changed there and its entry in the audit log are both there, or neither is.
// Started by run.ts.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { archive } from "../../src/archive/archive.ts";
import { erase } from "../../src/archive/erase.ts";
import { restore } from "../../src/archive/restore.ts";
import type { Sql } from "../../src/journal/database.ts";
import { openJournal } from "../../src/journal/postgres-journal.ts";
import { approved, conclusion, intent } from "../conformance/intents.ts";
import { type FreshDatabase, freshDatabase } from "../database.ts";
import { officeOn } from "../fixtures/archiving.ts";
import { openWorkerOf } from "./place.ts";

const SOLD_AT = new Date("2031-01-01T12:00:00Z");
const NEXT_DAY = new Date("2031-01-03T00:00:00Z");
const CLOCK = { now: () => new Date("2032-01-01T00:00:00Z") };
const AUTHOR = { actor: "test", source: "test" };
const EMAIL = "jane@example.com";
const COMMIT_TAKES_S = 2;
const LOOK_EVERY_MS = 50;
const MOST_LOOKS = 600;

describe("a coordinator of Citus that crashes while a worker commits", { timeout: 120_000 }, () => {
  let database: FreshDatabase;
  let merchantId: string;
  let folder: string;

  before(async () => {
    database = await freshDatabase();
    folder = mkdtempSync(join(tmpdir(), "faregate-crash-"));
  });
  after(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    const { address, pool } = database;
    merchantId = uuidv7();
    await pool`insert into merchant_counters values (${merchantId}, 0, ${SOLD_AT})`;
    const clock = { now: () => SOLD_AT };
    const journal = openJournal({ address, pool, clock, node: 1, distributed: true });
    const sale = { ...intent(merchantId, SOLD_AT, { full: true }), fields: { email: EMAIL } };
    await journal.open(sale, null);
    await journal.conclude(conclusion(sale, sale.events[0], approved(SOLD_AT)));
    await journal.close();
  });

  const office = () => officeOn(database.pool, CLOCK);
  const ofMerchant = () => ({ merchantId, folder });
  const erasing = () => erase(office(), AUTHOR, { ...ofMerchant(), payer: { email: EMAIL }, keepMeta: false });
  const archiving = () => archive(office(), AUTHOR, { ...ofMerchant(), before: NEXT_DAY });
  const restoring = () => restore(office(), AUTHOR, { ...ofMerchant(), from: SOLD_AT });
  const entries = async () => {
    const rows = await database.pool<{ action: string }[]>`
      select action from audit_log where subject = ${`merchant ${merchantId}`} order by id`;
    return rows.map(({ action }) => action);
  };
  const rows = async () => {
    const found = await database.pool<{ email: string | null }[]>`
      select email from transactions where merchant_id = ${merchantId}`;
    return found.map(({ email }) => email);
  };

  /** @param table of which the work changes or removes a row */
  async function crashIn(work: () => Promise<unknown>, table: string): Promise<void> {
    const { address, pool } = database;
    const worker = await openWorkerOf(pool, address, merchantId);
    await commitSlowly(pool, worker, merchantId, table);
    const broken = assert.rejects(work());
    await until(async () => (await committing(worker)).length > 0);
    // The process that serves this very statement dies, and all others with it.
    await pool.unsafe("copy (select 1) to program 'kill -KILL $PPID'").catch(() => undefined);
    await broken;
    await until(async () => (await atWorkFor(worker)).length === 0);
    await until(() =>
      pool`select 1`.then(
        () => true,
        () => false,
      ),
    );
    await pool`select recover_prepared_transactions()`;
    await worker.end();
  }

  test("a payer is erased with an entry, or is not, and is by the next run", async () => {
    await crashIn(erasing, "transactions");
    assert.deepEqual([await rows(), await entries()], [[EMAIL], []]);
    assert.equal(await erasing(), 1);
    assert.deepEqual([await rows(), await entries()], [[null], ["payer.delete"]]);
  });

  test("transactions are archived with an entry, or are not, and are by the next run", async () => {
    await crashIn(archiving, "transactions");
    assert.deepEqual([await rows(), await entries()], [[EMAIL], []]);
    assert.equal((await archiving()).transactions, 1);
    assert.deepEqual([await rows(), await entries()], [[], ["archive.create"]]);
    assert.equal(await restoring(), 1);
    assert.deepEqual([await rows(), await entries()], [[EMAIL], ["archive.create", "archive.delete"]]);
  });
});

/** Where the merchant's worker is told to commit a change of a row in this table, it takes a while. */
async function commitSlowly(pool: Sql, worker: Sql, merchantId: string, table: string): Promise<void> {
  const [shard] = await pool<{ id: string }[]>`
    select get_shard_id_for_distribution_column(${table}::text::regclass, ${merchantId}::text)::text as id`;
  await worker.unsafe(`
    set citus.enable_ddl_propagation = off;
    set citus.enable_manual_changes_to_shards = on;
    create or replace function slowly() returns trigger language plpgsql as
      'begin perform pg_sleep(${COMMIT_TAKES_S}); return null; end';
    drop trigger if exists slowly on ${table}_${shard?.id};
    create constraint trigger slowly after update or delete on ${table}_${shard?.id}
      deferrable initially deferred for each row execute function slowly()`);
}

const committing = (worker: Sql) => worker`
  select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;

/** Sessions of the coordinator's. */
const atWorkFor = (worker: Sql) => worker`
  select pid from pg_stat_activity
  where datname = current_database() and application_name like 'citus_internal %' and state <> 'idle'`;

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await isSo()); looks++) {
    assert.ok(looks < MOST_LOOKS);
    await sleep(LOOK_EVERY_MS);
  }
}
