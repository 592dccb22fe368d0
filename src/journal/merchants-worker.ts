// The worker of Citus that has a merchant's rows. What it still does for a session of the coordinator's is seen there, and not on the
// coordinator.

import { setTimeout as sleep } from "node:timers/promises";
import { arrayOf } from "./columns.ts";
import { codeOf, type Sql } from "./database.ts";
import { ConnectionFault } from "./sql/faults.ts";
import type { TransactionSql } from "./sql/sql.ts";

/** Of a shard's placements; one that has been moved away may be there for a while, as to be deleted. */
const IN_USE = 1;

/**
 * @param statement which gives one value
 * @returns the value as text
 * @throws WorkerAway if the worker does not answer
 */
export async function askWorkerOf(sql: TransactionSql, merchantId: string, statement: string): Promise<string> {
  const [answer] = await sql<{ success: boolean; result: string }[]>`
    select r.success, r.result from pg_dist_placement p join pg_dist_node n using (groupid)
    cross join lateral master_run_on_worker(array[n.nodename], array[n.nodeport], array[${statement}::text], false) r
    where n.noderole = 'primary' and p.shardstate = ${IN_USE}
      and p.shardid = get_shard_id_for_distribution_column('transactions', ${merchantId}::text)`;
  if (answer?.success === true) return answer.result;
  throw new WorkerAway(answer?.result ?? "unknown");
}

/** The coordinator answered, and a worker did not. */
class WorkerAway extends ConnectionFault {
  constructor(why: string) {
    super("CONNECTION_CLOSED", `the merchant's worker does not answer: ${why}`);
  }
}

/** In which a worker answers that is there. */
export const ANSWER_WITHIN_MS = 2_000;
/** 57014: stopped by the statement's time limit. */
const QUERY_CANCELED = "57014";

/** @param ask which throws WorkerAway @returns whether the worker answered in time */
export const answersInTime = (sql: Sql, ask: (one: TransactionSql) => Promise<unknown>): Promise<boolean> =>
  sql
    .begin(async (one) => {
      // By parameters, of which it has none: what is sent as a script may take any time.
      await one.unsafe(`set local statement_timeout = ${ANSWER_WITHIN_MS}`, []);
      await ask(one);
      return true;
    })
    .catch((fault: unknown) => {
      if (fault instanceof WorkerAway || codeOf(fault) === QUERY_CANCELED) return false;
      throw fault;
    });

/** A worker's server. */
export interface WorkerPlace {
  readonly worker: number;
  readonly host: string;
  readonly port: number;
}

/** Of those that have rows of merchants, besides the coordinator. */
export async function workerPlaces(sql: TransactionSql): Promise<readonly WorkerPlace[]> {
  return await sql<WorkerPlace[]>`
    select distinct n.groupid as worker, n.nodename as host, n.nodeport as port
    from pg_dist_node n join pg_dist_placement p using (groupid)
    where n.noderole = 'primary' and n.groupid <> 0 and p.shardstate = ${IN_USE}`;
}

/** @throws WorkerAway if it does not answer */
export async function askWorker(sql: TransactionSql, { host, port }: WorkerPlace): Promise<void> {
  const [answer] = await sql<{ success: boolean; result: string }[]>`
    select success, result from master_run_on_worker(array[${host}::text], array[${port}::int], array['select 1'], false)`;
  if (answer?.success !== true) throw new WorkerAway(answer?.result ?? "unknown");
}

/** @returns the number of each merchant's worker, which it keeps when it moves to another server */
export async function workersOf(
  sql: TransactionSql,
  merchants: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ merchant: string; worker: number }[]>`
    with shards as materialized (
      select merchant, get_shard_id_for_distribution_column('transactions', merchant) as id
      from unnest(${arrayOf(sql, "text", merchants)}) merchant
    )
    select merchant, p.groupid as worker from shards join pg_dist_placement p on p.shardid = shards.id
    where p.shardstate = ${IN_USE}`;
  return new Map(rows.map(({ merchant, worker }) => [merchant, worker]));
}

const LOOK_AGAIN_MS = 20;

/**
 * Resolves when nothing can be committed on the merchant's worker any more that this session of the coordinator's began. It must have
 * ended itself.
 * @param serverPid of the session, at the coordinator
 * @param goOn throws when nobody waits for it any more
 * @throws WorkerAway if the worker does not answer
 */
export async function endedOnWorkerOf(
  sql: Sql,
  merchantId: string,
  serverPid: number,
  goOn: () => void,
): Promise<void> {
  for (; (await askWorkerOf(sql, merchantId, await endAndCount(sql, serverPid))) !== "0"; goOn())
    await sleep(LOOK_AGAIN_MS);
}

/** By how much the servers' clocks may differ. */
const CLOCK_SKEW = "2 seconds";

/**
 * A session on a worker has the name of the one that it works for, and so has what that one prepared. What is prepared is committed or
 * undone by the maintenance daemon of Citus, by what the coordinator decided.
 *
 * The server gives the number of a session that has ended to another one: what began after that is the other's. Of another role's session
 * it is not told when that began, but nothing of it is ours.
 */
async function endAndCount(sql: Sql, serverPid: number): Promise<string> {
  const [session] = await sql<[{ gpid: string; node: number; before: string }]>`
    select citus_calculate_gpid(citus_nodeid_for_gpid(citus_backend_gpid()), ${serverPid}::int)::text as gpid, groupid as node,
      coalesce(
        (select extract(epoch from backend_start + ${CLOCK_SKEW}::interval) from pg_stat_activity where pid = ${serverPid}::int)::text,
        'infinity') as before
    from pg_dist_local_group`;
  return `
    select (
      select count(pg_terminate_backend(pid)) from pg_stat_activity
      where datname = current_database() and usename = current_user and application_name = 'citus_internal gpid=${session.gpid}'
        and backend_start < to_timestamp('${session.before}'::float8) and pid <> pg_backend_pid()
    ) + (
      select count(*) from pg_prepared_xacts
      where database = current_database() and starts_with(gid, 'citus_${session.node}_${serverPid}_')
    )`;
}
