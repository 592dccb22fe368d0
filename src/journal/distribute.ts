// Distributes the tables over the workers of Citus, as distribution.ts says. Each table is a step of its own: what was done stays
// done, and whoever begins again goes on.

import { StartFault } from "../start-fault.ts";
import { codeOf, type Sql } from "./database.ts";
import { PLACES, type Place, placesThere } from "./distribution.ts";
import { countNodes } from "./nodes.ts";

export interface Distributed {
  readonly distributed: readonly string[];
  readonly reference: readonly string[];
  readonly workers: number;
}

/**
 * Again is harmless: what is in its place already is left there.
 * @param log told of each table before it is moved: it takes as long as its rows take to be copied
 * @throws StartFault where there is no Citus, it has no workers, the tables are another's, or gateways run
 */
export async function distribute(sql: Sql, log: (line: string) => void): Promise<Distributed> {
  const workers = await countWorkers(sql);
  await mustOwnTables(sql);
  const missing = await misplaced(sql);
  if (missing.length > 0) await noGateways(sql);
  for (const each of FUNCTIONS) await sql`select create_distributed_function(${each}::text::regprocedure)`;
  for (const [nth, [table, place]] of missing.entries()) {
    await noGateways(sql);
    log(`Distributing the tables: ${table} (${nth + 1} of ${missing.length})`);
    await move(sql, table, place);
  }
  await forgetCopied(sql);
  const moved = (wanted: Place) => missing.filter(([, place]) => place === wanted).map(([table]) => table);
  return { distributed: moved("distributed"), reference: moved("reference"), workers };
}

/** Tables that are not where they should be, in the order in which they are moved: those that others are put beside come first. */
export async function misplaced(sql: Sql): Promise<readonly (readonly [table: string, place: Place])[]> {
  const there = await placesThere(sql);
  return Object.entries(PLACES)
    .filter(([table, place]) => place !== "local" && there.get(table) !== place)
    .sort(([, one], [, other]) => Number(other === "reference") - Number(one === "reference"));
}

async function countWorkers(sql: Sql): Promise<number> {
  const [citus] = await sql`select to_regclass('pg_catalog.pg_dist_node') is not null as there`;
  if (citus?.there !== true)
    throw new StartFault("The database has no Citus: add it with CREATE EXTENSION citus, on the workers too.");
  const [row] = await sql<{ workers: number; coordinator: boolean }[]>`
    select count(*) filter (where shouldhaveshards and isactive)::int as workers,
      coalesce(bool_or(groupid = 0), false) as coordinator
    from pg_dist_node where noderole = 'primary'`;
  if (row === undefined || row.workers === 0)
    throw new StartFault("Citus has no workers: add each with SELECT citus_add_node('host', 5432).");
  if (!row.coordinator)
    throw new StartFault(
      "Citus does not know its coordinator: SELECT citus_set_coordinator_host('host', 5432) tells it.",
    );
  return row.workers;
}

async function mustOwnTables(sql: Sql): Promise<void> {
  const others = await sql<{ owner: string; user: string }[]>`
    select tableowner as owner, current_user as user from pg_tables
    where schemaname = current_schema() and tablename = 'transactions' and not pg_has_role(tableowner, 'usage')`;
  for (const { owner, user } of others)
    throw new StartFault(
      `The tables are owned by ${owner}, and ${user} may not distribute them: run this as ${owner}.`,
    );
}

async function noGateways(sql: Sql): Promise<void> {
  const running = await countNodes(sql);
  if (running > 0)
    throw new StartFault(
      `${running === 1 ? "A gateway is" : `${running} gateways are`} running on this database: ` +
        "stop all gateways, and run this again. One that was killed counts for some seconds more.",
    );
}

/** What nothing but a lookup by id needs to be unique: each is a UUID, and unique among its merchant's by the primary key. */
const UNIQUE_BY_ID = ["webhook_endpoints", "disputes", "batches", "reconciliations"];
/** Without a primary key. */
const WITHOUT_KEY = ["passengers", "figures", "daily_figures"];
/** What `insert` calls. */
const FUNCTIONS = ["webhook_delivery_id(timestamptz)"];

async function move(sql: Sql, table: string, place: Place): Promise<void> {
  try {
    await sql.begin(async (tx) => {
      await tx`set local statement_timeout = 0`;
      if (place === "reference") await tx`select create_reference_table(${table}::text::regclass)`;
      else {
        if (UNIQUE_BY_ID.includes(table)) {
          await tx.unsafe(`drop index if exists ${table}_by_id; create index ${table}_by_id on ${table} (id)`);
        }
        const beside = table === FIRST ? "default" : FIRST;
        await tx`select create_distributed_table(${table}::text::regclass, 'merchant_id', colocate_with => ${beside}::text)`;
        // Shards are moved beside writing by logical replication, which must tell rows apart.
        if (WITHOUT_KEY.includes(table)) await tx`alter table ${tx(table)} replica identity full`;
      }
    });
  } catch (fault) {
    if (codeOf(fault) === "42501")
      throw new StartFault(`The database user may not distribute ${table}: ${(fault as Error).message}`);
    throw fault;
  }
}

/** All others are put beside it. */
const FIRST = "transactions";

/** The rows that were copied are in the coordinator's own tables still, where nobody sees them. */
async function forgetCopied(sql: Sql): Promise<void> {
  for (const [table, place] of Object.entries(PLACES)) {
    if (place === "local") continue;
    await sql.begin(async (tx) => {
      await tx`set local statement_timeout = 0`;
      await tx`select truncate_local_data_after_distributing_table(${table}::text::regclass)`;
    });
  }
}
