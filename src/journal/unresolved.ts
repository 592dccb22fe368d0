// The table of unresolved events: events without an outcome, and unanswered charges that are still to be reversed. Each waits
// for one processor record, is leased to one node at a time, and goes when it is resolved.

import { uncounting } from "./consent-charges.ts";
import type { Sql } from "./database.ts";
import { isDistributed, isOf } from "./distribution.ts";
import type { EventPlace, Remedy } from "./journal.ts";
import { leaseEnd, unleased } from "./lease.ts";
import { amongThoseThere, turnsOf } from "./merchants-there.ts";
import type { Query, TransactionSql } from "./sql/sql.ts";

export interface UnresolvedEvent extends EventPlace {
  readonly processorId: string;
  readonly remedy: Remedy;
  readonly attempts: number;
  /** Of the attempts: to how many its processor answered neither yes nor no. */
  readonly undecided: number;
}

/** What an attempt without success came to. */
export interface Attempt {
  readonly at: Date;
  /** For the operator, one line: `no answer within 2000 ms`. */
  readonly said: string;
  /** The processor answered, and neither yes nor no. */
  readonly undecided?: boolean;
}

/** The first attempt is kept, and so many of the last. */
export const LAST_ATTEMPTS_KEPT = 20;

/** What waits to be resolved, as one node works it off. */
export interface UnresolvedQueue {
  /** The processor records for which something is due. */
  dueProcessors(now: Date): Promise<readonly string[]>;
  /**
   * What is due of one processor record, what is longest due first, and of a transaction only the first event that waits.
   * They are leased to this node, until the lease has passed or the node was found dead.
   */
  leaseDue(processorId: string, now: Date, leaseMs: number, most: number): Promise<readonly UnresolvedEvent[]>;
  /** Of an event that this node has leased: the lease begins anew. */
  renew(event: EventPlace, now: Date, leaseMs: number): Promise<void>;
  /**
   * @param attempt null: nobody was asked
   * @param remedy another one from now on
   */
  putOff(event: EventPlace, attempt: Attempt | null, dueAt: Date, remedy?: Remedy): Promise<void>;
  /** A processor record is back: what was put off and is asked for is due now, all of it or what is due first. */
  dueAtOnce(processorId: string, now: Date, most: number | null): Promise<void>;
  /** @param confirmedAt when the processor confirmed that nothing of a charge is held or taken; else null */
  resolved(event: EventPlace, confirmedAt: Date | null): Promise<void>;
}

