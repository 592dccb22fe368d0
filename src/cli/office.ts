// The database as a command works on it: opened by the same settings as the gateway's, and closed when the command ends.
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { dataFolderSecret, prepareDataFolder } from "../data-folder.ts";
import { type CheckoutTokens, checkoutTokens } from "../gateway/checkout-tokens.ts";
import type { Sql } from "../journal/database.ts";
import { existingPlace } from "../journal/embedded/place.ts";
import { checkSecret, clockOffset, notedMasterKey } from "../journal/installation.ts";
import { missingMigrations } from "../journal/migrate.ts";
import { auditKeyOf } from "../merchants/audit-chain.ts";
import type { Author, Backoffice } from "../merchants/backoffice.ts";
import { type Database, openDatabase } from "../open-database.ts";
import { personKeys } from "../people/keys.ts";
import { passwords } from "../people/passwords.ts";
import type { PeopleOffice } from "../people/people.ts";
import { PROCESSOR_KINDS } from "../processors/kinds.ts";
import { readSettings, type Settings } from "../settings.ts";
import type { SealingOffice } from "../webhooks/endpoints.ts";
import { sealing } from "../webhooks/secrets.ts";
import { secretsOfCommand } from "./command-secrets.ts";
import { progress } from "./print.ts";
import { Refused } from "./refused.ts";

/** Without DATABASE_URL the embedded server is used: the gateway's if one runs, else it is started for the command. */
export async function withDatabase<T>(work: (pool: Sql, settings: Settings) => Promise<T>): Promise<T> {
  const settings = settingsOfCommand();
  if (settings.databaseUrl === undefined) requireSandbox(settings.dataFolder);
  const opening = settings.databaseUrl === undefined ? "Starting the database" : "Connecting to the database";
  let ended = false;
  // That a gateway's server is left to the gateway afterwards goes without saying.
  const say = (line: string) => (ended ? undefined : progress(line));
  const database = await sayIfSlow(opening, () => openDatabase(settings, say));
  try {
    return await work(database.pool, settings);
  } finally {
    ended = true;
    await sayIfSlow(closingOf(database), () => database.close());
  }
}

/** Only a start makes a sandbox: a command that lost its DATABASE_URL would work on an empty one. */
function requireSandbox(dataFolder: string): void {
  if (!existsSync(dataFolder) || existingPlace(dataFolder) === undefined)
    throw new Refused(
      `DATABASE_URL is not set, and there is no sandbox in ${dataFolder}: set DATABASE_URL (--env-file reads it from a file), ` +
        "name the sandbox's folder in FAREGATE_DATA, or make one with: faregate start",
    );
  prepareDataFolder(dataFolder);
}

/** A gateway's database stays up. */
export const closingOf = ({ startedServer }: Database): string =>
  startedServer ? "Closing the database" : "Disconnecting from the database";

/** For all commands but `migrate`: the tables must be there. */
export function withTables<T>(work: (pool: Sql, settings: Settings) => Promise<T>): Promise<T> {
  return withDatabase(async (sql, settings) => {
    const missing = await missingMigrations(sql);
    if (missing.length > 0)
      throw new Refused(`the database is not ready (it lacks ${missing.join(", ")}): run faregate migrate`);
    return work(sql, settings);
  });
}

export function withOffice<T>(
  work: (office: Backoffice, author: Author, settings: Settings) => Promise<T>,
): Promise<T> {
  return withTables(async (sql, settings) => {
    const { mode } = settings;
    // The sandbox's clock runs ahead of real time.
    const offsetMs = mode === "sandbox" ? await clockOffset(sql) : 0;
    const clock = { now: () => new Date(Date.now() + offsetMs) };
    const auditKey = async () => auditKeyOf(await secretOfCommand(sql, settings));
    const canSeal = mode === "sandbox" || (await notedMasterKey(sql)) !== undefined;
    const secrets = secretsOfCommand(sql, settings, () => clock.now());
    const office = { sql, clock, mode, kinds: PROCESSOR_KINDS, canSeal, secrets, auditKey };
    return work(office, { actor: `command line ${userName()}`, source: SOURCE }, settings);
  });
}

/** For the few commands that seal something: with the secret that the gateways of this database use. */
export function withSealing<T>(work: (office: SealingOffice, author: Author) => Promise<T>): Promise<T> {
  return withOffice(async (office, author, settings) =>
    work({ ...office, sealing: sealing(await secretOfCommand(office.sql, settings)) }, author),
  );
}

/** For the secret of payers' returns. */
export function withReturns<T>(
  work: (office: Backoffice, author: Author, secretOf: CheckoutTokens["returnSecret"]) => Promise<T>,
): Promise<T> {
  return withOffice(async (office, author, settings) =>
    work(office, author, checkoutTokens(await secretOfCommand(office.sql, settings)).returnSecret),
  );
}

/** For commands on people, whose tries to sign in are counted under names that the secret makes. */
export function withPeople<T>(work: (office: PeopleOffice, author: Author) => Promise<T>): Promise<T> {
  return withOffice(async (office, author, settings) => {
    const keys = personKeys(await secretOfCommand(office.sql, settings));
    return work({ ...office, passwords: passwords(settings.mode), personKeys: keys }, author);
  });
}

/** For apply, which creates all kinds of records. */
export function withDeclaring<T>(
  work: (office: SealingOffice & PeopleOffice, author: Author) => Promise<T>,
): Promise<T> {
  return withOffice(async (office, author, settings) => {
    const secret = await secretOfCommand(office.sql, settings);
    const ofPeople = { passwords: passwords(settings.mode), personKeys: personKeys(secret) };
    return work({ ...office, ...ofPeople, sealing: sealing(secret) }, author);
  });
}

const SOURCE = "command line";

const SLOW_MS = 1_000;

async function sayIfSlow<T>(what: string, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => progress(`${what} …`), SLOW_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** The gateways' own: changes are sealed into the audit log with keys made of it, and so are webhooks' secrets. */
export async function secretOfCommand(sql: Sql, settings: Settings): Promise<Buffer> {
  const used = secretOfSettings(settings);
  await checkSecret(sql, used);
  return used;
}

/** Nobody has looked whether it is the database's. @throws Refused where there is none */
export function secretOfSettings({ secret, mode, dataFolder }: Settings): Buffer {
  const given = secret?.reveal();
  if (given === undefined && mode === "live")
    throw new Refused("FAREGATE_SECRET is not set: set it to the gateway's own, which seals the audit log");
  if (given === undefined) prepareDataFolder(dataFolder);
  return given ?? dataFolderSecret(dataFolder);
}

/** @throws Refused */
export function settingsOfCommand(): Settings {
  const read = readSettings(process.env, "looks");
  if (!read.ok) throw new Refused(read.problems.join("; "));
  return read.settings;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`; // a container's user may have no name
  }
}
