// The lineage of a database: which PostgreSQL history a session is connected to. A restore to a moment in the past and a failover
// begin a new timeline. A dump that is loaded into another cluster has another system identifier. The gateways of a database agree
// on one lineage. A session on another lineage may see a database that is older than what merchants were told.

import type { Sql } from "./database.ts";
import { count, list, object, orNull, rowReader, text } from "./rows.ts";
import type { TransactionSql } from "./sql/sql.ts";

/** `7354219035421903542/1`: system identifier and timeline. The identifier is empty if the role may not read it. */
export type Lineage = string;

/** What the gateways of a database agreed on. */
export interface AcceptedLineage {
  readonly lineage: Lineage;
  /** Grows by one with each change of the lineage. */
  readonly epoch: number;
}

/** A write that a gateway knew to be committed, and that the database does not have. */
export interface LostWrite {
  readonly merchantId: string;
  readonly transactionId: string;
  readonly sequence: number;
}

/** Nothing is charged and no processor is asked until an operator releases it. */
export interface RecoveryMode {
  /** ISO 8601, by the database's clock. */
  readonly since: string;
  readonly reason: string;
  /** The first hundred. */
  readonly lost: readonly LostWrite[];
  /** When the newest transaction was created that the database had then, or since when an operator says that it lacks some, ISO 8601; null: it had none. */
  readonly newest?: string | null;
}

export interface LineageState {
  /** Null on a standby. */
  readonly lineage: Lineage | null;
  /** The lineage and this start of its server, as {@link SessionFence.lineage} gives it. */
  readonly session: string | null;
  /** How much of the write-ahead log is on disk, in bytes since the cluster was created; 0 on a standby. */
  readonly flushed: number;
  /** Null before the first gateway has started. */
  readonly accepted: AcceptedLineage | null;
  readonly recovery: RecoveryMode | null;
  /** When the recovery mode began that ended last, ISO 8601; null: none has ended. */
  readonly recoveredSince: string | null;
}

/** @returns the SQL expression of a session's lineage and of its server's start, from what this role may read */
export async function lineageExpression(sql: Sql): Promise<string> {
  const [row] = await sql<[{ may: boolean }]>`
    select has_function_privilege('pg_control_system()', 'execute') as may`;
  const identifier = row.may ? "(select system_identifier::text from pg_control_system())" : "''";
  // PostgreSQL, pg_walfile_name: the name of a segment begins with its timeline, in hexadecimal.
  const timeline = "('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int";
  const started = "extract(epoch from pg_postmaster_start_time())";
  return `case when not pg_is_in_recovery() then ${identifier} || '/' || ${timeline} || '@' || ${started} end`;
}

/** @param expression of {@link lineageExpression} */
export async function readLineage(sql: TransactionSql, expression: string): Promise<LineageState> {
  const [row] = await sql<[object]>`
    select split_part(s.session, '@', 1) as lineage, s.session,
      case when pg_is_in_recovery() then 0 else pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0') end::float8 as flushed,
      (select value from installation where name = 'lineage') as accepted,
      (select value from installation where name = 'recovery') as recovery,
      (select value ->> 'since' from installation where name = 'recovered') as "recoveredSince"
    from (select ${sql.unsafe(expression)} as session) s`;
  return stateRow(row);
}

const acceptedValue = rowReader<AcceptedLineage>("installation", { lineage: text, epoch: count });
const lostValue = rowReader<LostWrite>("installation", { merchantId: text, transactionId: text, sequence: count });
const recoveryValue = rowReader<RecoveryMode>("installation", {
  since: text,
  reason: text,
  lost: list((value) => lostValue(object(value))),
  newest: (value) => (value === undefined ? null : orNull(text)(value)),
});
const stateRow = rowReader<LineageState>("installation", {
  lineage: orNull(text),
  session: orNull(text),
  flushed: count,
  accepted: orNull((value) => acceptedValue(object(value))),
  recovery: orNull((value) => recoveryValue(object(value))),
  recoveredSince: orNull(text),
});

/** The first gateway of a database accepts the lineage that it finds. */
export async function acceptFirst(sql: Sql, lineage: Lineage): Promise<void> {
  const accepted: AcceptedLineage = { lineage, epoch: 1 };
  await sql`insert into installation (name, value) values ('lineage', ${sql.json(accepted)}) on conflict do nothing`;
}

/**
 * The reason that was written first stays.
 * @param lostSince what was done since then is missing, also if there are transactions of later
 * @returns whether it was this one
 */
