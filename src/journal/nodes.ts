// The nodes of this database, so that one takes over what another left. Heartbeats carry the database's time; what a dead node
// left lies after its `clear_before`.

import { arrayOf } from "./columns.ts";
import type { Sql } from "./database.ts";
import { isDistributed } from "./distribution.ts";
import { type Among, amongThoseThere } from "./merchants-there.ts";
import { type LeftOpen, takeOverOfOne } from "./one-merchant/later.ts";
import type { TransactionSql } from "./sql/sql.ts";
import { tellOfOpen } from "./tell.ts";
import { releaseAllOf, type UnresolvedQueue, unresolvedQueue } from "./unresolved.ts";

/** Three missed heartbeats, one a second. */
const DEAD_AFTER_MS = 4_000;
/**
 * What a dead node left is looked for more than once: its last write may be committed late, and a node that was only
 * paused may write once more before it is killed in earnest. Each look comes after as long again as it had been silent at
 * the last one (4, 8, 16 seconds), and after a minute at most.
 */
const LONGEST_UNTIL_NEXT_LOOK = "1 minute";
const FORGOTTEN_AFTER = "15 minutes";
/** By how much nodes' clocks may differ, or one may step back. */
const CLOCK_SKEW = "1 minute";

/** That this node lives, and what it takes over from those that do not. */
interface NodeLife {
  heartbeat(clearBefore: Date): Promise<void>;
  /**
   * Hands the events of dead nodes that have no outcome to the resolver. A charge that may have been sent is reversed and
   * never sent again; the others are repeated under their own reference (decisions F2, F3).
   * @returns how many events without an outcome were found
   */
  takeOverFromDeadNodes(now: Date): Promise<number>;
}

/** What a node needs to resolve what it left open itself, and what dead ones did. */
export type Backlog = NodeLife & UnresolvedQueue;

/** @param deadAfterMs for so long another node may be silent, by the database's own time */
export const backlogOf = (sql: Sql, node: number, deadAfterMs = DEAD_AFTER_MS): Backlog => ({
  ...unresolvedQueue(sql, node),
  heartbeat: async (clearBefore) => {
    await sql`
      insert into nodes (id, started_at, seen_at, clear_before) overriding system value
      values (${node}, ${clearBefore}, now(), ${clearBefore})
      on conflict (id) do update set seen_at = now(), clear_before = excluded.clear_before, taken_over_at = null`;
  },
  takeOverFromDeadNodes: (now) => takeOverFromDeadNodes(sql, now, deadAfterMs),
});

/**
 * @param lineage of the database; a node that begins on it knows of nothing that could be missing
 * @returns this process's number
 */
export async function registerNode(sql: Sql, now: Date, lineage: string | null = null): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into nodes (started_at, seen_at, clear_before, vouches_for) values (${now}, now(), ${now}, ${lineage})
    returning id`;
  return row.id;
}

/** The class of the advisory locks that nodes have; the second key is the node's number. */
const NODE_LOCK = 1_852_793_957;

/**
 * Until the end of this database transaction nobody takes over from the node; a takeover that is under way is waited for. The lock is not
 * on the node's row: heartbeats write that, and many transactions at once would keep them waiting until the node counts as dead.
 */
export async function holdOffTakeover(sql: TransactionSql, node: number): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${NODE_LOCK}, ${node})`;
}

/** Until the end of this database transaction no step of the node begins. @returns false while one is under way */
async function mayTakeOverFrom(tx: TransactionSql, node: number): Promise<boolean> {
  const [row] = await tx<[{ free: boolean }]>`select pg_try_advisory_xact_lock(${NODE_LOCK}, ${node}) as free`;
  return row.free;
}

/** A node that stopped in order and left nothing to resolve. */
export async function signOff(sql: Sql, node: number): Promise<void> {
  await sql`delete from nodes where id = ${node}`;
}

/** Of a node whose process is known to have ended: the others need not wait until it has been silent for long enough. */
export async function declareDead(sql: Sql, node: number): Promise<void> {
  const deadSince = `${DEAD_AFTER_MS} milliseconds`;
  await sql`update nodes set seen_at = least(seen_at, now() - ${deadSince}::interval) where id = ${node}`;
}

