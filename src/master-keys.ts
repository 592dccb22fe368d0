// The master keys that the settings name: from the environment, from a file, or in the sandbox from a file of the data
// folder that is made at first use. One key a line, 32 bytes as base64: the first wraps new data keys, any of them opens.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { textInFolder, writeWhole } from "./data-folder.ts";
import { arrayOf } from "./journal/columns.ts";
import type { Sql } from "./journal/database.ts";
import { noteMasterKey } from "./journal/installation.ts";
import { refuseOpenKeyFile } from "./key-file.ts";
import type { KindDescription } from "./processors/kind.ts";
import type { Settings } from "./settings.ts";
import { reasonOf, StartFault } from "./start-fault.ts";
import type { DataKeyStore } from "./vault/data-keys.ts";
import {
  fixedMasterKeys,
  localMasterKey,
  MASTER_KEY_BYTES,
  type MasterKey,
  type MasterKeys,
  newMasterKeyText,
} from "./vault/master-key.ts";

const SANDBOX_FILE = "master.key";

/** Undefined in live mode where none is set. @throws StartFault */
export function masterKeysOf(settings: Settings): MasterKeys | undefined {
  const [first, ...others] = settings.masterKeys?.reveal().map(localMasterKey) ?? [];
  if (first !== undefined) return fixedMasterKeys(first, ...others);
  const file = masterKeyFile(settings);
  return file === undefined ? undefined : masterKeysInFile(file);
}

/** A new key in the file, which wraps nothing until it is first. */
export interface AddedMasterKey {
  readonly id: string;
  /** The keys before it go on opening what they wrapped. */
  putFirst(): void;
  /** Of one that was never first. */
  takeBack(): void;
}

/** Puts a new key behind those that the file has, so that gateways can read it before it wraps anything. @throws StartFault */
export function addMasterKey(settings: Settings): AddedMasterKey {
  const file = masterKeyFile(settings);
  if (file === undefined)
    throw new StartFault(
      "The master key is in the environment: put a new one before it (FAREGATE_MASTER_KEY=new,old) for this command and " +
        "for every gateway, restart the gateways, and rotate without --new-master-key.",
    );
  keysIn(file); // a file that is damaged is not made worse
  const key = newMasterKeyText();
  const write = (lines: (others: readonly string[]) => readonly string[]) => {
    try {
      const others = readFileSync(file, "utf8")
        .split(/\s+/)
        .filter((line) => line !== "" && line !== key);
      writeWhole(file, `${lines(others).join("\n")}\n`, statSync(file).mode & 0o777);
    } catch (error) {
      throw new StartFault(`Cannot write the master key file ${file}: ${reasonOf(error)}.`);
    }
  };
  write((others) => [...others, key]);
  return {
    id: masterKeyOf(key, file).id,
    putFirst: () => write((others) => [key, ...others]),
    takeBack: () => write((others) => others),
  };
}

/**
 * Writes down that there is a master key, for commands that know none.
 * @throws StartFault if a processor record needs a master key and there is none, or if the data keys in this database
 * were wrapped by another
 */
export async function checkMasterKeys(
  sql: Sql,
  keys: MasterKeys | undefined,
  { newest }: Pick<DataKeyStore, "newest">,
  kinds: Iterable<KindNeeds>,
): Promise<void> {
  if (keys === undefined) {
    for (const kind of kinds) await refuseToNeedKeys(sql, kind);
    const [stored] = await sql`select id from cards limit 1`;
    if (stored !== undefined) throw needsKey("There are cards on file");
    return;
  }
  const key = await newest();
  if (key !== undefined && keys.find(key.masterKeyId) === undefined)
    throw new StartFault(
      `The card numbers and processors' secrets in this database are sealed under another master key (${key.masterKeyId}; ` +
        `given is ${keys.current().id}). Set FAREGATE_MASTER_KEY or FAREGATE_MASTER_KEY_FILE to the one it was used with, ` +
        "or restore master.key in the data folder.",
    );
  await noteMasterKey(sql, keys.current().id);
}