export async function enterRecovery(
  sql: TransactionSql,
  reason: string,
  lost: readonly LostWrite[],
  lostSince?: Date,
): Promise<boolean> {
  const [row] = await sql<[{ now: Date; newest: Date | null }]>`
    select now() as now, (select max(newest_at) from merchant_counters) as newest`;
  const isLater = lostSince !== undefined && row.newest !== null && row.newest > lostSince;
  const newest = (isLater ? lostSince : row.newest)?.toISOString() ?? null;
  const recovery: RecoveryMode = { since: row.now.toISOString(), reason, lost: lost.slice(0, 100), newest };
  const written = await sql`
    insert into installation (name, value) values ('recovery', ${sql.json(recovery)}) on conflict do nothing returning 1`;
  return written.length > 0;
}

/** The recovery mode that is in force, or else the one that ended last; undefined: there was none. */
export async function lastRecovery(
  sql: TransactionSql,
): Promise<(RecoveryMode & { readonly inForce: boolean }) | undefined> {
  const [row] = await sql<{ name: string; value: object }[]>`
    select name, value from installation where name in ('recovery', 'recovered') order by name desc limit 1`;
  return row && { ...recoveryValue(row.value), inForce: row.name === "recovery" };
}

/** This node has found all that it knew to be committed on this lineage. */
export async function vouchFor(sql: Sql, node: number, lineage: Lineage): Promise<void> {
  await sql`update nodes set vouches_for = ${lineage} where id = ${node}`;
}

/**
 * Accepts a lineage that each node vouches for that was alive when it began.
 * @returns the nodes that have not vouched for it yet; none: it is accepted
 */
export function acceptIfAllVouch(sql: Sql, before: AcceptedLineage, lineage: Lineage): Promise<readonly number[]> {
  return sql.begin(async (tx) => {
    // One decides at a time.
    await tx`select from installation where name = 'lineage' for update`;
    const silent = await tx<{ id: number }[]>`
      select id from nodes where vouches_for is distinct from ${lineage} and taken_over_at is null order by id`;
    if (silent.length === 0) await accept(tx, before, lineage);
    return silent.map(({ id }) => id);
  });
}

/** Within a database transaction, once for each epoch. Trace numbers leap, since those that the lost history assigned are not known here. */
export async function accept(tx: TransactionSql, before: AcceptedLineage | null, lineage: Lineage): Promise<void> {
  const accepted: AcceptedLineage = { lineage, epoch: (before?.epoch ?? 0) + 1 };
  const written = await tx`
    insert into installation (name, value) values ('lineage', ${tx.json(accepted)})
    on conflict (name) do update set value = excluded.value
    where (installation.value ->> 'epoch')::int < ${accepted.epoch} returning 1`;
  // Another node was faster.
  if (written.length === 0) return;
  await tx`
    insert into installation (name, value) select 'recovered', value from installation where name = 'recovery'
    on conflict (name) do update set value = excluded.value`;
  await tx`delete from installation where name = 'recovery'`;
  await tx`update trace_counters set assigned = assigned + ${TRACE_NUMBERS_LEAP}`;
}

/** Half of the numbers that there are: those of the last half million questions are not given again, whichever history they were of. */
const TRACE_NUMBERS_LEAP = 500_000;

/** @returns which of these intents and outcomes the database does not have */
export async function lostOf(
  sql: Sql,
  writes: readonly (LostWrite & { readonly concluded: boolean })[],
): Promise<readonly LostWrite[]> {
  const lost: LostWrite[] = [];
  // A merchant at a time, as on a distributed database each must be.
  for (const [merchantId, some] of Map.groupBy(writes, (write) => write.merchantId)) {
    const asked = JSON.stringify(
      some.map(({ transactionId, sequence, concluded }) => ({ transactionId, sequence, concluded })),
    );
    const rows = await sql<{ transactionId: string; sequence: number }[]>`
      select distinct a."transactionId", a.sequence
      from jsonb_to_recordset(${asked}::text::jsonb) as a ("transactionId" uuid, sequence int, concluded boolean)
      left join events e
        on e.merchant_id = ${merchantId} and e.transaction_id = a."transactionId" and e.sequence = a.sequence
      left join outcomes o
        on o.merchant_id = ${merchantId} and o.transaction_id = a."transactionId" and o.sequence = a.sequence
      where e.id is null or (a.concluded and o.kind is null)`;
    lost.push(...rows.map(({ transactionId, sequence }) => ({ merchantId, transactionId, sequence })));
  }
  return lost;
}
