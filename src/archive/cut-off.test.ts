// The last commit of a run that was cut off may come while the next one is at work.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { v7 } from "uuid";
import { approved, conclusion, intent } from "../../test/conformance/intents.ts";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { ON_CITUS } from "../../test/database-server.ts";
import { officeOn } from "../../test/fixtures/archiving.ts";
import { listPage } from "../../test/fixtures/whole-page.ts";
import { openPool, type Sql } from "../journal/database.ts";
import { registerNode } from "../journal/nodes.ts";
import { openJournal, type PostgresJournal } from "../journal/postgres-journal.ts";
import type { ReservedSql } from "../journal/sql/sql.ts";
import { archive } from "./archive.ts";
import { readFileOf, writeFileOf } from "./file.ts";
import { lockArchive, type Portion, portionsOf } from "./portions.ts";
import { digestOf, removeRecords } from "./records.ts";
import { restore } from "./restore.ts";

const SOLD_AT = new Date("2031-01-01T12:00:00Z");
const NEXT_DAY = new Date("2031-01-03T00:00:00Z");
const CLOCK = { now: () => new Date("2032-01-01T00:00:00Z") };
const AUTHOR = { actor: "test", source: "test" };
const SALES = 3;
const LOCKING = "%from archives%for update%";
const LOOK_AGAIN_MS = 20;
const MOST_LOOKS = 1_500;

describe("an archive whose last run was cut off in its commit", () => {
  let database: FreshDatabase;
  let journal: PostgresJournal;
  let folder: string;
  let merchantId: string;
  let sold: readonly string[];

  before(async () => {
    database = await freshDatabase();
    folder = mkdtempSync(join(tmpdir(), "faregate-cut-off-"));
    const { address, pool } = database;
    const node = await registerNode(pool, SOLD_AT);
    journal = openJournal({ address, pool, clock: { now: () => SOLD_AT }, node, distributed: ON_CITUS });
  });
  after(async () => {
    await journal.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    merchantId = v7();
    await database.pool`insert into merchant_counters values (${merchantId}, 0, ${SOLD_AT})`;
    const sales = Array.from({ length: SALES }, () => intent(merchantId, SOLD_AT, { full: true }));
    for (const sale of sales) {
      await journal.open(sale, null);
      await journal.conclude(conclusion(sale, sale.events[0], approved(SOLD_AT)));
    }
    sold = sales.map(({ id }) => id);
  });

  const archiving = (sql: Sql, reached?: (step: string) => void) =>
    archive(officeOn(sql, CLOCK), AUTHOR, { merchantId, before: NEXT_DAY, folder, ...(reached && { reached }) });
  const restoring = (sql: Sql) => restore(officeOn(sql, CLOCK), AUTHOR, { merchantId, from: SOLD_AT, folder });
  const everything = () => listPage(database.pool, merchantId, {}, 1);
  const files = () => readdirSync(join(folder, merchantId));

  /** @returns the portion that is there then */
  async function cutOff(at: string): Promise<Portion> {
    const run = archiving(database.pool, (step) => {
      if (step === at) throw new Error("cut off");
    });
    await assert.rejects(run, /cut off/);
    const [portion] = await portionsOf(database.pool, merchantId);
    assert.ok(portion);
    return portion;
  }

  /** With sessions of this name, so that what it is at can be looked up. */
  async function named<T>(name: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    const sql = openPool(database.address, name);
    return work(sql).finally(() => sql.end());
  }

  async function asked(names: readonly string[], what: string): Promise<void> {
    for (let looks = 0; ; looks++) {
      const found = await database.pool`
        select distinct application_name from pg_stat_activity
        where datname = current_database() and application_name = any(${[...names]}::text[]) and query like ${what}`;
      if (found.length === names.length) return;
      assert.ok(looks < MOST_LOOKS, `${found.length} of ${names.length} have asked ${what}`);
      await sleep(LOOK_AGAIN_MS);
    }
  }

  /** As a run whose process is gone. */
  async function committing(work: (sql: ReservedSql) => Promise<unknown>, meanwhile: () => Promise<void>) {
    const session = await database.pool.reserve();
    try {
      await session`begin`;
      await work(session);
      await meanwhile();
      await session`commit`;
    } finally {
      session.release();
    }
  }

  test("what both would remove is in the archive once, and comes back", async () => {
    const before = await everything();
    await cutOff("marked");
    const names = ["one run", "another run"];
    const runs: Promise<{ transactions: number }>[] = [];
    // Both have read what is marked, and wait for who is in the middle of something.
    await committing(
      async () => undefined,
      async () => {
        for (const name of names) runs.push(named(name, (sql) => archiving(sql)));
        await asked(names, "%at_work%");
      },
    );
    const done = await Promise.all(runs);
    assert.deepEqual(
      done.map(({ transactions }) => transactions),
      [SALES, SALES],
    );
    assert.deepEqual([(await everything()).total, files().length], [0, 1]);
    const entries = await database.pool`
      select id from audit_log where action = 'archive.create' and subject = ${`merchant ${merchantId}`}`;
    assert.equal(entries.length, 1);
    assert.equal(await restoring(database.pool), SALES);
    assert.deepEqual(await everything(), before);
  });

  test("a restore brings back what was removed while it waited", async () => {
    const before = await everything();
    const portion = await cutOff("marked");
    let restored: Promise<number> | undefined;
    await committing(
      async (session) => {
        await lockArchive(session, merchantId);
        await removeRecords(session, portion, sold);
        await session`update archive_portions set state = 'archived' where merchant_id = ${merchantId}`;
      },
      async () => {
        restored = named("restoring", restoring);
        await asked(["restoring"], LOCKING);
      },
    );
    assert.equal(await restored, SALES);
    assert.deepEqual(await everything(), before);
  });

  test("a file that an erasing puts in the place of another is no stray", async () => {
    const portion = await cutOff("removed");
    const lines = await readFileOf(folder, portion);
    const records = lines.map(({ record }) => record.replaceAll("Ана", "Eva"));
    const { file, sha256 } = await writeFileOf(folder, portion, records);
    let next: Promise<unknown> | undefined;
    await committing(
      async (session) => {
        await lockArchive(session, merchantId);
        await session`
          update archive_portions set file = ${file}, sha256 = ${sha256}, records_sha256 = ${digestOf(records)}
          where merchant_id = ${merchantId}`;
      },
      async () => {
        next = named("next", (sql) => archiving(sql));
        await Promise.race([next, asked(["next"], LOCKING)]);
      },
    );
    await next;
    assert.deepEqual(files(), [basename(file)]);
    assert.equal(await restoring(database.pool), SALES);
    assert.deepEqual(
      (await everything()).transactions.map(({ fields }) => fields.first_name),
      Array(SALES).fill("Eva"),
    );
  });
});
