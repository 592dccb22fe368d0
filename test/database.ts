// Fresh databases for tests: an embedded PostgreSQL of the test process's own in a temporary folder, started by the
// first who asks, stopped and removed when all tests have run. Every call gives a database of its own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { type DatabaseAddress, openPool, type Sql } from "../src/journal/database.ts";
import { startEmbedded } from "../src/journal/embedded/embedded.ts";
import { migrate } from "../src/journal/migrate.ts";

export interface FreshDatabase {
  readonly address: Exclude<DatabaseAddress, string>;
  readonly pool: Sql;
  /** Closes the pool and drops the database, whoever else is still connected to it. */
  drop(): Promise<void>;
}

/** A database with all tables and no rows. A copy of a template: 20 to 50 ms. */
export const freshDatabase = (): Promise<FreshDatabase> => createDatabase("migrated");

/** A database without any tables, for tests of migrations. */
export const emptyDatabase = (): Promise<FreshDatabase> => createDatabase("template1");

let server: ReturnType<typeof startServer> | undefined;
/** What tests did not drop: the server is left running while anybody is connected to it. */
const openPools = new Set<Sql>();
/** PostgreSQL refuses to copy a template while another copy of it is made: one at a time. */
let created: Promise<unknown> = Promise.resolve();
let count = 0;

async function createDatabase(template: string): Promise<FreshDatabase> {
  server ??= startServer();
  const { admin, connection } = await server;
  const name = `test_${++count}`;
  const creation = created.then(() => admin`create database ${admin(name)} template ${admin(template)}`);
  created = creation.catch(() => undefined);
  await creation;
  const address = { ...connection, database: name };
  const pool = openPool(address, "test");
  openPools.add(pool);
  return {
    address,
    pool,
    async drop() {
      openPools.delete(pool);
      await pool.end({ timeout: 1 });
      await admin`drop database if exists ${admin(name)} with (force)`;
    },
  };
}

async function startServer() {
  const dataFolder = mkdtempSync(join(tmpdir(), "faregate-test-"));
  const { connection, stop } = await startEmbedded({ dataFolder, log: () => undefined });
  const admin = openPool(connection, "test databases");
  await admin`create database migrated`;
  const template = openPool({ ...connection, database: "migrated" });
  await migrate(template);
  await template.end();
  return {
    admin,
    connection,
    async stop() {
      await Promise.all([admin, ...openPools].map((pool) => pool.end({ timeout: 1 })));
      await stop();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

after(async () => {
  await (await server)?.stop();
});
