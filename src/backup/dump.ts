// A dump of pg_dump, in each of its formats, loaded into a new cluster or into an empty database that the operator names.

import { closeSync, createReadStream, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { parse as readUrl } from "pg-connection-string";
import { type DatabaseAddress, openPool } from "../journal/database.ts";
import { reasonOf } from "../start-fault.ts";
import { BackupFault } from "./fault.ts";
import { findPrograms, type Program, type Programs } from "./programs.ts";
import type { Names, Restored } from "./restored.ts";
import { type Ended, gigabytes, type Scratch } from "./scratch.ts";
import { startServer } from "./server.ts";

export interface DumpSource {
  readonly dump: string;
  /** The URL of an empty database, which is emptied again. */
  readonly into?: string | undefined;
  readonly pgBin?: string | undefined;
}

type Form = "archive" | "folder" | "plain" | "gzip";

/** @throws BackupFault */
export async function restoreDump(
  scratch: Scratch,
  names: Names,
  { dump, into, pgBin }: DumpSource,
  say: (line: string) => void,
): Promise<Restored> {
  const form = formOf(dump);
  const loader: Program = form === "plain" || form === "gzip" ? "psql" : "pg_restore";
  const programs = findPrograms(into === undefined ? ["postgres", "initdb", loader] : [loader], {
    ...{ owner: scratch.owner, base: scratch.folder, ...(pgBin !== undefined && { given: pgBin }) },
  });
  const { size, mtime } = statSync(dump);
  const address = into ?? (await newCluster(scratch, programs, names, say));
  say(`Loading ${dump}${form === "folder" ? "" : ` (${gigabytes(size)})`} …`);
  await load(scratch, join(programs.folder, loader), dump, form, targetOf(address), say);
  return {
    backup: {
      ...{ kind: "dump", name: dump, finished_at: mtime.toISOString(), bytes: size },
      postgresql: await versionOf(address),
    },
    address,
    findings: [],
  };
}

const PLAIN_BYTES = 5;

function formOf(dump: string): Form {
  try {
    if (statSync(dump).isDirectory()) return "folder";
    const file = openSync(dump, "r");
    const head = Buffer.alloc(PLAIN_BYTES);
    readSync(file, head, 0, PLAIN_BYTES, 0);
    closeSync(file);
    if (head.readUInt16BE(0) === 0x1f8b) return "gzip";
    return /^(--|\/\*|\\|SET|\s)/.test(head.toString("latin1")) ? "plain" : "archive";
  } catch (error) {
    throw new BackupFault(`Cannot read ${dump}: ${reasonOf(error)}.`);
  }
}

async function newCluster(
  scratch: Scratch,
  programs: Programs,
  { user, database }: Names,
  say: (line: string) => void,
): Promise<DatabaseAddress> {
  const data = scratch.own("data");
  const parameters = ["-D", data, "-U", SUPERUSER, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
  const { code, stderr } = await scratch.run(join(programs.folder, "initdb"), parameters);
  if (code !== 0) throw new BackupFault(`Cannot create a cluster: ${stderr.trim().split("\n").at(-1)}.`);
  const server = await startServer(scratch, programs, data, say);
  const sql = openPool(server.address(SUPERUSER, "postgres"), "faregate backup check", { connections: 1 });
  try {
    // A plain dump names it as the owner of what it creates.
    if (user !== SUPERUSER) await sql`create role ${sql(user)} superuser login`;
    if (database !== "postgres") await sql`create database ${sql(database)} owner ${sql(user)}`;
  } finally {
    await sql.end({ timeout: 1 });
  }
  return server.address(user, database);
}

const SUPERUSER = "postgres";

/** In the environment, where other users do not see a password. */
function targetOf(address: DatabaseAddress): NodeJS.ProcessEnv {
  if (typeof address !== "string")
    return { PGHOST: address.host, PGPORT: `${address.port}`, PGUSER: address.user, PGDATABASE: address.database };
  const { host, port, user, password, database, sslmode, sslrootcert } = readUrl(address) as Record<string, unknown>;
  const all = { PGHOST: host, PGPORT: port, PGUSER: user, PGPASSWORD: password, PGDATABASE: database };
  const tls = { PGSSLMODE: sslmode, PGSSLROOTCERT: sslrootcert };
  return Object.fromEntries(
    Object.entries({ ...all, ...tls }).flatMap(([name, value]) => (value ? [[name, String(value)]] : [])),
  );
}

const SAY_EVERY_MS = 10_000;

/** @throws BackupFault with the first complaint */
async function load(
  scratch: Scratch,
  program: string,
  dump: string,
  form: Form,
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<void> {
  const complaints: string[] = [];
  let nextMs = performance.now() + SAY_EVERY_MS;
  const line = (text: string) => {
    if (ERROR.test(text) && !MISSING_ROLE.test(text)) complaints.push(text);
    const [, table] = /processing data for table "([^"]+)"/.exec(text) ?? [];
    if (table === undefined || performance.now() < nextMs) return;
    nextMs = performance.now() + SAY_EVERY_MS;
    say(`Loading ${table} …`);
  };
  const { code, stderr } = await run(scratch, program, dump, form, { env, line });
  const complaint = complaints.at(0) ?? (code === 0 ? undefined : stderr.trim().split("\n").at(-1));
  if (complaint !== undefined)
    throw new BackupFault(`${dump} cannot be loaded: ${complaint.replace(/^.*?\b(ERROR|error|FATAL|fatal): +/, "")}.`);
}

const ERROR = /\b(ERROR|error|FATAL|fatal): /;
/** Roles are the cluster's, and not in a dump: what is granted to one that is not here does not matter. */
const MISSING_ROLE = /role "[^"]*" does not exist/;

