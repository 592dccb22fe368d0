// What a gateway has once on a machine, however many processes it is: the data folder with its lock, and the database with its
// tables.

import type { FastifyBaseLogger } from "fastify";
import { prepareDataFolder } from "./data-folder.ts";
import { lockFolder } from "./folder-lock.ts";
import { misplaced } from "./journal/distribute.ts";
import { placesThere } from "./journal/distribution.ts";
import { migrate, missingMigrations } from "./journal/migrate.ts";
import { type Database, openDatabase } from "./open-database.ts";
import { readSandbox } from "./sandbox.ts";
import type { Settings } from "./settings.ts";
import { StartFault } from "./start-fault.ts";
import type { Undo } from "./undo.ts";

export interface Site {
  readonly database: Database;
  /** From now on, whoever else wants the data folder is told where this gateway listens. */
  listensOn(url: string): void;
}

export interface SiteOptions {
  /** Instead of the one that the settings name: for tests. */
  readonly database?: Database | undefined;
  /** So many connections the embedded database should allow. */
  readonly connections?: number;
}

/** @throws StartFault with one line for the person who starts it */
export async function openSite(
  settings: Settings,
  log: FastifyBaseLogger,
  { database: given, connections }: SiteOptions,
  undo: Undo,
): Promise<Site> {
  const live = settings.mode === "live";
  if (!live || settings.databaseUrl === undefined) prepareDataFolder(settings.dataFolder);
  const folderLock = live ? undefined : await lockFolder(settings.dataFolder);
  undo.push(async () => folderLock?.release());
  if (!live) readSandbox(settings.dataFolder);
  const database = given ?? (await openDatabase(settings, (line) => log.info(line), connections));
  undo.push(database.close);
  await prepareTables(live, database, log);
  return { database, listensOn: (url) => folderLock?.listensOn(url) };
}

async function prepareTables(live: boolean, { pool }: Database, log: FastifyBaseLogger): Promise<void> {
  if (!live) await migrate(pool, (line) => log.info(line));
  // Live mode creates nothing by itself.
  const missing = live ? await missingMigrations(pool) : [];
  if (missing.length > 0) throw new StartFault(`The database lacks ${missing.join(", ")}. Run: npx faregate migrate`);
  // Merchants are moved first: from then on no gateway starts until all is in its place.
  if ((await placesThere(pool)).size === 0) return;
  const left = await misplaced(pool);
  if (left.length > 0)
    throw new StartFault(
      `The database is distributed, and not yet all of it (${left.map(([table]) => table).join(", ")}). ` +
        "Run: npx faregate migrate --distribute",
    );
  log.info("the database is distributed by merchant");
}
