// How lists and exports ask the database: with a plan for each question, few questions at a time, and in fair turns of the
// merchants.

import { releaseAfterRest } from "../../shares/rest.ts";
import { fairTurns, type Turns, takeWithin } from "../../shares/turns.ts";
import type { Sql } from "../database.ts";

/**
 * Planned anew each time, which costs up to a millisecond, unless the plan may be kept. A plan is made for the tables as
 * they are: one made while they were small would read them from end to end ever after.
 */
export const ask = <Row extends object>(
  sql: Sql,
  text: string,
  parameters: readonly unknown[],
  keepPlan = false,
): Promise<readonly Row[]> => sql.unsafe<Row[]>(text, parameters as never[], { prepare: keepPlan });

/** A merchant with so many transactions makes the tables so big that no plan reads them from end to end. */
export const isBig = (newest: number): boolean => newest >= 10_000;

/** One who asks: a list or an export, until its reader is gone. */
export interface Asker {
  readonly pool: Sql;
  readonly purpose: "lists" | "exports";
  /** Whose turns these are: a merchant's id, or the operator's. */
  readonly holder: string;
  readonly turns: Turns;
  /** After each turn, as many times as long as it took, before the next. */
  readonly restTimes: number;
  /** After so long in the queue it is refused. Undefined: an answer that is being written waits as long as it takes. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Each turn is a statement of some ten milliseconds, so that who comes next waits no longer than that. */
const LISTS = { atOnce: 3, mostOfOne: 2, mostWaiting: 1_000, mostWaitingOfOne: 100 };
const LISTS_WAIT_MS = 10_000;
/** One portion at a time leaves the database to payments. How many there are bounds who may begin one, see long-responses.ts. */
const EXPORTS = { atOnce: 1, mostOfOne: 1, mostWaiting: Number.POSITIVE_INFINITY, mostWaitingOfOne: 1_000 };

/** A quarter of one connection's time, and of what its rows cost the gateway. */
const EXPORTS_REST_TIMES = 3;

interface Queues {
  readonly lists: Turns;
  readonly exports: Turns;
}
const queuesOfPools = new WeakMap<Sql, Queues>();
function queuesOf(pool: Sql): Queues {
  const queues = queuesOfPools.get(pool) ?? { lists: fairTurns(LISTS), exports: fairTurns(EXPORTS) };
  queuesOfPools.set(pool, queues);
  return queues;
}

/** What finds a page. Refused if too many wait, or too long. */
export const lister = (pool: Sql, holder: string, signal?: AbortSignal): Asker => ({
  ...{ pool, purpose: "lists", holder, signal, turns: queuesOf(pool).lists, restTimes: 0, waitMs: LISTS_WAIT_MS },
});

/** What reads for an answer that is written meanwhile, portion by portion. */
export const exporter = (pool: Sql, holder: string, signal?: AbortSignal): Asker => ({
  ...{ pool, purpose: "exports", holder, signal, turns: queuesOf(pool).exports, restTimes: EXPORTS_REST_TIMES },
});

/** Runs a work when it is the asker's turn; never once its reader is gone. */
export async function inTurn<T>(
  { turns, holder, restTimes, waitMs, signal }: Asker,
  work: () => Promise<T>,
): Promise<T> {
  const release = await (waitMs === undefined ? turns.take(holder, signal) : takeWithin(turns, holder, waitMs, signal));
  const sinceMs = performance.now();
  try {
    signal?.throwIfAborted();
    return await work();
  } finally {
    if (restTimes === 0) release();
    else releaseAfterRest(release, sinceMs, restTimes);
  }
}
