// The tables of the automatic capture: when each processor record is due, and which authorizations are open.

import type { Transaction } from "../payment/transaction.ts";
import { arrayOf } from "./columns.ts";
import type { Sql } from "./database.ts";
import { gathering } from "./gather-authorizations.ts";
import { databaseNow, leaseEnd, unleased } from "./lease.ts";
import { amongThoseThere } from "./merchants-there.ts";
import type { Query, TransactionSql } from "./sql/sql.ts";
import { findTransactions } from "./whole-transactions.ts";

export interface DueCapture {
  readonly merchantId: string;
  readonly processorId: string;
  readonly dueAt: Date;
}

/** What became of leased authorizations, by their ids. */
export interface Looked {
  /** Captured, or there was nothing to capture any more. */
  readonly over: readonly string[];
  /** Tried without success: the next time of capture tries again. */
  readonly tried: readonly string[];
  /** Not sent: tried again for the same time, when they have rested. */
  readonly resting: readonly Resting[];
  /** Released untouched. */
  readonly left: readonly string[];
}

export interface Resting {
  readonly id: string;
  /** By the gateway's clock. */
  readonly until: Date;
}

export interface OpenAuthorizations {
  readonly leaseMs: number;
  /** Records whose time has come by this instant, in the order of time. */
  due(by: Date): Promise<readonly DueCapture[]>;
  /** The same without those of merchants whose worker is away: theirs are captured when it is back. */
  dueOfThoseThere(by: Date): Promise<readonly DueCapture[]>;
  /**
   * What was authorized while the record had no time of capture waits for it from now on, if it is still untouched. On a node it is looked for
   * once for each time of capture, until the record has had one for a day.
   * @param stopping ends it early: it begins anew the next time
   */
  gather(due: DueCapture, stopping?: AbortSignal): Promise<void>;
  /**
   * Leases some of the open authorizations of before the due time that were not tried for it yet, fewer where they are big; none if the
   * record is not due at that time any more. Nobody else gets them until the lease ends, which is renewed while they are captured.
   * @param rested those that rest beyond this instant are left; without it none is
   */
  lease(due: DueCapture, most: number, rested?: Date): Promise<readonly Transaction[]>;
  renew(due: DueCapture, ids: readonly string[]): Promise<void>;
  release(due: DueCapture, looked: Looked): Promise<void>;
  /** Whether some of this time are leased to others. */
  leasedByOthers(due: DueCapture): Promise<boolean>;
  /**
   * Only if it is still due at that time, since another node may have been faster, or the operator may have changed it; and
   * only if none of this time is left or rests, since others may have released some a moment ago.
   */
  putOff(due: DueCapture, next: Date): Promise<void>;
}

/** Others wait this long, at most, for a node that died. */
const LEASE_MS = 6_000;
/** With those who lease, all of them are read whole. A merchant may have sent a megabyte with each, and many are captured side by side. */
const MOST_BYTES = 2 * 1_048_576;
/** Of a transaction from before sizes were kept. */
const UNKNOWN_BYTES = 65_536;

