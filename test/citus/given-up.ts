// A write that was given up is never committed on a merchant's worker once it was told as not there. Started by run.ts.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { openPool, type Sql } from "../../src/journal/database.ts";
import { JournalUnavailable, JournalUncertain } from "../../src/journal/journal.ts";
import { endedOnWorkerOf } from "../../src/journal/merchants-worker.ts";
import { openJournal } from "../../src/journal/postgres-journal.ts";
import type { ReservedSql } from "../../src/journal/sql/sql.ts";
import { type GroupWrite, openWriter, type Writer } from "../../src/journal/writer.ts";
import { intent } from "../conformance/intents.ts";
import { freshDatabase } from "../database.ts";
import { handClock } from "../hand-clock.ts";
import { type PostgresInstallation, postgresInstallation } from "../postgres-installation.ts";
import { openWorkerOf } from "./place.ts";

const PATIENCE_MS = 1_500;
/** For a commit that must not come. */
const LONG_ENOUGH_MS = 1_000;
/** A session that began longer after another one did not begin before it by any clock. */
const CLOCK_SKEW_MS = 2_500;

describe("a write that was given up on Citus", { timeout: 120_000 }, () => {
  let installation: PostgresInstallation;
  let pool: Sql;
  let merchantId: string;
  let lock: ReservedSql;

  before(async () => {
    installation = postgresInstallation(await freshDatabase());
    ({ pool } = installation);
  });
  after(() => installation.end());
  beforeEach(async () => {
    merchantId = uuidv7();
    await installation.addMerchant(merchantId);
    lock = await pool.reserve();
    await lock`begin`;
    await lock`select merchant_id from merchant_counters where merchant_id = ${merchantId} for update`;
  });
  afterEach(() => lock.release());

  const counted = async () => {
    const [row] = await pool<{ counted: number; rows: number }[]>`
      select transactions::int as counted, (select count(*)::int from transactions where merchant_id = ${merchantId}) as rows
      from merchant_counters where merchant_id = ${merchantId}`;
    return row;
  };
  const free = async () => {
    await lock`rollback`;
    await sleep(LONG_ENOUGH_MS);
  };

  test("a charge that waited for its worker: found to be missing, it stays missing", async () => {
    const { id: node } = await installation.join();
    const { address } = installation;
    const clock = handClock(new Date());
    const journal = openJournal({ address, pool, clock, node, patienceMs: PATIENCE_MS, distributed: true });
    const charge = intent(merchantId, new Date());
    await assert.rejects(journal.open(charge, null), JournalUncertain);
    assert.equal(await journal.find(merchantId, charge.id), undefined);
    await free();
    assert.deepEqual(await counted(), { counted: 0, rows: 0 });
    await journal.open(intent(merchantId, new Date()), null);
    assert.deepEqual(await counted(), { counted: 1, rows: 1 });
    await journal.close();
  });

  describe("of a statement that its worker commits by itself", () => {
    /** Citus sends it whole, and without a transaction of several statements. */
    const adding: GroupWrite<string, "added"> = {
      statement: async (sql, [merchant = ""]) => {
        await sql`update merchant_counters set transactions = transactions + 1 where merchant_id = ${merchant}`;
        return ["added"];
      },
      look: async () => [undefined],
    };
    let writer: Writer<string, "added">;
    let worker: Sql;
    const serverPid = async () => {
      const [row] = await pool<{ pid: number }[]>`
        select pid from pg_stat_activity where application_name = 'the writer'`;
      return row?.pid ?? 0;
    };
    const lastAsked = () => pool`
      select query_start from pg_stat_activity where application_name = 'the writer' and query <> ''`;

    beforeEach(async () => {
      writer = openWriter(installation.address, "the writer", adding, {
        patienceMs: PATIENCE_MS,
        merchantOf: (id) => id,
      });
      worker = await openWorkerOf(pool, installation.address, merchantId);
    });
    afterEach(async () => {
      await writer.close();
      await worker.end({ timeout: 1 });
    });

    test("it is not done after the writer has recovered", async () => {
      await assert.rejects(writer.write([merchantId]), JournalUncertain);
      await writer.recover(merchantId);
      await free();
      assert.deepEqual(await counted(), { counted: 0, rows: 0 });
      assert.deepEqual(await writer.write([merchantId]), ["added"]);
      assert.deepEqual(await counted(), { counted: 1, rows: 0 });
    });

    test("the writer has recovered when its session at the worker has ended, whoever forgot to end it", async () => {
      const giving = assert.rejects(writer.write([merchantId]), JournalUncertain);
      await sleep(PATIENCE_MS / 2);
      const [{ gpid }] = await pool<[{ gpid: string }]>`
        select citus_calculate_gpid(citus_nodeid_for_gpid(citus_backend_gpid()), ${await serverPid()}::int)::text as gpid`;
      const forgotten = await worker.reserve();
      await forgotten`select set_config('application_name', ${`citus_internal gpid=${gpid}`}, false)`;
      await giving;
      const [{ left }] = await sessionsFor(worker, gpid);
      assert.ok(left > 0);
      await writer.recover(merchantId);
      assert.deepEqual(await sessionsFor(worker, gpid), [{ left: 0 }]);
      forgotten.release();
      await free();
    });

    test("another session that has the number of the one that ended goes on", async () => {
      const forgotten = await worker.reserve();
      const others = openPool(installation.address, "another", { connections: 1 });
      const [{ pid, gpid }] = await others<[{ pid: number; gpid: string }]>`
        select pg_backend_pid() as pid, citus_backend_gpid()::text as gpid`;
      await forgotten`select set_config('application_name', ${`citus_internal gpid=${gpid}`}, false)`;
      await sleep(CLOCK_SKEW_MS);
      await lock`rollback`;
      await others.begin(async (other) => {
        await other`update merchant_counters set transactions = transactions + 1 where merchant_id = ${merchantId}`;
        assert.deepEqual(await sessionsFor(worker, gpid), [{ left: 2 }]);
        await endedOnWorkerOf(pool, merchantId, pid, () => undefined);
        assert.deepEqual(await sessionsFor(worker, gpid), [{ left: 1 }]);
      });
      assert.deepEqual(await counted(), { counted: 1, rows: 0 });
      forgotten.release();
      await others.end();
    });

    test("the writer has not recovered while something of it is prepared at the worker", async () => {
      const giving = assert.rejects(writer.write([merchantId]), JournalUncertain);
      await sleep(PATIENCE_MS / 2);
      // With the number of a transaction that goes on: so Citus leaves it alone.
      const [{ number }] = await lock<[{ number: string }]>`
        select transaction_number::text as number from get_current_transaction_id()`;
      const name = `citus_0_${await serverPid()}_${number}_0`;
      await worker.unsafe(`begin; select pg_current_xact_id(); prepare transaction '${name}'`);
      await giving;
      const some = Array.from({ length: 5 }, () => assert.rejects(writer.recover(merchantId), JournalUnavailable));
      await Promise.all(some);
      await sleep(PATIENCE_MS / 2);
      const asked = await lastAsked();
      assert.equal(asked.length, 1);
      await sleep(PATIENCE_MS / 2);
      assert.deepEqual(await lastAsked(), asked, "nobody waits for it, and it goes on");
      await worker.unsafe(`rollback prepared '${name}'`);
      await writer.recover(merchantId);
      await free();
      assert.deepEqual(await counted(), { counted: 0, rows: 0 });
    });
  });
});

const sessionsFor = (worker: Sql, gpid: string) =>
  worker<[{ left: number }]>`
    select count(*)::int as left from pg_stat_activity where application_name = ${`citus_internal gpid=${gpid}`}`;
