// How the gateway speaks to PostgreSQL: a pool for reading and for the records, and one connection of its own for each
// writer of the journal.

import { userInfo } from "node:os";
import type { ClientConfig } from "pg";
import { parse as readUrl, toClientConfig } from "pg-connection-string";
import { openSql } from "./sql/client.ts";
import type { Sql } from "./sql/sql.ts";

export type { Sql } from "./sql/sql.ts";

/** Where the database is: a URL, or the socket of the embedded server. */
export type DatabaseAddress =
  | string
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
    };

export interface PoolOptions {
  /** At most. */
  readonly connections?: number;
  /** After which the database gives a statement up. */
  readonly statementTimeoutMs?: number;
  /** After which a database that says nothing is given up: a little more. */
  readonly deadlineMs?: number;
  /** For a connection to begin. */
  readonly connectTimeoutMs?: number;
  /** For a free connection. */
  readonly waitMs?: number;
  readonly mostWaiting?: number;
  /** Told of each connection: the server's process for it. */
  readonly opened?: ((serverPid: number) => void) | undefined;
  readonly fence?: SessionFence | undefined;
}

/** Keeps a session from writing and from looking for work where the database may be older than it was. */
export interface SessionFence {
  /** An SQL expression: which history of the database the session is on, or null on a standby. */
  readonly lineage: string;
  /** @throws where nothing may be done on this history now */
  readonly began: (lineage: string | null) => void;
}

/** Connections are opened when they are needed. */
export const openPool = (address: DatabaseAddress, name = "faregate", options: PoolOptions = {}): Sql =>
  open(address, name, {}, options);

/**
 * A single connection whose statements are planned once: their shape is always the same, whatever the rows.
 * @param distributed then each is planned for its merchant, since the plan says where the merchant's rows are; and a group is several
 * statements, so a node that stops between two of them holds the merchant's rows
 */
export const openSingle = (
  address: DatabaseAddress,
  name: string,
  distributed = false,
  { opened, fence }: Pick<PoolOptions, "opened" | "fence"> = {},
): Sql =>
  open(address, name, distributed ? OF_ONE_MERCHANT : { plan_cache_mode: "force_generic_plan" }, {
    connections: 1,
    ...{ opened, fence },
  });

/** No statement of the gateway takes this long unless the database is in trouble. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** For the server's own word that it stopped a statement. */
const GRACE_MS = 5_000;
const CONNECT_TIMEOUT_MS = 10_000;
const WAIT_MS = 10_000;
const MOST_WAITING = 10_000;

/** Over whatever the server, the database or the role has: what is read and written must not depend on it. */
const SESSION = {
  /** As values.ts reads them. */
  datestyle: "ISO",
  timezone: "UTC",
  bytea_output: "hex",
  default_transaction_isolation: "read committed",
  /** Whoever must not wait says so itself. */
  lock_timeout: 0,
  idle_session_timeout: 0,
  jit: "off",
  /** Of all that decides what the server's log shows, this alone is for every user to set. */
  log_parameter_max_length_on_error: 0,
  /** Milliseconds. A transaction that nobody goes on with gives its locks back. */
  idle_in_transaction_session_timeout: 60_000,
};

/**
 * What is off is on, and neither a change of the role, which new sessions follow, nor of the server, which all do, makes it off again: what a
 * gateway has answered would be lost in a crash. More than on, where a standby is waited for, stays.
 */
const KEEPS_WHAT_IS_COMMITTED =
  "select set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), false)";

const onLineage = (row: object | undefined): string | null =>
  row !== undefined && "lineage" in row && typeof row.lineage === "string" ? row.lineage : null;

/** Half of what a write waits for: whoever waits for rows that a stopped node holds gets them in time. */
const OF_ONE_MERCHANT = { plan_cache_mode: "auto", idle_in_transaction_session_timeout: 5_000 };

