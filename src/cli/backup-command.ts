// faregate backup check
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { parse as readUrl } from "pg-connection-string";
import { type BackupCheck, checkBackup, type Source } from "../backup/backup-check.ts";
import { BackupFault } from "../backup/fault.ts";
import type { Names } from "../backup/restored.ts";
import type { Sql } from "../journal/database.ts";
import { masterKeysOf } from "../master-keys.ts";
import type { Settings } from "../settings.ts";
import { reasonOf } from "../start-fault.ts";
import { group, leaf, type Output } from "./command.ts";
import { secretOfSettings, settingsOfCommand, withTables } from "./office.ts";
import { details, print, progress } from "./print.ts";
import { Refused } from "./refused.ts";

interface Given extends Output {
  readonly stanza?: string;
  readonly pgbackrestConfig?: string;
  readonly base?: string;
  readonly wal?: string;
  readonly dump?: string;
  readonly into?: string;
  readonly pgBin?: string;
  readonly scratch: string;
  readonly compare: boolean;
  readonly maxLoss?: number;
}

export function backupCommands(faregate: Command): void {
  const backup = group(faregate, "backup", "Backups of the database.");

  leaf(
    backup,
    "check",
    "Restore the newest backup into a scratch database, and say whether it can be relied on and how much would be lost now.",
    "sudo faregate --env-file /etc/faregate/environment backup check --stanza faregate",
  )
    .option("--stanza <name>", "a stanza of pgBackRest, with its archive")
    .option("--pgbackrest-config <file>", "pgBackRest's configuration, if it is in another place than usual", path)
    .option("--base <folder>", "a base backup of pg_basebackup, or a folder with several", path)
    .option("--wal <folder>", "with --base: the archive of the write-ahead log", path)
    .option("--dump <file>", "a dump of pg_dump, in any of its formats", path)
    .option("--into <url or @file>", "with --dump: an empty database to load it into, which is emptied again")
    .option("--pg-bin <folder>", "PostgreSQL's programs, if they are in another place than usual", path)
    .option("--scratch <folder>", "where there is room for a copy of the database", path, tmpdir())
    .option("--no-compare", "do not ask the running database: nobody says then what would be lost")
    .option("--max-loss <seconds>", "fail if more than this would be lost", seconds)
    .action(async ({ json, maxLoss, ...given }: Given) => {
      const source = sourceOf(given);
      if (!given.compare && maxLoss !== undefined)
        throw new Refused("--max-loss needs the running database", { usage: true });
      const checked = await check(given, source);
      const findings = [...checked.findings, ...lossBeyond(checked, maxLoss)];
      const result = { ...checked, findings };
      print(json, { backup_check: result }, () => inWords(result));
      if (findings.length > 0) throw new Refused(`the backup cannot be relied on: ${findings.join("; ")}`);
    });
}

function sourceOf({ stanza, pgbackrestConfig, base, wal, dump, into, pgBin }: Given): Source {
  const wrong = (text: string) => new Refused(text, { usage: true });
  if ([stanza, base, dump].filter((one) => one !== undefined).length !== 1)
    throw wrong("name one backup: --stanza (pgBackRest), --base (pg_basebackup) or --dump (pg_dump)");
  if (wal !== undefined && base === undefined) throw wrong("--wal is for --base");
  if (into !== undefined && dump === undefined)
    throw wrong("--into is for --dump: other backups are of a whole cluster");
  if (pgbackrestConfig !== undefined && stanza === undefined) throw wrong("--pgbackrest-config is for --stanza");
  if (stanza !== undefined) return { stanza, config: pgbackrestConfig, pgBin };
  if (base !== undefined) return { base, wal, pgBin };
  return { dump: dump ?? "", into: into === undefined ? undefined : urlOf(into), pgBin };
}

function urlOf(given: string): string {
  try {
    return given.startsWith("@") ? readFileSync(given.slice(1), "utf8").trim() : given;
  } catch (error) {
    throw new Refused(`--into: cannot read ${given.slice(1)}: ${reasonOf(error)}`, { usage: true });
  }
}

async function check({ compare, scratch }: Given, source: Source): Promise<BackupCheck> {
  const interrupted = new AbortController();
  const stop = () => interrupted.abort(new Refused("interrupted; the copy is removed"));
  for (const signal of SIGNALS) process.on(signal, stop);
  const restored = (settings: Settings, names: Names, live: Sql | undefined) => {
    const keys = { secret: secretOfSettings(settings), masterKeys: masterKeysOf(settings) };
    return checkBackup({ source, names, keys, scratch, live }, progress, interrupted.signal);
  };
  try {
    if (compare) return await withTables(async (sql, settings) => restored(settings, await namesIn(sql), sql));
    const settings = settingsOfCommand();
    return await restored(settings, namesOf(settings), undefined);
  } catch (fault) {
    if (fault instanceof BackupFault) throw new Refused(withoutPeriod(fault.message));
    throw fault;
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

async function namesIn(sql: Sql): Promise<Names> {
  const [names] = await sql<[Names]>`select current_user::text as user, current_database()::text as database`;
  return names;
}

/** Without asking the database. */
function namesOf({ databaseUrl }: Settings): Names {
  if (databaseUrl === undefined) return { user: "faregate", database: "faregate" };
  const { user, database } = readUrl(databaseUrl.reveal());
  return { user: user || "postgres", database: database || user || "postgres" };
}

function lossBeyond({ would_be_lost: lost }: BackupCheck, maxLoss: number | undefined): readonly string[] {
  if (lost === null || maxLoss === undefined || (lost.seconds !== null && lost.seconds <= maxLoss)) return [];
  return [
    `${lost.seconds === null ? "an unknown time" : `${Math.ceil(lost.seconds)} seconds`} would be lost, and --max-loss is ${maxLoss}`,
  ];
}

function inWords({ findings, ...facts }: BackupCheck): string {
  const { would_be_lost: lost, journal, ...others } = facts;
  const moneyIn = (all: readonly { currency: string; type: string; operations: number; amount: string }[]) =>
    all.map(({ currency, type, operations, amount }) => `${operations} ${type} ${amount} ${currency}`);
  const shown = {
    ...others,
    journal: { ...journal, approved: moneyIn(journal.approved) },
    would_be_lost: lost === null ? "not asked" : { ...lost, approved: moneyIn(lost.approved) },
  };
  return details(
    findings.length === 0
      ? "The backup can be restored."
      : `The backup was restored, and something is wrong:\n${findings.map((finding) => `- ${finding}`).join("\n")}`,
    shown,
  );
}

const path = (text: string): string => resolve(text);

function seconds(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number of seconds.");
  return Number(text);
}

const withoutPeriod = (text: string): string => text.replace(/\.$/, "");