/** @param leaseMs by the database's own time @param gatheredAtOnce events in one statement */
export function openAuthorizations(sql: Sql, leaseMs = LEASE_MS, gatheredAtOnce?: number): OpenAuthorizations {
  const end = () => leaseEnd(sql, databaseNow(sql), leaseMs);
  const dueAmong = async (by: Date, merchants: Query<object>) => [
    ...(await sql<DueCapture[]>`
      select merchant_id as "merchantId", processor_id as "processorId", due_at as "dueAt"
      from auto_captures where due_at <= ${by} and ${merchants} order by due_at, processor_id`),
  ];
  /** In one order: two nodes with leases on the same ones wait for each other and do not deadlock. */
  const locked = ({ merchantId, processorId }: DueCapture, ids: readonly string[]) => sql`
    select transaction_id from open_authorizations
    where merchant_id = ${merchantId} and processor_id = ${processorId} and transaction_id = any(${arrayOf(sql, "uuid", ids)})
    order by transaction_id for update`;
  return {
    leaseMs,

    due: (by) => dueAmong(by, sql`true`),

    dueOfThoseThere: (by) => amongThoseThere(sql, (among) => dueAmong(by, among.of())),

    gather: gathering(sql, gatheredAtOnce),

    lease: async ({ merchantId, processorId, dueAt }, most, rested) => {
      // Materialized: in a join the part that locks may run again and again, and each time take as many more.
      const taken = await sql<{ transaction_id: string }[]>`
        with free as materialized (
          select transaction_id from open_authorizations
          where merchant_id = ${merchantId} and processor_id = ${processorId} and authorized_at < ${dueAt}
            and ${unleased(sql, databaseNow(sql))} and (tried_for is null or tried_for < ${dueAt})
            and (rests_until is null or ${rested ?? null}::timestamptz is null or rests_until <= ${rested ?? null})
            and exists (select from auto_captures
              where merchant_id = ${merchantId} and processor_id = ${processorId} and due_at = ${dueAt})
          order by transaction_id limit ${most} for update skip locked
        ),
        sized as (
          select transaction_id, coalesce((
            select bytes from transactions t where t.merchant_id = ${merchantId} and t.id = free.transaction_id limit 1
          ), ${UNKNOWN_BYTES}::int) as bytes from free
        ),
        portion as (
          select transaction_id, sum(bytes) over (order by transaction_id) - bytes as bytes_before from sized
        )
        update open_authorizations o set taken_until = ${end()} from portion
        where o.merchant_id = ${merchantId} and o.processor_id = ${processorId}
          and o.transaction_id = portion.transaction_id and portion.bytes_before < ${MOST_BYTES}::int
        returning o.transaction_id`;
      return findTransactions(
        sql,
        merchantId,
        taken.map((row) => row.transaction_id),
      );
    },

    renew: async (due, ids) => {
      await sql`
        with leased as materialized (${locked(due, ids)})
        update open_authorizations o set taken_until = ${end()} from leased
        where o.merchant_id = ${due.merchantId} and o.processor_id = ${due.processorId}
          and o.transaction_id = leased.transaction_id`;
    },

    release: async (due, { over, tried, resting, left }) => {
      const { merchantId, processorId, dueAt } = due;
      const restIds = resting.map(({ id }) => id);
      const ends = resting.map(({ until }) => until);
      await sql`
        with looked as materialized (${locked(due, [...over, ...tried, ...restIds, ...left])}),
        over as (
          delete from open_authorizations o using looked
          where o.merchant_id = ${merchantId} and o.processor_id = ${processorId}
            and o.transaction_id = looked.transaction_id and o.transaction_id = any(${arrayOf(sql, "uuid", over)})
        )
        update open_authorizations o
        set taken_until = null,
          rests_until = (
            select until from unnest(${arrayOf(sql, "uuid", restIds)}, ${arrayOf(sql, "timestamptz", ends)}) as resting (id, until)
            where id = o.transaction_id limit 1
          ),
          tried_for = case when o.transaction_id = any(${arrayOf(sql, "uuid", tried)}) then ${dueAt} else o.tried_for end
        from looked
        where o.merchant_id = ${merchantId} and o.processor_id = ${processorId}
          and o.transaction_id = looked.transaction_id
          and o.transaction_id = any(${arrayOf(sql, "uuid", [...tried, ...restIds, ...left])})`;
    },

    leasedByOthers: async ({ merchantId, processorId, dueAt }) => {
      const [row] = await sql<[{ there: boolean }]>`
        select exists(select from open_authorizations
          where merchant_id = ${merchantId} and processor_id = ${processorId} and authorized_at < ${dueAt}
            and not ${unleased(sql, databaseNow(sql))} and (tried_for is null or tried_for < ${dueAt})) as there`;
      return row.there;
    },

    putOff: async ({ merchantId, processorId, dueAt }, next) => {
      await sql`
        update auto_captures set due_at = ${next}
        where merchant_id = ${merchantId} and processor_id = ${processorId} and due_at = ${dueAt}
          and not exists (select from open_authorizations
            where merchant_id = ${merchantId} and processor_id = ${processorId} and authorized_at < ${dueAt}
              and (tried_for is null or tried_for < ${dueAt}))`;
    },
  };
}

/**
 * From now on the record's authorizations are captured at this instant; null: not by themselves.
 * @param isNew it has no authorizations yet, so there are none to gather
 */
export async function setCaptureTime(
  sql: Sql | TransactionSql,
  { merchantId, processorId }: Omit<DueCapture, "dueAt">,
  dueAt: Date | null,
  isNew = false,
): Promise<void> {
  if (dueAt === null)
    await sql`delete from auto_captures where merchant_id = ${merchantId} and processor_id = ${processorId}`;
  else
    await sql`
      insert into auto_captures (merchant_id, processor_id, due_at, gathered)
      values (${merchantId}, ${processorId}, ${dueAt}, ${isNew})
      on conflict (merchant_id, processor_id) do update set due_at = excluded.due_at`;
}