/** Which master keys this node has, by their names. */
export async function tellMasterKeys(sql: Sql, node: number, ids: readonly string[]): Promise<void> {
  const keys = arrayOf(sql, "text", ids);
  await sql`update nodes set master_keys = ${keys} where id = ${node} and master_keys is distinct from ${keys}`;
}

/** Nodes that live and have not said that they have this master key. */
export async function nodesWithoutMasterKey(sql: Sql, id: string): Promise<readonly number[]> {
  const deadAfter = `${DEAD_AFTER_MS} milliseconds`;
  const rows = await sql<{ id: number }[]>`
    select id from nodes
    where seen_at > now() - ${deadAfter}::interval and not coalesce(${id} = any(master_keys), false) order by id`;
  return rows.map((row) => row.id);
}

/** Nodes that live, as far as the others know. */
export async function countNodes(sql: Sql): Promise<number> {
  const [row] = await sql<[{ live: number }]>`
    select count(*)::int as live from nodes where seen_at > now() - ${`${DEAD_AFTER_MS} milliseconds`}::interval`;
  return row.live;
}

/** @returns how many other nodes take requests; from now on they know that this one does, too */
export async function othersThatTakeRequests(sql: Sql, node: number): Promise<number> {
  const deadAfter = `${DEAD_AFTER_MS} milliseconds`;
  const [row] = await sql<[{ others: number }]>`
    with told as (update nodes set takes_requests = true where id = ${node} and not takes_requests)
    select count(*)::int as others from nodes
    where takes_requests and id <> ${node} and seen_at > now() - ${deadAfter}::interval`;
  return row.others;
}

async function takeOverFromDeadNodes(sql: Sql, now: Date, deadAfterMs: number): Promise<number> {
  const deadAfter = `${deadAfterMs} milliseconds`;
  const takeOver: typeof takeOverInTurns = (await isDistributed(sql)) ? takeOverInTurns : takeOverAtOnce;
  return amongThoseThere(sql, (among) =>
    sql.begin(async (tx) => {
      const dead = await tx<{ id: number; since: Date }[]>`
        select id, clear_before - ${CLOCK_SKEW}::interval as since from nodes
        where seen_at < now() - ${deadAfter}::interval
          and (taken_over_at is null
            or taken_over_at + least(taken_over_at - seen_at, ${LONGEST_UNTIL_NEXT_LOOK}::interval) < now())
        for update skip locked`;
      let found = 0;
      for (const { id, since } of dead) {
        // At the next look.
        if (!(await mayTakeOverFrom(tx, id))) continue;
        found += await takeOver(tx, { node: id, since, now }, among);
        await releaseAllOf(tx, id, among.of());
        // Those who are left out have their turn at the next look.
        if (!among.all) continue;
        await tx`update nodes set taken_over_at = now() where id = ${id}`;
        await tx`delete from nodes where id = ${id} and seen_at < now() - ${FORGOTTEN_AFTER}::interval`;
      }
      return found;
    }),
  );
}

async function takeOverAtOnce(tx: TransactionSql, { node, since, now }: LeftOpen): Promise<number> {
  const taken = await tx`
    with taken as (
      insert into unresolved (merchant_id, transaction_id, sequence, processor_id, remedy, attempts, due_at, created_at)
      select e.merchant_id, e.transaction_id, e.sequence, e.processor_id,
        case when e.type in ('sale', 'auth') then 'reverse' else 'repeat' end, 0, ${now}, e.created_at
      from events e left join outcomes o using (merchant_id, transaction_id, sequence)
      where e.created_at >= ${since} and e.node_id = ${node} and o.kind is null
      on conflict do nothing returning merchant_id, transaction_id, sequence, due_at
    ),
    told as (${tx.unsafe(tellOfOpen("taken", "r.due_at"))})
    select from taken`;
  return taken.count;
}

/** Where the tables are distributed, each merchant's by its worker alone: what goes over all of them fails if one is away. */
async function takeOverInTurns(tx: TransactionSql, left: LeftOpen, among: Among): Promise<number> {
  const merchants = await tx<{ id: string }[]>`
    select distinct e.merchant_id as id from events e left join outcomes o using (merchant_id, transaction_id, sequence)
    where e.created_at >= ${left.since} and e.node_id = ${left.node} and o.kind is null and ${among.of("e.merchant_id")}`;
  let found = 0;
  for (const { id } of merchants) found += await takeOverOfOne(tx, id, left);
  return found;
}