function open(
  address: DatabaseAddress,
  name: string,
  parameters: Readonly<Record<string, string | number>>,
  { connections = 8, statementTimeoutMs = STATEMENT_TIMEOUT_MS, fence, ...bounds }: PoolOptions,
): Sql {
  const session = { ...SESSION, statement_timeout: statementTimeoutMs, ...parameters };
  const options = Object.entries(session).map(([name, value]) => `-c ${name}=${String(value).replace(" ", "\\ ")}`);
  const config = typeof address === "string" ? configOf(address) : { ...address };
  return openSql({
    config: { ...config, application_name: name, options: [config.options, ...options].filter(Boolean).join(" ") },
    first: fence ? `${KEEPS_WHAT_IS_COMMITTED}, ${fence.lineage} as lineage` : KEEPS_WHAT_IS_COMMITTED,
    began: fence && ((row) => fence.began(onLineage(row))),
    connectTimeoutMs: bounds.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    deadlineMs: bounds.deadlineMs ?? statementTimeoutMs + GRACE_MS,
    most: connections,
    waitMs: bounds.waitMs ?? WAIT_MS,
    mostWaiting: bounds.mostWaiting ?? MOST_WAITING,
    opened: bounds.opened,
  });
}

/** As libpq reads it, with `sslmode` and `host=/folder` for a socket; without a name it is the system's user. */
function configOf(url: string): ClientConfig {
  const config = toClientConfig(readUrl(url, { useLibpqCompat: true }));
  return { ...config, user: config.user || userInfo().username };
}

const CONNECTION_CODES = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECT_TIMEOUT",
  "TLS_NOT_THERE",
  "STATEMENT_DEADLINE",
  "CONNECTIONS_BUSY",
  "OTHER_LINEAGE",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
]);

/** PostgreSQL's SQLSTATE, or the code of the driver or the system. */
export const codeOf = (fault: unknown): string =>
  typeof fault === "object" && fault !== null && "code" in fault ? String(fault.code) : "";

/** The database went away: what was asked of it may or may not have been done. */
export function connectionLost(fault: unknown): boolean {
  const code = codeOf(fault);
  // PostgreSQL, appendix A: class 08 connection exception, 25P03 idle in a transaction for too long, 57P01-57P05 shutdown and its like,
  // 53300 too many connections.
  return CONNECTION_CODES.has(code) || /^(08...|25P03|57P0[1-5]|53300)$/.test(code) || workerLost(fault);
}

/** Citus lost a worker, perhaps while that committed: nobody knows whether it did. */
const workerLost = (fault: unknown): boolean =>
  fault instanceof Error && (LOST_AS[codeOf(fault)]?.test(fault.message) ?? false);

/**
 * The words of Citus, and those of libpq about a connection that broke, with and without TLS. 58030 is an I/O error: here of the wire to a
 * worker, on which rows that a statement inserts are copied there.
 */
const LOST_AS: Readonly<Record<string, RegExp>> = {
  XX000: new RegExp(
    [
      ...["could not commit transaction", "failed to prepare transaction", "connection marked as essential"],
      ...["server closed the connection", "connection not open", "no connection to the server"],
      ...["could not (receive data from|send data to) server", "lost synchronization with server"],
      ...["SSL (SYSCALL )?error: ", "SSL connection has been closed"],
    ].join("|"),
  ),
  "58030": /^failed to COPY to /,
};

/**
 * The database is there, and undid what it cannot write now: 53100 disk full, 53200 out of memory, 25006 a read-only transaction, as of a
 * standby after a failover.
 */
export const cannotWrite = (fault: unknown): boolean => /^(53[12]00|25006)$/.test(codeOf(fault));

/** Undone by the database, and worth trying again: 40001 serialization failure, 40P01 deadlock. */
export const undone = (fault: unknown): boolean => /^40(001|P01)$/.test(codeOf(fault));

/**
 * 23505: a row with this key is there already. On Citus the name of the constraint ends in its shard's number. It may stand in the words
 * alone, which are all that there is of what a worker said while rows were moved to it (XX000).
 */
export function violates(fault: unknown, constraint: string): boolean {
  if (!(fault instanceof Error) || !["23505", "XX000"].includes(codeOf(fault))) return false;
  const named = "constraint_name" in fault ? fault.constraint_name : undefined;
  const name = named ?? /violates unique constraint "(\w+)"/.exec(fault.message)?.[1] ?? "";
  return new RegExp(`^${constraint}(_\\d+)?$`).test(String(name));
}

/** A data exception or a violated constraint: the fault of a row, not of the database. As XX000 it comes from a worker of Citus. */
export const faultOfRow = (fault: unknown): boolean => /^(2[23]...|XX000)$/.test(codeOf(fault)) && !workerLost(fault);
