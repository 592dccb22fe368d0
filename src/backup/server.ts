// A PostgreSQL server on the copy: reached by a socket in the scratch folder alone, with settings of its own instead of those that came
// with the copy. It archives nothing, follows no other server, and loads no extension's workers.

import { closeSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type DatabaseAddress, openPool } from "../journal/database.ts";
import { postmasterOf } from "../journal/embedded/postmaster.ts";
import { openLog, relevantLine } from "../journal/embedded/server-log.ts";
import { BackupFault } from "./fault.ts";
import type { Programs } from "./programs.ts";
import type { Scratch } from "./scratch.ts";

export interface ScratchServer {
  /** As a superuser. */
  address(user: string, database: string): Exclude<DatabaseAddress, string>;
  /** The last file of the write-ahead log that was replayed; undefined: none came from an archive. */
  readonly lastReplayed: string | undefined;
}

const PORT = 5432;
/** The name of the socket follows, and a path has 107 bytes (sockaddr_un). */
const LONGEST_SOCKET_FOLDER = 92;
const POLL_MS = 100;
const SAY_EVERY_MS = 10_000;

/** Over what came with the copy, ALTER SYSTEM included. */
const SETTINGS = {
  listen_addresses: "",
  ssl: "off",
  archive_mode: "off",
  archive_command: "",
  primary_conninfo: "",
  primary_slot_name: "",
  synchronous_standby_names: "",
  shared_preload_libraries: "",
  session_preload_libraries: "",
  local_preload_libraries: "",
  max_logical_replication_workers: "0",
  // Whoever cannot read yet does not ask for as many connections as the original had.
  hot_standby: "off",
  autovacuum: "off",
  // It is lost with this machine anyway.
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  shared_buffers: "64MB",
  max_wal_size: "1GB",
  jit: "off",
  ...{ recovery_target: "", recovery_target_lsn: "", recovery_target_name: "", recovery_target_time: "" },
  ...{ recovery_target_xid: "", recovery_target_timeline: "latest", recovery_target_action: "promote" },
  logging_collector: "off",
  log_destination: "stderr",
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_parameter_max_length_on_error: "0",
};

/**
 * Replays the log to its end, and resolves when the server takes connections.
 * @param env for restore_command
 * @throws BackupFault
 */
export async function startServer(
  scratch: Scratch,
  { folder }: Programs,
  data: string,
  say: (line: string) => void,
  { settings = {}, env = {} }: { readonly settings?: Record<string, string>; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<ScratchServer> {
  const sockets = scratch.own("s");
  if (Buffer.byteLength(sockets) > LONGEST_SOCKET_FOLDER)
    throw new BackupFault(`The path ${sockets} is too long for a socket: name a shorter folder with --scratch.`);
  const files = join(scratch.folder, "hba.conf");
  writeFileSync(files, "local all all trust\n", { mode: 0o644 });
  const config = join(scratch.folder, "server.conf");
  writeFileSync(config, "", { mode: 0o644 });
  const all = {
    ...{ data_directory: data, config_file: config, hba_file: files, ident_file: config },
    ...{ unix_socket_directories: `"${sockets.replaceAll('"', '""')}"`, ...SETTINGS, ...settings },
  };
  const logFile = join(scratch.folder, "server.log");
  const log = openLog(logFile, scratch.owner);
  const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = scratch.start(
    join(folder, "postgres"),
    ["-D", data, "-p", `${PORT}`, ...options],
    ["ignore", log, log],
    env,
  );
  closeSync(log);
  let failed: Error | undefined;
  child.once("error", (fault) => {
    failed = fault;
  });
  const replayed = () =>
    readFileSync(logFile, "utf8")
      .match(/restored log file "[0-9A-F]{24}"/g)
      ?.at(-1)
      ?.slice(19, -1);
  let nextMs = performance.now() + SAY_EVERY_MS;
  while (postmasterOf(data)?.status !== "ready") {
    if (failed !== undefined || child.exitCode !== null || child.signalCode !== null)
      throw new BackupFault(`The copy does not start: ${failed?.message ?? reasonIn(readFileSync(logFile, "utf8"))}.`);
    if (performance.now() > nextMs) {
      nextMs += SAY_EVERY_MS;
      say(`Replaying the write-ahead log: ${replayed() ?? "what the backup brought"} …`);
    }
    await sleep(POLL_MS);
  }
  return {
    address: (user, database) => ({ host: sockets, port: PORT, user, password: "", database }),
    lastReplayed: replayed(),
  };
}

function reasonIn(log: string): string {
  const line = relevantLine(log);
  return /WAL ends before|could not locate (required|a valid) checkpoint|backup label|requested timeline/.test(line)
    ? `${line}; a part of the write-ahead log is missing in the archive`
    : line;
}

/** A role of the copy that may do everything. @throws BackupFault if the database or the role is not in it */
export async function superuserOf(server: ScratchServer, user: string, database: string): Promise<string> {
  const sql = openPool(server.address(user, database), "faregate backup check", { connections: 1 });
  try {
    const [row] = await sql<{ rolname: string }[]>`
      select rolname from pg_roles where rolsuper and rolcanlogin order by oid limit 1`;
    return row?.rolname ?? user;
  } catch (fault) {
    throw new BackupFault(
      `The backup is not of the database that DATABASE_URL names (database ${database}, role ${user}): ` +
        `${fault instanceof Error ? fault.message : String(fault)}.`,
    );
  } finally {
    await sql.end({ timeout: 1 });
  }
}
