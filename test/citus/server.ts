// Databases on the Citus whose coordinator CITUS_URL names. One is migrated and distributed; the others are copies of it, made on the
// coordinator and on each worker: the catalog, which is copied too, says where rows are and does not know the database's name.

import { codeOf, type DatabaseAddress, openPool, type Sql } from "../../src/journal/database.ts";
import { distribute } from "../../src/journal/distribute.ts";
import { migrate } from "../../src/journal/migrate.ts";

type Address = Exclude<DatabaseAddress, string>;

export interface CitusServer {
  readonly connection: Omit<Address, "database">;
  create(name: string, template: "migrated" | "template1"): Promise<void>;
  drop(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** Each shard is a table on a worker, which every copy must copy. */
const SHARDS = 4;
/** 55006: somebody is connected to it. Citus itself is, now and then. */
const OBJECT_IN_USE = "55006";
const MOST_TRIES = 10;

export async function startCitus(url: string): Promise<CitusServer> {
  const first = addressOf(url);
  // Two servers of one Citus must not meet.
  const template = `faregate_template_${process.pid}`;
  const coordinator = openPool(first, "test databases");
  const workers = await workersOf(coordinator);
  const all = [coordinator, ...workers.map((place) => openPool({ ...first, ...place }, "test databases"))];
  const distributed = new Set<string>();
  const drop = async (name: string) => {
    if (distributed.delete(name)) await endPrepared({ ...first, database: name });
    for (const node of all) await alone(node, name, () => node`drop database if exists ${node(name)} with (force)`);
  };
  for (const node of all) await node`create database ${node(template)}`;
  await fillTemplate({ ...first, database: template }, workers);
  return {
    connection: first,
    create: async (name, from) => {
      if (from === "template1") await coordinator`create database ${coordinator(name)}`;
      else {
        distributed.add(name);
        for (const node of all)
          await alone(node, template, () => node`create database ${node(name)} template ${node(template)}`);
      }
    },
    drop,
    stop: async () => {
      await drop(template);
      await Promise.all(all.map((node) => node.end({ timeout: 1 })));
    },
  };
}

export function addressOf(url: string): Address {
  const { hostname, port, username, password, pathname } = new URL(url);
  const [user, database] = [decodeURIComponent(username), pathname.slice(1)];
  return { host: hostname, port: Number(port || 5432), user, password: decodeURIComponent(password), database };
}

type Place = Pick<Address, "host" | "port">;

const workersOf = async (coordinator: Sql): Promise<readonly Place[]> =>
  await coordinator<Place[]>`
    select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 and noderole = 'primary'`;

async function fillTemplate(address: Address, workers: readonly Place[]): Promise<void> {
  for (const place of [address, ...workers]) {
    const node = openPool({ ...address, ...place }, "test template");
    await node`create extension citus`;
    await node.end();
  }
  const pool = openPool(address, "test template", { connections: 1 });
  await pool`select citus_set_coordinator_host(${address.host}::text, ${address.port}::int)`;
  for (const { host, port } of workers) await pool`select citus_add_node(${host}::text, ${port}::int)`;
  const migrating = openPool(address, "test template");
  await migrate(migrating);
  await migrating.end();
  await pool.unsafe(`set citus.shard_count = ${SHARDS}`);
  await distribute(pool, () => undefined);
  await pool.end();
}

/** What a killed worker or coordinator left keeps its database from being dropped; Citus itself looks once a minute. */
async function endPrepared(address: Address): Promise<void> {
  const pool = openPool(address, "test databases", { connections: 1 });
  await pool`select recover_prepared_transactions()`;
  await pool.end();
}

/** @param work needs a database to which nobody is connected */
async function alone(node: Sql, name: string, work: () => PromiseLike<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    await node`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    try {
      await work();
      return;
    } catch (fault) {
      if (codeOf(fault) !== OBJECT_IN_USE || tries === MOST_TRIES) throw fault;
    }
  }
}
