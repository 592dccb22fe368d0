// The gateways that write to this database, so that one finds what another left behind. A node shows signs of life by
// the database's own time; what it may have left begins at its `clear_before`.

import type { Sql } from "./database.ts";
import type { EventPlace, Remedy } from "./journal.ts";

/** Three missed signs of life, one a second. */
const DEAD_AFTER = "4 seconds";
/**
 * What a dead node left is looked for more than once: its last write may be committed late, and a node that was only
 * paused may write once more before it is killed in earnest.
 */
const LOOK_AGAIN_AFTER = "1 minute";
const FORGOTTEN_AFTER = "15 minutes";
/** By which a clock may step back. */
const CLOCK_MARGIN = "1 minute";

/** What is owed, by this node and by dead ones, as a resolver works it off. */
export interface Backlog {
  showLife(clearBefore: Date): Promise<void>;
  /** @returns how many events without an outcome were found */
  takeOverFromDeadNodes(now: Date): Promise<number>;
  /** Nobody else takes these before the lease has passed. */
  takeDue(now: Date, leaseMs: number, most: number): Promise<readonly UnresolvedEvent[]>;
  putOff(event: EventPlace, dueAt: Date): Promise<void>;
  resolved(event: EventPlace): Promise<void>;
}

export const backlogOf = (sql: Sql, node: number): Backlog => ({
  showLife: (clearBefore) => showLife(sql, node, clearBefore),
  takeOverFromDeadNodes: (now) => takeOverFromDeadNodes(sql, now),
  takeDue: (now, leaseMs, most) => takeDue(sql, now, leaseMs, most),
  putOff: (event, dueAt) => putOff(sql, event, dueAt),
  resolved: (event) => resolved(sql, event),
});

/** @returns this process's number */
export async function registerNode(sql: Sql, now: Date): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into nodes (started_at, seen_at, clear_before) values (${now}, now(), ${now}) returning id`;
  return row.id;
}

async function showLife(sql: Sql, node: number, clearBefore: Date): Promise<void> {
  await sql`
    insert into nodes (id, started_at, seen_at, clear_before) overriding system value
    values (${node}, ${clearBefore}, now(), ${clearBefore})
    on conflict (id) do update set seen_at = now(), clear_before = excluded.clear_before, taken_over_at = null`;
}

/** A node that stopped in order and owes nothing. */
export async function signOff(sql: Sql, node: number): Promise<void> {
  await sql`delete from nodes where id = ${node}`;
}

/**
 * Hands the events of dead nodes that have no outcome to the resolver. A charge that may have been sent is reversed and
 * never sent again; the others are repeated under their own reference (decisions F2, F3).
 * @returns how many were found
 */
async function takeOverFromDeadNodes(sql: Sql, now: Date): Promise<number> {
  return sql.begin(async (tx) => {
    const dead = await tx<{ id: number; clear_before: Date }[]>`
      select id, clear_before from nodes
      where seen_at < now() - ${DEAD_AFTER}::interval
        and (taken_over_at is null or taken_over_at < now() - ${LOOK_AGAIN_AFTER}::interval)
      for update skip locked`;
    let found = 0;
    for (const { id, clear_before: clearBefore } of dead) {
      const taken = await tx`
        insert into unresolved (merchant_id, transaction_id, sequence, remedy, attempts, due_at, created_at)
        select e.merchant_id, e.transaction_id, e.sequence,
          case when e.type in ('sale', 'auth') then 'reverse' else 'repeat' end, 0, ${now}, e.created_at
        from events e left join outcomes o using (merchant_id, transaction_id, sequence)
        where e.created_at >= ${clearBefore}::timestamptz - ${CLOCK_MARGIN}::interval
          and e.node_id = ${id} and o.kind is null
        on conflict do nothing`;
      found += taken.count;
      await tx`update nodes set taken_over_at = now() where id = ${id}`;
      await tx`delete from nodes where id = ${id} and seen_at < now() - ${FORGOTTEN_AFTER}::interval`;
    }
    return found;
  }) as Promise<number>;
}

export interface UnresolvedEvent extends EventPlace {
  readonly remedy: Remedy;
  readonly attempts: number;
}

/** Takes some of what is due, so that no other node takes it before `leaseMs` have passed. */
async function takeDue(sql: Sql, now: Date, leaseMs: number, most: number): Promise<UnresolvedEvent[]> {
  const rows = await sql<
    { merchant_id: string; transaction_id: string; sequence: number; remedy: Remedy; attempts: number }[]
  >`
    update unresolved u set due_at = ${new Date(now.getTime() + leaseMs)}, attempts = u.attempts + 1
    from (select merchant_id, transaction_id, sequence from unresolved where due_at <= ${now}
      order by due_at limit ${most} for update skip locked) due
    where (u.merchant_id, u.transaction_id, u.sequence) = (due.merchant_id, due.transaction_id, due.sequence)
    returning u.merchant_id, u.transaction_id, u.sequence, u.remedy, u.attempts`;
  return rows.map((row) => ({
    merchantId: row.merchant_id,
    transactionId: row.transaction_id,
    sequence: row.sequence,
    remedy: row.remedy,
    attempts: row.attempts,
  }));
}

async function putOff(sql: Sql, { merchantId, transactionId, sequence }: EventPlace, dueAt: Date): Promise<void> {
  await sql`update unresolved set due_at = ${dueAt}
    where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence}`;
}

async function resolved(sql: Sql, { merchantId, transactionId, sequence }: EventPlace): Promise<void> {
  await sql`delete from unresolved
    where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence}`;
}
