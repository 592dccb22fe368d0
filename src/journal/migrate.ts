// Brings the database's tables to what this version of Faregate needs, by the SQL files in migrations/, oldest first.
// Each is applied once, together with its row in schema_migrations; nothing is ever taken back.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StartFault } from "../start-fault.ts";
import { codeOf, type Sql, undone } from "./database.ts";
import { placesThere } from "./distribution.ts";
import { indexesBesideSales, type NewIndex, statementsOf } from "./migration-text.ts";
import { inTurn, SILENT_MS, type Turn, turnLost } from "./migration-turn.ts";
import type { TransactionSql } from "./sql/sql.ts";

const FOLDER = join(import.meta.dirname, "migrations");
const OLDEST_POSTGRES = 15;
/** Any number will do, as long as every Faregate takes the same: "fare" in ASCII. */
const LOCK = 0x66617265;

/** Lost again and again, it is not ours to have. */
const MOST_TURNS = 3;

/**
 * Applies what is missing. Safe on several nodes at once: one applies it all, the others wait for it.
 * @param log told of what will be applied, in one line, and of each that takes long: some do on big tables
 * @throws StartFault for a PostgreSQL too old, a database of a newer Faregate, a user who may not create tables, or tables that others
 * hold for minutes
 */
export async function migrate(
  pool: Sql,
  log: (line: string) => void = () => undefined,
  folder = FOLDER,
): Promise<{ applied: string[] }> {
  const applied: string[] = [];
  // Who may not create tables may still start where there is nothing to create.
  for (let turns = 1; (await missingMigrations(pool, folder)).length > 0; turns++) {
    try {
      await inTurn(
        pool,
        () => log("Another node migrates the database: waiting for it"),
        (turn) => applyMissing(pool, turn, folder, log, applied),
      );
    } catch (error) {
      // 42501 insufficient privilege: since PostgreSQL 15 only the owner of a database may create tables in it.
      if (codeOf(error) === "42501") throw new StartFault(`${await whoami(pool)} may not create tables: ${RIGHTS}`);
      if (!turnLost(error) || turns === MOST_TURNS) throw error;
    }
  }
  if (applied.length > 0) await analyze(pool);
  return { applied };
}

/** @param applied gets the name of each as soon as it is */
async function applyMissing(
  pool: Sql,
  turn: Turn,
  folder: string,
  log: (line: string) => void,
  applied: string[],
): Promise<void> {
  const missing = await turn.beside(() =>
    locked(pool, async (sql) => {
      await sql`create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null)`;
      return missingOf(await appliedNames(sql), folder); // throws before anything is applied to a newer database
    }),
  );
  const distributed = (await placesThere(pool)).get("transactions") === "distributed";
  if (missing.length > 0) log(`Migrating the database: ${inShort(missing)}`);
  for (const name of missing) {
    const slow = setTimeout(() => log(`Still migrating the database: ${name}`), SLOW_MS);
    const text = readFileSync(join(folder, `${name}.sql`), "utf8");
    const indexes = indexesBesideSales(text);
    const done = await untilLetIn((patient) =>
      indexes === undefined
        ? turn.beside(() => applyOnce(pool, name, distributed ? statementsOf(text) : [text], patient))
        : buildBesideSales(turn.session, name, indexes),
    ).finally(() => clearTimeout(slow));
    if (done) applied.push(name);
  }
}

const SLOW_MS = 5_000;

/** `0001-journal to 0046-undecided (46)` */
const inShort = (names: readonly string[]): string =>
  names.length <= 2 ? names.join(", ") : `${names[0]} to ${names.at(-1)} (${names.length})`;

/** Behind a lock that a migration waits for, every sale waits too: so it waits for a moment only, lets them go on, and tries again. */
const LOCK_WAIT_MS = 200;
/** An autovacuum gives way only to who has waited for longer than `deadlock_timeout`: so every fifth attempt does. */
const PATIENT_EACH = 5;
const PAUSE_MS = 300;
const PATIENCE_MS = 10 * 60_000;

async function untilLetIn<T>(attempt: (patient: boolean) => Promise<T>): Promise<T> {
  const since = performance.now();
  for (let nth = 1; ; nth++, await sleep(PAUSE_MS)) {
    try {
      return await attempt(nth % PATIENT_EACH === 0);
    } catch (fault) {
      if (!heldByOthers(fault)) throw fault;
      if (performance.now() - since > PATIENCE_MS) throw new StartFault(HELD);
    }
  }
}

/**
 * @param parts on Citus one statement each: it sends a worker the whole text in which a statement stands, which takes one statement
 * @returns false if it is there already
 */
