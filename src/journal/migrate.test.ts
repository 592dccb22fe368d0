import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { v7 as uuidv7 } from "uuid";
import { emptyDatabase, type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { StartFault } from "../start-fault.ts";
import { openPool, type Sql } from "./database.ts";
import { migrate, missingMigrations } from "./migrate.ts";

/** Whichever there are; `0001-journal` is the first for good. */
const ALL = readdirSync(join(import.meta.dirname, "migrations"))
  .map((file) => file.replace(/\.sql$/, ""))
  .sort();

describe("migrating a database", () => {
  let empty: FreshDatabase;
  let folder: string;
  before(async () => {
    empty = await emptyDatabase();
    folder = mkdtempSync(join(tmpdir(), "faregate-migrations-"));
  });
  after(async () => {
    await empty.drop();
    rmSync(folder, { recursive: true });
  });

  test("an empty database lacks every migration, and a migrated one none", async () => {
    assert.deepEqual(await missingMigrations(empty.pool), ALL);
    const lines: string[] = [];
    assert.deepEqual(await migrate(empty.pool, (line) => lines.push(line)), { applied: ALL });
    const told = `Migrating the database: ${ALL[0]} to ${ALL.at(-1)} (${ALL.length})`;
    assert.deepEqual(
      lines.filter((line) => !line.startsWith("Still migrating")),
      [told],
    );
    assert.deepEqual(await missingMigrations(empty.pool), []);
  });

  test("a second run changes nothing", async () => {
    assert.deepEqual(await migrate(empty.pool), { applied: [] });
  });

  test("every table has been analyzed, so that the planner does not take an empty one for a big one", async () => {
    const never = await empty.pool`
      select relname from pg_stat_user_tables where last_analyze is null and relname <> 'schema_migrations'`;
    assert.deepEqual([...never], []);
  });

  test("two nodes that migrate at once apply each migration once", async () => {
    const { pool, address, drop } = await emptyDatabase();
    const other = openPool(address);
    try {
      const [one, two] = await Promise.all([migrate(pool), migrate(other)]);
      assert.deepEqual([...one.applied, ...two.applied].sort(), ALL);
    } finally {
      await other.end();
      await drop();
    }
  });

  test("a migration that fails leaves no trace, and those before it stay", async () => {
    writeFileSync(join(folder, "0001-first.sql"), "create table first_one (id integer);");
    writeFileSync(join(folder, "0002-broken.sql"), "create table half (id integer); select 1/0;");
    const { pool, drop } = await emptyDatabase();
    try {
      await assert.rejects(migrate(pool, undefined, folder), /division by zero/);
      assert.deepEqual(await missingMigrations(pool, folder), ["0002-broken"]);
      assert.deepEqual(await tables(pool), ["first_one", "schema_migrations"]);
    } finally {
      await drop();
    }
  });

  test("an answer that was kept while capabilities had another name has them under the present one", async () => {
    const before = join(folder, "before-capabilities");
    const later = (file: string) => file.endsWith(".sql") && file >= "0014";
    cpSync(join(import.meta.dirname, "migrations"), before, {
      recursive: true,
      filter: (from) => !later(basename(from)),
    });
    const { pool, drop } = await emptyDatabase();
    try {
      await migrate(pool, undefined, before);
      const terms = { multipleCaptures: true, partialVoid: false };
      await pool`
        insert into idempotency_answers (merchant_id, key, status, created_at, moment)
        values (${uuidv7()}, 'one', 200, now(), ${JSON.stringify({ open: [], terms: { abilities: terms, schedule: {} } })})`;
      await migrate(pool);
      const [row] = await pool<[{ moment: string }]>`select moment from idempotency_answers`;
      assert.deepEqual(JSON.parse(row.moment), { open: [], terms: { capabilities: terms, schedule: {} } });
    } finally {
      await drop();
    }
  });

  test("an answer that was kept of a CAD account has the capabilities that its terms allow, and no other is changed", async () => {
    const before = join(folder, "before-terms");
    const later = (file: string) => file.endsWith(".sql") && file >= "0016";
    cpSync(join(import.meta.dirname, "migrations"), before, {
      recursive: true,
      filter: (from) => !later(basename(from)),
    });
    const { pool, drop } = await emptyDatabase();
    try {
      await migrate(pool, undefined, before);
      const capabilities = { partialVoid: true, multipleCaptures: true, refundBeforeSettlement: true };
      const [merchant, user] = [uuidv7(), uuidv7()];
      for (const currency of ["CAD", "USD"]) {
        const id = uuidv7();
        await pool`
          insert into transactions (merchant_id, id, number, user_id, created_at, currency, merchant_transaction_id,
            card_mask, card_first_six, card_brand, card_expiry_month, card_expiry_year)
          values (${merchant}, ${id}, ${currency === "CAD" ? 1 : 2}, ${user}, now(), ${currency}, 'order',
            '411111******1111', '411111', 'visa', '12', '2039')`;
        await pool`
          insert into idempotency_keys (merchant_id, key, request_hash, transaction_id, sequence, created_at)
          values (${merchant}, ${currency}, '', ${id}, 2, now())`;
        await pool`
          insert into idempotency_answers (merchant_id, key, status, created_at, moment)
          values (${merchant}, ${currency}, 200, now(), ${JSON.stringify({ terms: { capabilities } })})`;
      }
      await migrate(pool);
      const rows = await pool<
        { key: string; moment: string }[]
      >`select key, moment from idempotency_answers order by key`;
      assert.deepEqual(
        rows.map(({ key, moment }) => [key, JSON.parse(moment).terms.capabilities]),
        [
          ["CAD", { partialVoid: false, multipleCaptures: true, refundBeforeSettlement: false }],
          ["USD", capabilities],
        ],
      );
    } finally {
      await drop();
    }
  });

  test("a database that a newer Faregate migrated is refused, and nothing is applied to it", async () => {
    const { pool, drop } = await freshDatabase();
    try {
      await pool`insert into schema_migrations (name, applied_at) values ('9999-later', now())`;
      for (const attempt of [migrate, missingMigrations]) {
        await assert.rejects(
          attempt(pool),
          (fault) => fault instanceof StartFault && /newer Faregate \(9999-later\)/.test(fault.message),
        );
      }
    } finally {
      await drop();
    }
  });

  test("a user who may not create tables is told what to do", async () => {
    const { pool, drop } = await emptyDatabase();
    await pool`revoke create on schema public from pg_database_owner`;
    try {
      await assert.rejects(
        migrate(pool),
        (fault) =>
          fault instanceof StartFault && /^The database user \w+ may not create tables: make/.test(fault.message),
      );
    } finally {
      await drop();
    }
  });
});

async function tables(pool: Sql): Promise<string[]> {
  const rows = await pool<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`;
  return rows.map(({ name }) => name).sort();
}
