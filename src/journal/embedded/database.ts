// The gateway's database within the cluster, and the role that owns it: not a superuser, so that a statement that goes
// astray reaches tables only, never the files and programs of the machine.
import { reasonOf, StartFault } from "../../start-fault.ts";
import { openPool, type Sql } from "../database.ts";
import { SUPERUSER } from "./cluster.ts";

const NAME = "faregate";

export type EmbeddedConnection = {
  /** The folder of the Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
};

/** Makes sure that role and database exist. Tells how the gateway connects. @throws StartFault */
export async function openDatabase(host: string, port: number, password: string): Promise<EmbeddedConnection> {
  const connection = { host, port, user: NAME, password, database: NAME };
  try {
    await ask({ ...connection, user: SUPERUSER, database: "postgres" }, (sql) => createMissing(sql, password));
    return connection;
  } catch (error) {
    throw new StartFault(`The database runs, but does not let the gateway in: ${reasonOf(error)}.`);
  }
}

/** How many others are connected to this server: programs, not its own helpers. */
export async function countClients(connection: EmbeddedConnection): Promise<number> {
  const rows = await ask(
    connection,
    (sql) => sql<{ clients: number }[]>`
      select count(*)::int as clients from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  return rows[0]?.clients ?? 0;
}

/** That the server allows, of all programs together. */
export async function mostClients(connection: EmbeddedConnection): Promise<number> {
  const rows = await ask(
    connection,
    (sql) => sql<{ most: number }[]>`select current_setting('max_connections')::int as most`,
  );
  return rows[0]?.most ?? 0;
}

/** Whole or not at all, each of the two: what is there is complete, also after an interrupted first start. */
async function createMissing(sql: Sql, password: string): Promise<void> {
  const [found] = await sql<{ role: boolean; database: boolean }[]>`
    select exists (select from pg_roles where rolname = ${NAME}) as role,
           exists (select from pg_database where datname = ${NAME}) as database`;
  if (!found?.role) {
    await sql.begin(async (step) => {
      await step.unsafe(`create role ${NAME} login createdb in role pg_monitor, pg_checkpoint password '${password}'`);
      // An error's text may quote a value. The gateway is told of it anyway; it has no business in the server's log.
      await step.unsafe(`alter role ${NAME} set log_min_messages = 'log'`);
    });
  }
  if (!found?.database) await sql.unsafe(`create database ${NAME} owner ${NAME}`);
}

async function ask<T>(connection: EmbeddedConnection, work: (sql: Sql) => PromiseLike<T>): Promise<T> {
  const sql = openPool(connection, "faregate start", { connections: 1 });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
