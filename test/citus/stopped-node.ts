// A node that stops in the middle of a charge, such as one that is frozen or has lost its network. Started by run.ts.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "../../src/journal/database.ts";
import { openJournal, type PostgresJournal } from "../../src/journal/postgres-journal.ts";
import { intent } from "../conformance/intents.ts";
import { freshDatabase } from "../database.ts";
import { handClock } from "../hand-clock.ts";
import { type PostgresInstallation, postgresInstallation } from "../postgres-installation.ts";
import { wireTo } from "../wire.ts";

const LOOK_AGAIN_MS = 50;
const MOST_LOOKS = 600;

describe("a node that stops on Citus between a charge's number and its commit", { timeout: 120_000 }, () => {
  let installation: PostgresInstallation;
  let pool: Sql;
  let merchantId: string;

  before(async () => {
    installation = postgresInstallation(await freshDatabase());
    ({ pool } = installation);
  });
  after(() => installation.end());
  beforeEach(async () => {
    merchantId = uuidv7();
    await installation.addMerchant(merchantId);
  });

  const journalOf = async (address = installation.address): Promise<PostgresJournal> => {
    const { id: node } = await installation.join();
    return openJournal({ address, pool, clock: handClock(new Date()), node, distributed: true });
  };
  const charge = () => intent(merchantId, new Date());
  const counted = async () => {
    const [row] = await pool<{ counted: number; rows: number }[]>`
      select transactions::int as counted, (select count(*)::int from transactions where merchant_id = ${merchantId}) as rows
      from merchant_counters where merchant_id = ${merchantId}`;
    return row;
  };
  /** Of the sessions that open charges. */
  const writersThat = async (condition: string) => {
    for (let [left, looks] = [0, 0]; left === 0; looks++, await sleep(LOOK_AGAIN_MS)) {
      assert.ok(looks < MOST_LOOKS, condition);
      const [row] = await pool.unsafe<{ there: number }[]>(`select count(*)::int as there from pg_stat_activity
        where datname = current_database() and application_name like 'faregate node % open %' and ${condition}`);
      left = row?.there ?? 0;
    }
  };

  test("another node goes on selling, and the charge is recorded once after all", async (t) => {
    const wire = await wireTo(installation.address);
    t.after(() => wire.end());
    const [stopping, other] = [await journalOf(wire.address), await journalOf()];
    t.after(() => Promise.all([stopping.close(), other.close()]));
    const lock = await pool.reserve();
    await lock`begin`;
    await lock`select merchant_id from merchant_counters where merchant_id = ${merchantId} for update`;
    const stopped = stopping.open(charge(), null);
    stopped.catch(() => undefined);
    await writersThat("state = 'active' and query like '%update merchant_counters%'");
    wire.loseQuestions();
    await lock`rollback`;
    lock.release();
    await writersThat("state = 'idle in transaction'");
    wire.mend();
    // It takes the next number: the row is locked for as long as the stopped session lives.
    await other.open(charge(), null);
    await stopped;
    assert.deepEqual(await counted(), { counted: 2, rows: 2 });
  });
});
