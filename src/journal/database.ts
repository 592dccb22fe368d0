// How the gateway speaks to PostgreSQL: a pool for reading and for the records, and one connection of its own for each
// writer of the journal.

import { userInfo } from "node:os";
import postgres from "postgres";
import { ARRAY_TYPES } from "./array-types.ts";
import { renewedPool } from "./renewed-pool.ts";
import type { Query, Sql } from "./sql/sql.ts";

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

const CONNECT_TIMEOUT_SECONDS = 10;

export interface PoolOptions {
  /** At most. */
  readonly connections?: number;
  /** After which the database gives a statement up. */
  readonly statementTimeoutMs?: number;
}

/** Connections are opened when they are needed. */
export function openPool(
  address: DatabaseAddress,
  name = "faregate",
  { connections = 8, statementTimeoutMs = SESSION.statement_timeout }: PoolOptions = {},
): Sql {
  const connection = { application_name: name, ...SESSION, statement_timeout: statementTimeoutMs };
  return open(address, { max: connections, connection });
}

/** A single connection whose statements are planned once: their shape is always the same, whatever the rows. */
export function openSingle(address: DatabaseAddress, name: string): Sql {
  return open(address, {
    max: 1,
    connection: { application_name: name, plan_cache_mode: "force_generic_plan", ...SESSION },
  });
}

const SESSION = {
  /** Milliseconds; no statement of the gateway takes this long unless the database is in trouble. */
  statement_timeout: 30_000,
  jit: false,
  /** Of all that decides what the server's log shows, this alone is for every user to set. */
  log_parameter_max_length_on_error: 0,
};

function open(address: DatabaseAddress, options: postgres.Options<Record<string, postgres.PostgresType>>): Sql {
  const all = {
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    // A database that was away is looked for again soon, and never more often than this.
    backoff: (retries: number) => Math.min(0.05 * 2 ** Math.min(retries, 5), 1),
    onnotice: () => undefined,
    fetch_types: false,
    types: ARRAY_TYPES,
    // A connection ends when it is lost, and then the pool is another.
    max_lifetime: null,
    ...options,
  };
  const at = typeof address === "string" ? (socketAddress(address) ?? address) : address;
  return renewedPool(
    (events) => (typeof at === "string" ? postgres(at, { ...all, ...events }) : postgres({ ...at, ...all, ...events })),
    connectionLost,
  ) as unknown as Sql;
}

/** `postgres://user@localhost/database?host=/folder`, as libpq writes the folder of a socket: the driver does not know it. */
function socketAddress(url: string): Exclude<DatabaseAddress, string> | undefined {
  const parsed = URL.parse(url);
  const host = parsed?.searchParams.get("host");
  if (!parsed || !host?.startsWith("/")) return undefined;
  return {
    host,
    port: Number(parsed.searchParams.get("port") ?? (parsed.port || 5432)),
    user: decodeURIComponent(parsed.username) || userInfo().username,
    password: decodeURIComponent(parsed.password),
    database: decodeURIComponent(parsed.pathname.slice(1)),
  };
}

/**
 * The rows, which nothing else holds any more. The driver's query assigns closures over itself to its properties; V8 puts
 * such closures among the old objects at once, where they stay until its next full collection with all that the query
 * holds: its arguments, and its rows, 5 kB for each transaction that is read.
 */
export async function rowsOf<Row extends object>(query: Query<Row[]>): Promise<Row[]> {
  try {
    return (await query).splice(0);
  } finally {
    Object.assign(query, LET_GO);
  }
}
const LET_GO = { args: [], parameters: [] };

const CONNECTION_CODES = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "CONNECT_TIMEOUT",
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
  // PostgreSQL, appendix A: class 08 connection exception, 57P01-57P05 shutdown and its like, 53300 too many connections.
  return CONNECTION_CODES.has(code) || /^(08...|57P0[1-5]|53300)$/.test(code);
}

/** Undone by the database, and worth trying again: 40001 serialization failure, 40P01 deadlock. */
export const undone = (fault: unknown): boolean => /^40(001|P01)$/.test(codeOf(fault));

/** 23505: a row with this key is there already. */
export const violates = (fault: unknown, constraint: string): boolean =>
  codeOf(fault) === "23505" &&
  typeof fault === "object" &&
  fault !== null &&
  "constraint_name" in fault &&
  fault.constraint_name === constraint;

/** A data exception or a violated constraint: the fault of a row, not of the database. */
export const faultOfRow = (fault: unknown): boolean => /^2[23]/.test(codeOf(fault));
