// One connection that writes groups of rows, each group in one statement and so in one transaction. When the connection
// breaks nobody knows whether the last statement was committed; the writer then makes sure that its old session is gone
// (on Citus also what that one had begun on a worker), looks what is there, and writes the rest.

import { setTimeout as sleep } from "node:timers/promises";
import { type AwayWorkers, awayWorkers } from "./away-workers.ts";
import {
  codeOf,
  connectionLost,
  type DatabaseAddress,
  openSingle,
  type SessionFence,
  type Sql,
  undone,
} from "./database.ts";
import { JournalUnavailable, JournalUncertain } from "./journal.ts";
import { endedOnWorkerOf } from "./merchants-worker.ts";
import { sharedWork } from "./shared-work.ts";

/** How long a group waits for a database that is away before its callers are told. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 100;
const MOST_TRIES_WHEN_UNDONE = 10;
const LONGEST_PAUSE_WHEN_UNDONE_MS = 20;

export interface GroupWrite<Row, Result> {
  readonly statement: (sql: Sql, rows: readonly Row[]) => Promise<readonly Result[]>;
  /** What of these rows is there already: the result for each that is, undefined for the others. */
  readonly look: (sql: Sql, rows: readonly Row[]) => Promise<readonly (Result | undefined)[]>;
}

export interface Writer<Row, Result> {
  /** All rows or none. @throws JournalUnavailable, JournalUncertain, or what the database says of the rows */
  write(rows: readonly Row[]): Promise<readonly Result[]>;
  /**
   * After a write that ended uncertain: what it wrote is there when this resolves, or never will be.
   * @param merchantId whose rows, where the tables are distributed
   * @throws otherwise
   */
  recover(merchantId?: string): Promise<void>;
  close(): Promise<void>;
}

export interface WriterOptions<Row> {
  readonly patienceMs?: number | undefined;
  /** Whose a row is, where the tables are distributed: then a group has rows of one merchant. */
  readonly merchantOf?: ((row: Row) => string) | undefined;
  /** Of Citus, as all writers of a process know them. */
  readonly workers?: AwayWorkers | undefined;
  readonly fence?: SessionFence | undefined;
}

/** A session of ours that may still be at work on what was given up. */
interface GivenUp {
  /** Undefined where the tables are not distributed. */
  readonly merchantId: string | undefined;
  readonly serverPid: number;
}

