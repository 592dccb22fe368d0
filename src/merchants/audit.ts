// The audit log: who changed what, when, from where, what it was before and what it is after. A row is written in the
// database transaction of its change, so that there is never one without the other. No secret and no token's hash ever gets
// here.

import { connectionLost, type Sql } from "../journal/database.ts";
import { commitAsOne, isDistributed } from "../journal/distribution.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { fairTurns, type TurnBounds, type Turns, takeWithin } from "../shares/turns.ts";
import { isUuid } from "../uuid.ts";
import { appendEntry } from "./audit-chain.ts";
import type { Author, Backoffice, Entry } from "./backoffice.ts";
import { isOwned, ownerOf } from "./record-owner.ts";

type Office = Pick<Backoffice, "sql" | "clock" | "auditKey" | "noted">;

/** The database went away while it was told to commit: the change may have been made. */
export class ChangeUncertain extends Error {}

/**
 * What merchants' own people change, and what is noted of them: one at a time, and merchants take turns. The office has few connections, and
 * operators and whoever signs in are to find one free.
 */
const BY_MERCHANTS: TurnBounds = { atOnce: 1, mostOfOne: 1, mostWaiting: 5_000, mostWaitingOfOne: 1_000 };
/** As long as for a connection. */
const CHANGE_WAITS_MS = 10_000;
/** It is done, or refused, already. */
const NOTE_WAITS_MS = 60_000;
/** For each pool, which is to say for each process. */
const turnsOfPools = new WeakMap<Sql, Turns>();
function turnsOf(sql: Sql): Turns {
  const turns = turnsOfPools.get(sql) ?? fairTurns(BY_MERCHANTS);
  turnsOfPools.set(sql, turns);
  return turns;
}

/** @throws ShareUsedUp if too many wait, or for too long: nothing was done then */
async function inTurn<T>(sql: Sql, { merchantId }: Author, waitMs: number, work: () => Promise<T>): Promise<T> {
  if (merchantId === undefined) return work();
  const release = await takeWithin(turnsOf(sql), merchantId, waitMs);
  try {
    return await work();
  } finally {
    release();
  }
}

/**
 * One database transaction for a change and its entry. Without an entry nothing changed, and nothing is noted.
 * @throws ChangeUncertain; whatever else is thrown, nothing changed
 */
export async function audited<T>(
  { sql, clock, auditKey, noted }: Office,
  author: Author,
  change: (sql: TransactionSql) => Promise<{ readonly result: T; readonly entry?: Entry }>,
): Promise<T> {
  const key = await auditKey();
  const distributed = await isDistributed(sql);
  let toCommit = false;
  const work = async (transaction: TransactionSql): Promise<T> => {
    const { result, entry } = await change(transaction);
    if (entry) {
      const { action, subject, before = null, after = null } = entry;
      const at = clock.now();
      const merchantId = entry.merchantId ?? (await merchantOf(transaction, subject));
      const what = { action, subject: subject.join(" "), merchantId, outcome: "done", before, after } as const;
      await appendEntry(transaction, key, { at, actor: author.actor, source: author.source, ...what });
      if (distributed) await commitAsOne(transaction);
      noted?.(entry);
      toCommit = true;
    }
    return result;
  };
  try {
    return await inTurn(sql, author, CHANGE_WAITS_MS, async () => (await sql.begin(work)) as T);
  } catch (fault) {
    if (toCommit && connectionLost(fault))
      throw new ChangeUncertain("the database went away while this change was written", { cause: fault });
    throw fault;
  }
}

async function merchantOf(sql: TransactionSql, [record, id]: Entry["subject"]): Promise<string | null> {
  if (record === "merchant") return isUuid(id) ? id : null;
  return isOwned(record) ? ownerOf(sql, record, id) : null;
}

/**
 * All changes that the work makes through the office that it is given, with their entries, in one database transaction.
 * @throws ChangeUncertain; whatever else is thrown, nothing changed
 */
export async function together<T>(office: Backoffice, work: (office: Backoffice) => Promise<T>): Promise<T> {
  let toCommit = false;
  try {
    return (await office.sql.begin(async (transaction) => {
      const result = await work({ ...office, sql: within(transaction) });
      toCommit = true;
      return result;
    })) as T;
  } catch (fault) {
    if (toCommit && connectionLost(fault))
      throw new ChangeUncertain("the database went away while these changes were written", { cause: fault });
    throw fault;
  }
}

/** What begins a transaction there goes on with the one that is there. */
function within(transaction: TransactionSql): Sql {
  const begin = (...given: readonly unknown[]) => (given.at(-1) as (sql: TransactionSql) => unknown)(transaction);
  const ask = ((...given: Parameters<TransactionSql>) => transaction(...given)) as TransactionSql;
  return Object.assign(ask, transaction, { begin }) as unknown as Sql;
}

/** What somebody wanted and did not get: it changed nothing. */
export interface Attempt {
  /** `POST /operator/merchants` */
  readonly action: string;
  /** Of what, with its id last. */
  readonly subject: string;
  /** Whose administrators see it: of the person who asked, or whose account it was. */
  readonly merchantId: string | null;
  readonly details: object;
}

/** Writes an entry for what was refused; or for what was done and is no change of a record. */
export async function noteAttempt(
  office: Office,
  author: Author,
  { details, ...attempt }: Attempt,
  outcome: "done" | "refused" = "refused",
): Promise<void> {
  const key = await office.auditKey();
  const { actor, source } = author;
  const entry = { actor, source, ...attempt, outcome, before: null, after: details };
  await inTurn(office.sql, author, NOTE_WAITS_MS, () =>
    office.sql.begin((transaction) => appendEntry(transaction, key, { at: office.clock.now(), ...entry })),
  );
}