const applyOnce = (pool: Sql, name: string, parts: readonly string[], patient: boolean): Promise<boolean> =>
  locked(pool, async (sql) => {
    if ((await appliedNames(sql)).includes(name)) return false;
    const waitMs = LOCK_WAIT_MS + (patient ? await deadlockTimeoutMs(sql) : 0);
    await sql.unsafe(`set local lock_timeout = ${waitMs}`);
    for (const part of parts) await sql.unsafe(part);
    await sql`insert into schema_migrations (name, applied_at) values (${name}, now())`;
    return true;
  });

/** By the session that has the turn, so that nobody else begins while the server is still at it. What was cut off is built anew. */
async function buildBesideSales(
  sql: TransactionSql,
  migration: string,
  indexes: readonly NewIndex[],
): Promise<boolean> {
  for (const { name, statement } of indexes) {
    const [there] = await sql<{ valid: boolean }[]>`
      select indisvalid as valid from pg_index where indexrelid = to_regclass(${name}::text)`;
    if (there?.valid === false) await sql.unsafe(`drop index concurrently ${name}`);
    await sql.unsafe(statement);
  }
  const { count } = await sql`
    insert into schema_migrations (name, applied_at) values (${migration}, now()) on conflict do nothing`;
  return count === 1;
}

async function deadlockTimeoutMs(sql: TransactionSql): Promise<number> {
  const [row] = await sql<{ ms: number }[]>`select setting::int as ms from pg_settings where name = 'deadlock_timeout'`;
  return row?.ms ?? 0;
}

/** 55P03 lock not available. */
const heldByOthers = (fault: unknown): boolean => codeOf(fault) === "55P03" || undone(fault);

const HELD =
  "Somebody has held a table that is to be migrated for ten minutes: pg_stat_activity shows who has been in a transaction since then " +
  "(an autovacuum that prevents wraparound does so too). End it or let it end, and start again; what was migrated so far stays.";

const RIGHTS = "make this user the owner of the database (ALTER DATABASE … OWNER TO …), or migrate as the user who is.";

/**
 * The migrations that this version needs and the database lacks, oldest first.
 * @throws StartFault for a PostgreSQL too old or a database of a newer Faregate
 */
export async function missingMigrations(pool: Sql, folder = FOLDER): Promise<string[]> {
  await checkPostgres(pool);
  const [found] = await pool`select to_regclass('schema_migrations') is not null as there`;
  return missingOf(found?.there ? await appliedNames(pool) : [], folder);
}

function missingOf(applied: readonly string[], folder: string): string[] {
  const known = namesIn(folder);
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new StartFault(
      `The database was migrated by a newer Faregate (${unknown.join(", ")}). ` +
        "Start that version or a later one, or restore the backup made before it.",
    );
  }
  return known.filter((name) => !applied.includes(name));
}

const namesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .map((file) => file.slice(0, -".sql".length))
    .sort();

async function appliedNames(sql: Sql | TransactionSql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select name from schema_migrations order by name`;
  return rows.map(({ name }) => name);
}

async function checkPostgres(pool: Sql): Promise<void> {
  const [row] = await pool<{ number: number; version: string }[]>`
    select current_setting('server_version_num')::integer as number, current_setting('server_version') as version`;
  if (row === undefined || row.number < OLDEST_POSTGRES * 10_000) {
    throw new StartFault(
      `The database is PostgreSQL ${row?.version}, and Faregate needs ${OLDEST_POSTGRES} or later: upgrade it.`,
    );
  }
}

/** In one transaction that nobody else's migration runs beside, however long it takes: unless it is silent, and sales wait behind it. */
function locked<T>(pool: Sql, work: (sql: TransactionSql) => Promise<T>): Promise<T> {
  return pool.begin(async (sql) => {
    await sql`set local statement_timeout = 0`;
    await sql.unsafe(`set local idle_in_transaction_session_timeout = ${SILENT_MS}`);
    await sql`select pg_advisory_xact_lock(${LOCK})`;
    return work(sql);
  }) as Promise<T>;
}

/** The planner takes a table that was never analyzed for a big one, and its plans then cost twice. */
async function analyze(pool: Sql): Promise<void> {
  await pool.begin(async (sql) => {
    await sql`set local statement_timeout = 0`;
    const tables = await sql<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = current_schema() and tableowner = current_user`;
    for (const { name } of tables) await sql`analyze ${sql(name)}`;
  });
}

async function whoami(pool: Sql): Promise<string> {
  const [row] = await pool<{ user: string }[]>`select current_user as user`;
  return `The database user ${row?.user}`;
}
