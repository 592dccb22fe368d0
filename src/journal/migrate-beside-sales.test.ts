// Migrations run beside gateways that sell: whoever is in the middle of something is waited for, and nobody waits behind that; and no
// migration keeps what sales need while it goes through their rows.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { emptyDatabase, type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { sell } from "../../test/fixtures/smallest-sale.ts";
import { until } from "../../test/receiver.ts";
import type { Sql } from "./database.ts";
import { migrate } from "./migrate.ts";
import { indexesBesideSales } from "./migration-text.ts";
import type { TransactionSql } from "./sql/sql.ts";

const MIGRATIONS = join(import.meta.dirname, "migrations");
/** The rule is younger than these. */
const BEFORE_THE_RULE = "0035";

describe("a migration beside sales", () => {
  let folder: string;
  let database: FreshDatabase;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "faregate-beside-"));
    database = await freshDatabase();
  });
  after(async () => {
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  test("it waits for whoever is in the middle of something, and nobody waits behind it", async () => {
    const { pool } = database;
    cpSync(MIGRATIONS, folder, { recursive: true });
    writeFileSync(join(folder, "9000-later.sql"), "alter table events add column later text;");
    const [inTheMiddle, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // As an insert takes it.
    const sale = pool.begin(async (sql) => {
      await sql`lock table events in row exclusive mode`;
      inTheMiddle.resolve();
      await ended.promise;
    });
    await inTheMiddle.promise;
    const migrating = migrate(pool, undefined, folder);
    try {
      await until("the migration waits", async () => {
        const waiting = await pool`
          select from pg_locks where relation = 'events'::regclass and mode = 'AccessExclusiveLock' and not granted`;
        return waiting.length > 0;
      });
      await pool.begin(async (sql) => {
        await sql`set local lock_timeout = '15s'`;
        await sql`lock table events in row exclusive mode`;
      });
      // After deadlock_timeout, which is a second.
      await until("it waits for as long as an autovacuum needs to give way", async () => {
        const waiting = await pool`
          select from pg_locks
          where relation = 'events'::regclass and not granted and clock_timestamp() > waitstart + interval '1 second'`;
        return waiting.length > 0;
      });
    } finally {
      ended.resolve();
      await sale;
    }
    assert.deepEqual(await migrating, { applied: ["9000-later"] });
  });

  test("none goes through the rows of sales while it keeps writers from their tables", async () => {
    const { pool, drop } = await emptyDatabase();
    const earlier = join(folder, "earlier");
    const later = (file: string) => file.endsWith(".sql") && file >= BEFORE_THE_RULE;
    cpSync(MIGRATIONS, earlier, { recursive: true, filter: (from) => !later(basename(from)) });
    try {
      await migrate(pool, undefined, earlier);
      await sell(pool);
      for (const file of readdirSync(MIGRATIONS).filter(later).sort()) {
        const text = readFileSync(join(MIGRATIONS, file), "utf8");
        const beside = indexesBesideSales(text);
        if (beside) for (const { statement } of beside) await pool.unsafe(statement);
        else assert.deepEqual(await keptAndRead(pool, text), [], file);
      }
    } finally {
      await drop();
    }
  });

  test("that rule finds an index and a change of all rows that keep sales waiting", async () => {
    const { pool, drop } = await freshDatabase();
    try {
      await sell(pool);
      const kept = (text: string) => keptAndRead(pool, text);
      assert.deepEqual(await kept("create index late on events (amount)"), ["events"]);
      assert.deepEqual(await kept("alter table outcomes add column late text; update outcomes set late = ''"), [
        "outcomes",
      ]);
      assert.deepEqual(await kept("alter table outcomes add column quick text"), []);
    } finally {
      await drop();
    }
  });
});

const OF_SALES = [
  ...[
    "merchant_counters",
    "transactions",
    "events",
    "outcomes",
    "idempotency_keys",
    "passengers",
    "open_authorizations",
  ],
];

/** By a migration, which is carried out: locked so that nobody else may write, and with rows that it read or changed. */
const keptAndRead = (pool: Sql, text: string): Promise<string[]> =>
  pool.begin(async (sql) => {
    const before = new Map((await rowsRead(sql)).map(({ name, rows }) => [name, rows]));
    await sql.unsafe(text);
    return (await rowsRead(sql))
      .filter(({ name, rows, kept }) => kept && rows > (before.get(name) ?? 0))
      .map(({ name }) => name);
  }) as Promise<string[]>;

/** As the session counts them, other transactions of a moment ago included. */
const rowsRead = (sql: TransactionSql) => sql<{ name: string; rows: number; kept: boolean }[]>`
  select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0) + n_tup_upd + n_tup_del)::int4 as rows, exists (
    select from pg_locks l where l.pid = pg_backend_pid() and l.relation = s.relid
      and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')) as kept
  from pg_stat_xact_user_tables s where relname = any(${OF_SALES}) order by relname`;
