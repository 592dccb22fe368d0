// A migration may build an index while gateways sell: outside of a transaction, and again where it was cut off.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { sell } from "../../test/fixtures/smallest-sale.ts";
import { until } from "../../test/receiver.ts";
import { migrate, missingMigrations } from "./migrate.ts";

const MIGRATIONS = join(import.meta.dirname, "migrations");

describe("an index that a migration builds outside of a transaction", () => {
  const NAME = "9000-index";
  let folder: string;
  let database: FreshDatabase;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "faregate-index-"));
    cpSync(MIGRATIONS, folder, { recursive: true });
    database = await freshDatabase();
  });
  afterEach(async () => {
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const write = (text: string) => writeFileSync(join(folder, `${NAME}.sql`), text);
  const OUTSIDE = "-- Outside of a transaction: its indexes are built beside sales.\n";
  const INDEXES =
    "create index concurrently if not exists late on events (amount);\ncreate index concurrently if not exists later on outcomes (kind);\n";
  const indexes = async () =>
    (
      await database.pool<{ name: string; valid: boolean }[]>`
        select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
        where c.relname in ('late', 'later') order by c.relname`
    ).map(({ name, valid }) => `${name} ${valid}`);

  /** Somebody in the middle of a sale, until it is ended. */
  async function inTheMiddle() {
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const sale = database.pool.begin(async (sql) => {
      await sell(sql);
      begun.resolve();
      await ended.promise;
    });
    await begun.promise;
    return async () => {
      ended.resolve();
      await sale;
    };
  }
  /** Or dropping what is left of an earlier try, which waits as well. */
  const building = async () =>
    (
      await database.pool<{ pid: number }[]>`
        select pid from pg_stat_activity where query ~ '^\\s*(create|drop) index concurrently' and state = 'active'
          and wait_event_type = 'Lock' and datname = current_database()`
    ).map(({ pid }) => pid);

  test("sales are written while it is built, and all that there were are in it", async () => {
    const { pool } = database;
    write(OUTSIDE + INDEXES);
    const end = await inTheMiddle();
    const migrating = migrate(pool, undefined, folder);
    try {
      await until("it waits for whoever is in the middle of something", async () => (await building()).length > 0);
      await pool.begin(async (sql) => {
        await sql`set local lock_timeout = '15s'`;
        await sell(sql);
      });
      assert.equal((await building()).length, 1);
    } finally {
      await end();
    }
    assert.deepEqual(await migrating, { applied: [NAME] });
    assert.deepEqual(await indexes(), ["late true", "later true"]);
    const [row] = await pool.begin(async (sql) => {
      await sql`set local enable_seqscan = off`;
      return sql<{ sales: number }[]>`select count(*)::int as sales from events where amount = 356`;
    });
    assert.equal(row?.sales, 2);
    assert.deepEqual(await migrate(pool, undefined, folder), { applied: [] });
  });

  test("what was cut off is dropped and built anew, and what was built before stays", async () => {
    const { pool } = database;
    write(OUTSIDE + INDEXES);
    await pool`create index later on outcomes (kind)`;
    const laterThere = () => pool`select 'later'::regclass::oid::text as oid`;
    const before = await laterThere();
    const end = await inTheMiddle();
    const migrating = migrate(pool, undefined, folder);
    try {
      await until("it is being built", async () => (await building()).length > 0);
      assert.deepEqual(await indexes(), ["late false", "later true"]);
      const [cut] = await building();
      await pool`select pg_terminate_backend(${cut ?? 0})`;
      await until("it is begun anew", async () => (await building()).some((pid) => pid !== cut));
    } finally {
      await end();
    }
    assert.deepEqual(await migrating, { applied: [NAME] });
    assert.deepEqual(await indexes(), ["late true", "later true"]);
    assert.deepEqual([...(await laterThere())], [...before]);
  });

  test("one that cannot be built fails the migration, which is no more applied than before", async () => {
    const { pool } = database;
    await sell(pool);
    await sell(pool);
    write(`${OUTSIDE}create unique index concurrently if not exists late on events (amount);\n`);
    for (const _ of ["once", "again"])
      await assert.rejects(migrate(pool, undefined, folder), /could not create unique index/);
    assert.deepEqual(await missingMigrations(pool, folder), [NAME]);
    write(OUTSIDE + INDEXES);
    assert.deepEqual(await migrate(pool, undefined, folder), { applied: [NAME] });
    assert.deepEqual(await indexes(), ["late true", "later true"]);
  });

  test("nothing but such indexes is done outside of a transaction", async () => {
    for (const text of ["update events set amount = 1;\n", "create index late on events (amount);\n"]) {
      write(OUTSIDE + text);
      await assert.rejects(migrate(database.pool, undefined, folder), /create index concurrently if not exists/);
    }
    assert.deepEqual(await indexes(), []);
  });
});
