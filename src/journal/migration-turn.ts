// One node migrates while the others wait: between its attempts at a table sales go on, and several nodes that try one after the other
// would leave them little time. The turn is a lock of a session, which the server ends when its node dies or falls silent.

import { setTimeout as sleep } from "node:timers/promises";
import { codeOf, connectionLost, type Sql } from "./database.ts";
import type { TransactionSql } from "./sql/sql.ts";

/** Any number that nothing else in this database locks: "turn" in ASCII. */
const TURN = 0x7475726e;
const LOOK_EVERY_MS = 300;
const SAY_EVERY_MS = 1_000;
/** A node that says nothing for so long is frozen, or gone without a word. */
export const SILENT_MS = 5_000;

export interface Turn {
  /** It has the turn: what is asked here ends with it. */
  readonly session: TransactionSql;
  /** Work on other connections, while this one says that the node lives. @throws first if the turn is lost */
  beside<T>(work: () => Promise<T>): Promise<T>;
}

/** @param waits told once, if another node has the turn */
export async function inTurn<T>(pool: Sql, waits: () => void, work: (turn: Turn) => Promise<T>): Promise<T> {
  const session = await pool.reserve();
  try {
    for (const setting of ["statement_timeout = 0", "lock_timeout = 0", `idle_session_timeout = ${SILENT_MS}`])
      await session.unsafe(`set ${setting}`);
    await come(session, waits);
    return await work({ session, beside: (other) => beside(session, other) });
  } finally {
    await leave(session).catch(() => undefined);
    session.release();
  }
}

/** It asks again and again: whoever waits within a statement is waited for by an index that is built beside sales. */
async function come(session: TransactionSql, waits: () => void): Promise<void> {
  const isOurs = async () => {
    const [row] = await session<[{ ours: boolean }]>`select pg_try_advisory_lock(${TURN}) as ours`;
    return row.ours;
  };
  if (await isOurs()) return;
  waits();
  while (!(await isOurs())) await sleep(LOOK_EVERY_MS);
}

async function beside<T>(session: TransactionSql, work: () => Promise<T>): Promise<T> {
  await session`select 1`;
  // That it is lost is found out by the next one.
  const timer = setInterval(() => void session`select 1`.catch(() => undefined), SAY_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

async function leave(session: TransactionSql): Promise<void> {
  await session`select pg_advisory_unlock(${TURN})`;
  await session.unsafe("reset all");
}

/** The node was silent for too long, and another one may have the turn. 25P03: it was so within a transaction. */
export const turnLost = (fault: unknown): boolean => connectionLost(fault) || codeOf(fault) === "25P03";
