// Fresh databases: an embedded PostgreSQL of this process's own in a temporary folder, started by the first who asks, or the Citus
// that CITUS_URL names. Every call gives a database of its own. Tests have them from `database.ts`, which stops and removes all in the end.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf, type DatabaseAddress, openPool, type Sql } from "../src/journal/database.ts";
import type { EmbeddedConnection } from "../src/journal/embedded/database.ts";
import { startEmbedded } from "../src/journal/embedded/embedded.ts";
import { migrate } from "../src/journal/migrate.ts";
import { startCitus } from "./citus/server.ts";
import { copyFolder, emptyIfElsewhere, inRun, madeOnce } from "./made-once.ts";

export interface FreshDatabase {
  readonly address: Exclude<DatabaseAddress, string>;
  readonly pool: Sql;
  /** Closes the pool and drops the database, whoever else is still connected to it. */
  drop(): Promise<void>;
}

const { CITUS_URL } = process.env;
/** Whether every database is distributed. */
export const ON_CITUS = CITUS_URL !== undefined;

let server: ReturnType<typeof startServer> | undefined;
/** What tests did not drop: the server is left running while anybody is connected to it. */
const openPools = new Set<Sql>();
/** PostgreSQL refuses to copy a template while another copy of it is made: one at a time. */
let created: Promise<unknown> = Promise.resolve();
let count = 0;
const TEMPLATE = "migrated";

/** @param template `migrated`: all tables and no rows; `template1`: no tables either. A copy takes some 20 ms. */
export async function createDatabase(template: typeof TEMPLATE | "template1"): Promise<FreshDatabase> {
  server ??= startServer();
  const { connection, create, drop } = await server;
  const name = ON_CITUS ? `test_${process.pid}_${++count}` : `test_${++count}`;
  const creation = created.then(() => create(name, template));
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
      await drop(name);
    },
  };
}

async function dropDatabase(admin: Sql, name: string): Promise<void> {
  try {
    await admin`drop database if exists ${admin(name)} with (force)`;
  } catch (fault) {
    // Where an autovacuum worker is at work, force is for superusers; without it the worker is ended for anybody.
    if (codeOf(fault) !== INSUFFICIENT_PRIVILEGE) throw fault;
    await admin`
      select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name} and usename = current_user`;
    await admin`drop database if exists ${admin(name)}`;
  }
}

/** They may be lost with the machine, and share it with the servers of other shards. */
const SETTINGS = { fsync: "off", full_page_writes: "off", shared_buffers: "128MB", max_wal_size: "1GB" };

const INSUFFICIENT_PRIVILEGE = "42501";

async function startServer() {
  const { stop, ...rest } = await (CITUS_URL === undefined ? startEmbeddedServer() : startCitus(CITUS_URL));
  return {
    ...rest,
    stop: async () => {
      await Promise.all([...openPools].map((pool) => pool.end({ timeout: 1 })));
      await stop();
    },
  };
}

async function startEmbeddedServer() {
  const dataFolder = mkdtempSync(join(tmpdir(), "faregate-test-"));
  if (inRun()) await copyFolder(await madeCluster(), dataFolder);
  const { connection, stop } = await startEmbedded({ dataFolder, log: () => undefined, settings: SETTINGS });
  const admin = openPool(connection, "test databases");
  const [made] = await admin`select from pg_database where datname = ${TEMPLATE}`;
  if (made === undefined) await makeTemplate(connection);
  return {
    connection,
    create: async (name: string, from: string) => {
      // Page by page through the log, which is what happens otherwise, takes some five times the processor time.
      await admin`create database ${admin(name)} template ${admin(from)} strategy file_copy`;
    },
    drop: (name: string) => dropDatabase(admin, name),
    stop: async () => {
      await admin.end({ timeout: 1 });
      await stop();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

/** Of all processes of this run: a server's data with all that each of them would begin with. */
export const madeCluster = (): Promise<string> =>
  madeOnce("cluster", async (dataFolder) => {
    const { connection, stop } = await startEmbedded({ dataFolder, log: () => undefined, settings: SETTINGS });
    await makeTemplate(connection);
    await stop();
    emptyIfElsewhere(dataFolder);
  });

async function makeTemplate(connection: EmbeddedConnection): Promise<void> {
  const admin = openPool(connection, "test databases");
  await admin`create database ${admin(TEMPLATE)}`;
  // Of the 4,096 rounds of hashing that prove the password of each connection, some thousand in a run, one is enough here.
  await admin.unsafe(`set scram_iterations = 1; alter role current_user password '${connection.password}'`);
  await admin.end();
  const template = openPool({ ...connection, database: TEMPLATE });
  await migrate(template);
  await template.end();
}

let kept = false;

/** The server goes on from file to file, until what this returns is called. */
export function keepDatabases(): () => Promise<void> {
  kept = true;
  return stopServer;
}

/** Stops the server and removes its folder, with what was not dropped. */
export async function stopDatabases(): Promise<void> {
  if (!kept) await stopServer();
}

async function stopServer(): Promise<void> {
  await (await server)?.stop();
  server = undefined;
}
