// How lists ask the database: with a plan for each question, and few questions at a time.

import { rowsOf, type Sql } from "../database.ts";

/**
 * Planned anew each time, which costs up to a millisecond, unless the plan may be kept. A plan is made for the tables as
 * they are: one made while they were small would read them from end to end ever after.
 */
export const ask = <Row extends object>(
  sql: Sql,
  text: string,
  parameters: readonly unknown[],
  keepPlan = false,
): Promise<readonly Row[]> => rowsOf(sql.unsafe<Row[]>(text, parameters as never[], { prepare: keepPlan }));

/** A merchant with so many transactions makes the tables so big that no plan reads them from end to end. */
export const isBig = (newest: number): boolean => newest >= 10_000;

/** Searching may not take the connections that payments need. */
const MOST_AT_ONCE = 2;

type Turns = <T>(work: () => Promise<T>) => Promise<T>;
const turnsOfPools = new WeakMap<Sql, Turns>();

/** Runs a work as soon as fewer than {@link MOST_AT_ONCE} others run on this pool, first come, first served. */
export function inTurn<T>(pool: Sql, work: () => Promise<T>): Promise<T> {
  const turns = turnsOfPools.get(pool) ?? takingTurns();
  turnsOfPools.set(pool, turns);
  return turns(work);
}

function takingTurns(): Turns {
  const waiting: (() => void)[] = [];
  let free = MOST_AT_ONCE;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