type KindNeeds = Pick<KindDescription, "name" | "cardNumberSetting" | "secretSettings">;

async function refuseToNeedKeys(sql: Sql, { name, cardNumberSetting, secretSettings }: KindNeeds): Promise<void> {
  const [keeps] = await sql<{ id: string }[]>`
    select id from processors
    where kind = ${name} and enabled and settings -> ${cardNumberSetting ?? ""} = 'true'::jsonb limit 1`;
  if (keeps !== undefined) throw needsKey(`Processor ${keeps.id} has card numbers kept (${cardNumberSetting})`);
  // One that is not sealed yet counts even where its record is not enabled: it is not to stand as it is.
  const [hides] = await sql<{ id: string }[]>`
    select id from processors
    where kind = ${name} and (enabled and sealed_settings <> '{}'
      or settings ?| ${arrayOf(sql, "text", secretSettings)}) limit 1`;
  if (hides !== undefined) throw needsKey(`Processor ${hides.id} has secrets among its settings`);
}

const needsKey = (what: string): StartFault =>
  new StartFault(
    `${what}, and that needs a master key: set FAREGATE_MASTER_KEY to 32 random bytes as base64 (openssl rand -base64 32), ` +
      "or FAREGATE_MASTER_KEY_FILE. If there was one before, it must be the same.",
  );

/** Undefined where the key is in the environment, or there is none. @throws StartFault */
export function masterKeyFile({ mode, masterKeys, masterKeyFile, dataFolder }: Settings): string | undefined {
  if (masterKeys !== undefined) return undefined;
  if (masterKeyFile !== undefined) return masterKeyFile;
  if (mode === "live") return undefined;
  try {
    textInFolder(dataFolder, SANDBOX_FILE, () => `${newMasterKeyText()}\n`);
  } catch (error) {
    throw new StartFault(`Cannot read or create ${join(dataFolder, SANDBOX_FILE)}: ${reasonOf(error)}.`);
  }
  return join(dataFolder, SANDBOX_FILE);
}

/** Read anew when a key is asked for that it did not have: a rotation may have added one. */
function masterKeysInFile(file: string): MasterKeys {
  let keys = keysIn(file);
  // Forgotten only by a restart: whoever damages the file takes nothing from a running gateway.
  const seen = new Map<string, MasterKey>();
  const readAgain = () => {
    for (const id of keys.ids()) {
      const key = keys.find(id);
      if (key !== undefined) seen.set(id, key);
    }
    try {
      keys = keysIn(file);
    } catch (fault) {
      // A running gateway goes on with the keys that it has; its next start says what is wrong with the file.
      if (!(fault instanceof StartFault)) throw fault;
    }
  };
  return {
    current: () => keys.current(),
    find: (id) => {
      if (keys.find(id) === undefined) readAgain();
      return keys.find(id) ?? seen.get(id);
    },
    ids: () => {
      readAgain();
      return keys.ids();
    },
  };
}

function keysIn(file: string): MasterKeys {
  refuseOpenKeyFile(file);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new StartFault(`Cannot read the master key file ${file}: ${reasonOf(error)}.`);
  }
  const keys = text
    .split(/\s+/)
    .filter((line) => line !== "")
    .map((line) => masterKeyOf(line, file));
  const [first, ...others] = keys;
  if (first === undefined) throw damaged(file);
  return fixedMasterKeys(first, ...others);
}

function masterKeyOf(line: string, file: string): MasterKey {
  const bytes = Buffer.from(line, "base64");
  if (bytes.length !== MASTER_KEY_BYTES || bytes.toString("base64") !== line) throw damaged(file);
  return localMasterKey(bytes);
}

const damaged = (file: string): StartFault =>
  new StartFault(
    `The master key file ${file} is damaged: each line must hold ${MASTER_KEY_BYTES} bytes as base64. Restore it from a ` +
      "backup; card numbers and processors' secrets that were sealed cannot be opened without it.",
  );