async function run(
  scratch: Scratch,
  program: string,
  dump: string,
  form: Form,
  options: { readonly env: NodeJS.ProcessEnv; readonly line: (text: string) => void },
): Promise<Ended> {
  const { PGDATABASE: database = "" } = options.env;
  const archive = ["--dbname", database, "--no-owner", "--no-privileges", "--exit-on-error", "--verbose"];
  const plain = ["--no-psqlrc", "--quiet", "--output=/dev/null"];
  if (form === "folder") return scratch.run(program, [...archive, dump], { ...options, asSelf: true });
  if (form === "gzip") {
    const fed = scratch.feed(program, plain, options);
    const read = await pipeline(createReadStream(dump), createGunzip(), fed.stdin).catch((fault: unknown) => fault);
    const ended = await fed.ended;
    if (read !== undefined && ended.code === 0) throw new BackupFault(`Cannot read ${dump}: ${reasonOf(read)}.`);
    return ended;
  }
  const stdin = openSync(dump, "r");
  try {
    return await scratch.run(program, form === "plain" ? plain : archive, { ...options, stdin });
  } finally {
    closeSync(stdin);
  }
}

async function versionOf(address: DatabaseAddress): Promise<string> {
  const sql = openPool(address, "faregate backup check", { connections: 1 });
  try {
    const [row] = await sql<[{ version: string }]>`select current_setting('server_version_num') as version`;
    return row.version.slice(0, -4);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** @throws BackupFault if there is anything in it, or it cannot be reached */
export async function requireEmpty(url: string): Promise<void> {
  const sql = openPool(url, "faregate backup check", { connections: 1 });
  try {
    const [row] = await sql<[{ found: string | null }]>`
      select min(c.relname) as found from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'`;
    if (row.found !== null)
      throw new BackupFault(
        `The database that --into names is not empty (it has ${row.found}): create a new one for the check.`,
      );
  } catch (fault) {
    if (fault instanceof BackupFault) throw fault;
    throw new BackupFault(`Cannot use the database that --into names: ${fault instanceof Error ? fault.message : ""}.`);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** What a check has loaded into it. */
export async function emptyAgain(url: string): Promise<void> {
  const sql = openPool(url, "faregate backup check", { connections: 1 });
  try {
    const made = await sql<{ drop: string }[]>`
      select format('drop %s if exists %s cascade', case relkind when 'S' then 'sequence' when 'v' then 'view'
        when 'm' then 'materialized view' else 'table' end, oid::regclass) as drop
      from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
      union all
      select format('drop routine if exists %s cascade', oid::regprocedure) from pg_proc
      where pronamespace = 'public'::regnamespace
      union all
      select format('drop type if exists %s cascade', oid::regtype) from pg_type
      where typnamespace = 'public'::regnamespace and typtype in ('e', 'd')`;
    for (const { drop } of made) await sql.unsafe(drop);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