export const unresolvedQueue = (sql: Sql, node: number): UnresolvedQueue => {
  /** Citus locks rows of one merchant only. */
  const turns = (processorId: string, due: Query<object>) =>
    turnsOf(sql, "unresolved", sql`processor_id = ${processorId} and ${due}`);
  return {
    // One look into the index for each processor record.
    dueProcessors: async (now) => {
      if (await isDistributed(sql)) {
        const due = await amongThoseThere(
          sql,
          (among) => sql<{ processor_id: string }[]>`
        select distinct processor_id from unresolved where due_at <= ${now} and ${among.of()} order by processor_id`,
        );
        return due.map(({ processor_id }) => processor_id);
      }
      const rows = await sql<{ processor_id: string }[]>`
      with recursive waiting as (
        (select processor_id from unresolved where due_at <= ${now} order by processor_id limit 1)
        union all
        select (select u.processor_id from unresolved u where u.processor_id > waiting.processor_id and u.due_at <= ${now}
          order by u.processor_id limit 1)
        from waiting where waiting.processor_id is not null
      )
      select processor_id from waiting where processor_id is not null`;
      return rows.map(({ processor_id }) => processor_id);
    },

    // Of a transaction only the first event that is asked for, so that nothing overtakes; what is not asked for any more stops nobody.
    leaseDue: async (processorId, now, leaseMs, most) => {
      const leased: UnresolvedEvent[] = [];
      for (const owner of await turns(processorId, sql`due_at <= ${now}`)) {
        if (leased.length === most) break;
        const some = await sql<UnresolvedEvent[]>`
      update unresolved u set taken_by = ${node}, taken_until = ${leaseEnd(sql, now, leaseMs)}, attempts = u.attempts + 1
      from (
        select merchant_id, transaction_id, sequence from unresolved w
        where ${isOf(sql, owner)} and processor_id = ${processorId} and due_at <= ${now} and ${unleased(sql, now)}
          and not exists (select from unresolved b
            where b.merchant_id = w.merchant_id and b.transaction_id = w.transaction_id and b.sequence < w.sequence
              and b.remedy not in ('await', 'operator'))
        order by due_at limit ${most - leased.length} for update skip locked
      ) due
      where ${isOf(sql, owner, "u")} and (u.merchant_id, u.transaction_id, u.sequence) = (due.merchant_id, due.transaction_id, due.sequence)
      returning u.merchant_id as "merchantId", u.transaction_id as "transactionId", u.sequence,
        u.processor_id as "processorId", u.remedy, u.attempts, u.undecided`;
        leased.push(...some);
      }
      return leased;
    },

    renew: async ({ merchantId, transactionId, sequence }, now, leaseMs) => {
      await sql`
      update unresolved set taken_until = ${leaseEnd(sql, now, leaseMs)}
      where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence}
        and taken_by = ${node}`;
    },

    putOff: async ({ merchantId, transactionId, sequence }, attempt, dueAt, remedy) => {
      const kept = sql`case when jsonb_array_length(history) > ${LAST_ATTEMPTS_KEPT} then history - 1 else history end`;
      await sql`
      update unresolved set due_at = ${dueAt}, remedy = coalesce(${remedy ?? null}::text, remedy), taken_by = null, taken_until = null,
        undecided = undecided + ${attempt?.undecided ? 1 : 0},
        history = ${attempt === null ? sql`history` : sql`${kept} || ${said(attempt)}::jsonb`}
      where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence}`;
    },

    // What was put off and is not leased.
    dueAtOnce: async (processorId, now, most) => {
      for (const owner of await turns(processorId, sql`due_at > ${now}`))
        await sql`
      update unresolved u set due_at = ${now}
      from (
        select merchant_id, transaction_id, sequence from unresolved
        where ${isOf(sql, owner)} and processor_id = ${processorId} and due_at > ${now} and remedy <> 'operator'
          and ${unleased(sql, now)}
        order by due_at limit ${most} for update skip locked
      ) put_off
      where ${isOf(sql, owner, "u")} and (u.merchant_id, u.transaction_id, u.sequence)
        = (put_off.merchant_id, put_off.transaction_id, put_off.sequence)`;
    },

    resolved: async ({ merchantId, transactionId, sequence }, confirmedAt) => {
      await sql`
      with gone as (
        delete from unresolved
        where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence}
      )${confirmedAt === null ? sql`` : sql`, uncounted as (${uncounting(sql, merchantId, transactionId)})`}
      insert into confirmed_reversals (merchant_id, transaction_id, sequence, created_at)
      select ${merchantId}::uuid, ${transactionId}::uuid, ${sequence}::int, ${confirmedAt}::timestamptz
      where ${confirmedAt !== null} on conflict do nothing`;
    },
  };
};

const said = ({ at, said }: Attempt): string => JSON.stringify({ at: at.toISOString(), said });

/** Whether it was left to the resolver, and waits for it. */
export async function isUnresolved(sql: Sql, { merchantId, transactionId, sequence }: EventPlace): Promise<boolean> {
  const rows = await sql`
    select true as there from unresolved
    where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence}`;
  return rows.length > 0;
}

/** What was put off is due now. @returns false: a node is at it, and may put it off again */
export async function dueNow(
  sql: Sql,
  { merchantId, transactionId, sequence }: EventPlace,
  now: Date,
): Promise<boolean> {
  const rows = await sql<{ free: boolean }[]>`
    update unresolved set due_at = least(due_at, ${now})
    where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence}
    returning ${unleased(sql, now)} as free`;
  return rows.every(({ free }) => free);
}

/** A charge that was given up, and that nobody takes back any more, is taken back. */
export async function takeBackAgain(
  sql: Sql,
  { merchantId, transactionId, sequence }: EventPlace,
  processorId: string,
  now: Date,
): Promise<void> {
  await sql`
    insert into unresolved (merchant_id, transaction_id, sequence, processor_id, remedy, attempts, due_at, created_at)
    values (${merchantId}, ${transactionId}, ${sequence}, ${processorId}, 'reverse', 0, ${now}, ${now})
    on conflict do nothing`;
}

/** Leased to nobody, so that no node asks about it meanwhile. @returns false: a node is at it */
export async function withhold(
  sql: Sql,
  { merchantId, transactionId, sequence }: EventPlace,
  now: Date,
  leaseMs: number,
): Promise<boolean> {
  const [found] = await sql<{ taken: boolean }[]>`
    with withheld as (
      update unresolved set taken_by = null, taken_until = ${leaseEnd(sql, now, leaseMs)}
      where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence} and ${unleased(sql, now)}
      returning 1
    )
    select not exists (select from withheld) as taken from unresolved
    where merchant_id = ${merchantId} and transaction_id = ${transactionId} and sequence = ${sequence}`;
  return found?.taken !== true;
}

/** The leases of a dead node end at once. @param merchants a condition on whose */
export async function releaseAllOf(sql: Sql | TransactionSql, node: number, merchants: Query<object>): Promise<void> {
  await sql`update unresolved set taken_by = null, taken_until = null where taken_by = ${node} and ${merchants}`;
}