/** @param name unique among this role's sessions on the database: the old session is found by it */
export function openWriter<Row, Result>(
  address: DatabaseAddress,
  name: string,
  group: GroupWrite<Row, Result>,
  { patienceMs = PATIENCE_MS, merchantOf, workers = awayWorkers(), fence }: WriterOptions<Row> = {},
): Writer<Row, Result> {
  const connect = () => {
    const server = { pid: 0 };
    const opened = (pid: number) => {
      server.pid = pid;
    };
    const sql = openSingle(address, name, merchantOf !== undefined, { opened, fence });
    return { sql, server, recoverOnce: sharedWork(recovering(sql)) };
  };
  let connected = false;
  let givenUp: readonly GivenUp[] = [];
  const givenUpOf = (merchantId: string | undefined) => givenUp.filter((one) => one.merchantId === merchantId);

  const recovering = (sql: Sql) => async (merchantId: string | undefined, isWanted: () => boolean) => {
    const goOn = () => {
      if (!isWanted()) throw new TooLate("nobody waits for it any more");
    };
    const ended = givenUpOf(merchantId);
    await oldSessionGone(sql, name, goOn);
    if (merchantId !== undefined) for (const one of ended) await endedOnWorkerOf(sql, merchantId, one.serverPid, goOn);
    givenUp = givenUp.filter((one) => !ended.includes(one));
  };
  let connection = connect();

  const recover = async ({ recoverOnce }: typeof connection, merchantId: string | undefined, until: number) => {
    // What was given up since it began comes after it.
    while (givenUpOf(merchantId).length > 0) await recoverOnce(merchantId, until);
  };

  /** @param sending is called when from then on the rows may be written */
  const attempt = async (rows: readonly Row[], mayBeThere: boolean, until: number, sending: () => void) => {
    const its = connection;
    const session = its.sql;
    // Until there is a connection nothing is sent, however long that takes.
    if (!connected) await session`select 1`;
    connected = true;
    const merchantId = merchantIdOf(rows);
    // Only before the first try: whoever is refused is told that nothing was written.
    if (merchantId !== undefined && !mayBeThere) await workers.mustAnswer(session, merchantId);
    await recover(its, merchantId, until);
    const found = mayBeThere ? await group.look(session, rows) : [];
    const missing = rows.filter((_, index) => found[index] === undefined);
    sending();
    const written = missing.length > 0 ? await group.statement(session, missing) : [];
    const results = written.values();
    return rows.map((_, index) => found[index] ?? (results.next().value as Result));
  };

  const merchantIdOf = ([first]: readonly Row[]) => (first === undefined ? undefined : merchantOf?.(first));

  const giveUp = (rows: readonly Row[]): void => {
    const merchantId = merchantIdOf(rows);
    if (merchantId !== undefined) workers.suspect(merchantId);
    const serverPid = connection.server.pid;
    if (!givenUpOf(merchantId).some((one) => one.serverPid === serverPid))
      givenUp = [...givenUp, { merchantId, serverPid }];
  };

  const write = async (rows: readonly Row[]): Promise<readonly Result[]> => {
    const deadline = performance.now() + patienceMs;
    let asked = false;
    for (let tries = 0; ; ) {
      const before: boolean = asked;
      let sent = false;
      try {
        const work = attempt(rows, asked, deadline + PAUSE_MS, () => {
          asked = true;
          sent = true;
        });
        return await within(deadline - performance.now() + PAUSE_MS, work);
      } catch (fault) {
        if ((undone(fault) || cancelled(fault)) && ++tries < MOST_TRIES_WHEN_UNDONE) {
          asked = before;
          // Two that were in each other's way are not to meet again at once.
          await sleep(1 + Math.random() * LONGEST_PAUSE_WHEN_UNDONE_MS);
          continue;
        }
        if (!connectionLost(fault) && !(fault instanceof TooLate)) {
          // It is no word about the rows, and they may be there since they were asked for before.
          if (before && !sent) throw new JournalUncertain("what was written cannot be looked up", { cause: fault });
          throw fault;
        }
        connected = false;
        if (sent) giveUp(rows);
        // On Citus a session may live on that lost its worker's: a new one has nothing of what that one left.
        if (fault instanceof TooLate || merchantOf !== undefined) {
          void connection.sql.end({ timeout: 0 });
          connection = connect();
        }
        if (performance.now() >= deadline) {
          if (asked) throw new JournalUncertain("the database went away while it was writing", { cause: fault });
          throw new JournalUnavailable("the database is away", { cause: fault });
        }
        await sleep(PAUSE_MS);
      }
    }
  };

  return {
    write,
    recover: async (merchantId) => {
      const whose = merchantOf && merchantId;
      if (givenUpOf(whose).length === 0) return;
      const recovered = async () => {
        if (whose !== undefined) await workers.mustAnswer(connection.sql, whose);
        await recover(connection, whose, performance.now() + patienceMs);
      };
      await within(patienceMs, recovered()).catch((fault: unknown) => {
        throw fault instanceof TooLate ? new JournalUnavailable("the database is away", { cause: fault }) : fault;
      });
    },
    close: () => connection.sql.end({ timeout: 5 }),
  };
}

/** 57014: somebody had it stopped, since the server's own limit is longer than our patience. It is undone. */
const cancelled = (fault: unknown): boolean => codeOf(fault) === "57014";

class TooLate extends Error {}

/** @param ms for the whole attempt; a database that does not answer is as gone as one that hangs up */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooLate("no answer from the database")), Math.max(ms, 1));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

/**
 * A session that lost its client may still be committing. Nothing can be looked up before it has ended. The server may have other databases
 * with nodes of the same names.
 */
async function oldSessionGone(sql: Sql, name: string, goOn: () => void): Promise<void> {
  for (;;) {
    const left = await sql.begin(async (step) => {
      // A role that takes on another one (set role) ends sessions of its own as itself.
      await step`set local role none`;
      const [ended] = await step<[{ left: number }]>`
        select count(pg_terminate_backend(pid))::int as left from pg_stat_activity
        where datname = current_database() and usename = session_user and application_name = ${name}
          and pid <> pg_backend_pid()`;
      return ended.left;
    });
    if (left === 0) return;
    await sleep(5);
    goOn();
  }
}
