// Facts about this installation that every node must agree on.

import { createHmac } from "node:crypto";
import { StartFault } from "../start-fault.ts";
import type { Sql } from "./database.ts";

/**
 * Nodes with different secrets would take the same request for two. The database keeps a check value, from which the
 * secret cannot be told.
 * @throws StartFault if the database was used with another secret
 */
export async function checkSecret(sql: Sql, secret: Buffer): Promise<void> {
  const check = createHmac("sha256", secret).update("faregate installation").digest("base64");
  await sql`insert into installation (name, value) values ('secret-check', ${sql.json(check)}) on conflict do nothing`;
  const [row] = await sql<[{ value: string }]>`select value from installation where name = 'secret-check'`;
  if (row.value !== check)
    throw new StartFault(
      "This database was used with another secret. Set FAREGATE_SECRET to the one it was used with, or restore secret.key in the data folder.",
    );
}

/** How far the sandbox's clock is ahead of real time, in milliseconds; every node follows it. */
export async function clockOffset(sql: Sql): Promise<number> {
  const [row] = await sql<{ value: number }[]>`select value from installation where name = 'clock-offset'`;
  return row?.value ?? 0;
}

/** The gateway's time by the database's clock. */
export async function databaseTime(sql: Sql): Promise<Date> {
  const [row] = await sql<[{ now: Date }]>`
    select clock_timestamp() + coalesce(
      (select (value #>> '{}')::float8 from installation where name = 'clock-offset'), 0
    ) * interval '1 millisecond' as now`;
  return row.now;
}

/** It only grows, whoever moves it. */
export async function saveClockOffset(sql: Sql, offsetMs: number): Promise<void> {
  await sql`
    insert into installation (name, value) values ('clock-offset', ${sql.json(offsetMs)})
    on conflict (name) do update set value = excluded.value
    where (installation.value #>> '{}')::bigint < ${offsetMs}::bigint`;
}

/** Which master key the gateways of this installation wrap data keys with; from its name it cannot be told. */
export async function noteMasterKey(sql: Sql, id: string): Promise<void> {
  await sql`
    insert into installation (name, value) values ('master-key', ${sql.json(id)})
    on conflict (name) do update set value = excluded.value where installation.value <> excluded.value`;
}

/** The id of the master key that gateways of this installation started with last; undefined: they never had one. */
export async function notedMasterKey(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<{ value: string }[]>`select value from installation where name = 'master-key'`;
  return row?.value;
}
