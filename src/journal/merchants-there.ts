// Looks over all merchants, such as for what is due. Where the tables are distributed, a statement over all fails if any worker is away: then
// it is asked for those merchants alone whose workers answer, until all do again.

import { atOnce } from "../shares/at-once.ts";
import { arrayOf } from "./columns.ts";
import { codeOf, connectionLost, type Sql } from "./database.ts";
import { isDistributed } from "./distribution.ts";
import { answersInTime, askWorker, workerPlaces, workersOf } from "./merchants-worker.ts";
import type { Query, TransactionSql } from "./sql/sql.ts";

/** After which those that were away are asked again. */
const PAUSE_MS = 1_000;
/** Each takes a connection for as long as a worker may take to answer. */
const WORKERS_AT_ONCE = 2;
/** 57014: it took too long. A worker whose machine is gone says nothing at all. */
const QUERY_CANCELED = "57014";

/** Which merchants are looked at. */
export interface Among {
  readonly all: boolean;
  /** A condition. @param column with a merchant, after its table's name where there are several */
  of(column?: string): Query<object>;
}

/** @param look safe to do twice, and writes nothing where it fails */
export async function amongThoseThere<T>(sql: Sql, look: (among: Among) => Promise<T>): Promise<T> {
  if (!(await isDistributed(sql))) return look(amongAll(sql));
  const there = known.get(sql) ?? merchantsThere(() => whoIsThere(sql));
  known.set(sql, there);
  return there.look((merchants) => look(merchants === undefined ? amongAll(sql) : amongThese(sql, merchants)));
}

const known = new WeakMap<Sql, MerchantsThere>();

/** Whether some merchants are left out now, of what is looked for over this pool. */
export const someAreLeftOut = (sql: Sql): boolean => known.get(sql)?.someAreLeftOut() ?? false;

const amongAll = (sql: TransactionSql): Among => ({ all: true, of: () => sql`true` });

const amongThese = (sql: TransactionSql, merchants: readonly string[]): Among => ({
  all: false,
  of: (column = "merchant_id") => sql`${sql(column)} = any(${arrayOf(sql, "uuid", merchants)})`,
});

/**
 * In whose turns a statement is asked that goes over all merchants: of each that has such rows and whose worker answers, where the tables are
 * distributed; else of all at once. Citus locks rows of one merchant only.
 */
export async function turnsOf(sql: Sql, table: string, rows: Query<object>): Promise<readonly (string | undefined)[]> {
  if (!(await isDistributed(sql))) return [undefined];
  // In any order: whoever has many rows is not first each time.
  const found = await amongThoseThere(
    sql,
    (among) => sql<{ merchant_id: string }[]>`
    select merchant_id from (select distinct merchant_id from ${sql(table)} where ${rows} and ${among.of()}) one order by random()`,
  );
  return found.map(({ merchant_id }) => merchant_id);
}

export interface MerchantsThere {
  /** @param work is given undefined for all merchants */
  look<T>(work: (merchants: readonly string[] | undefined) => Promise<T>): Promise<T>;
  someAreLeftOut(): boolean;
}

/** @param ask for the merchants whose workers answer; undefined: all do @param now epoch milliseconds */
export function merchantsThere(
  ask: () => Promise<readonly string[] | undefined>,
  now: () => number = Date.now,
): MerchantsThere {
  let there: readonly string[] | undefined;
  let againAt = 0;
  let asking: Promise<void> | undefined;
  const askAgain = (): Promise<void> => {
    asking ??= ask()
      .then((merchants) => {
        there = merchants;
      })
      .finally(() => {
        againAt = now() + PAUSE_MS;
        asking = undefined;
      });
    return asking;
  };
  return {
    someAreLeftOut: () => there !== undefined,
    look: async (work) => {
      // Nobody waits for one that is known to be away.
      if (there !== undefined && now() >= againAt) void askAgain().catch(() => undefined);
      try {
        return await work(there);
      } catch (fault) {
        if (!connectionLost(fault) && codeOf(fault) !== QUERY_CANCELED) throw fault;
        await askAgain().catch(() => {
          throw fault;
        });
        if (there === undefined) throw fault;
        return work(there);
      }
    },
  };
}

/** @returns the merchants whose workers answer; undefined: all do */
async function whoIsThere(sql: Sql): Promise<readonly string[] | undefined> {
  const places = await workerPlaces(sql);
  const answers = await atOnce(WORKERS_AT_ONCE, places, (place) => answersInTime(sql, (one) => askWorker(one, place)));
  const away = new Set(places.filter((_, index) => !answers[index]).map(({ worker }) => worker));
  if (away.size === 0) return undefined;
  const merchants = await sql<{ id: string }[]>`select id from merchants`;
  const workers = await workersOf(
    sql,
    merchants.map(({ id }) => id),
  );
  return [...workers].filter(([, worker]) => !away.has(worker)).map(([id]) => id);
}
