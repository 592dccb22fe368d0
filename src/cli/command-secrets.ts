// The secrets of processor records as a command seals and opens them: under the gateways' master key, and no other.

import { dataKeyStore } from "../journal/data-keys.ts";
import type { Sql } from "../journal/database.ts";
import { notedMasterKey } from "../journal/installation.ts";
import { masterKeysOf } from "../master-keys.ts";
import type { SettingSecrets } from "../merchants/setting-secrets.ts";
import type { Settings } from "../settings.ts";
import { type DataKeys, dataKeys } from "../vault/data-keys.ts";
import type { MasterKeys } from "../vault/master-key.ts";
import { type SettingVault, settingVault } from "../vault/setting-vault.ts";
import { Refused } from "./refused.ts";

/** Undefined where no master key is given. It is read when the first secret is sealed or opened. */
export function secretsOfCommand(sql: Sql, settings: Settings, now: () => Date): SettingSecrets | undefined {
  const { mode, masterKeys, masterKeyFile } = settings;
  if (mode === "live" && masterKeys === undefined && masterKeyFile === undefined) return undefined;
  const open = async (): Promise<SettingVault> => {
    return settingVault(await dataKeysOfCommand(sql, settings, now));
  };
  let opened: Promise<SettingVault> | undefined;
  const vault = () => {
    opened ??= open();
    return opened;
  };
  return {
    seal: async (value, place) => (await vault()).seal(value, place),
    open: async (sealed, place) => (await vault()).open(sealed, place),
  };
}

/** @throws Refused where no master key is given, or another than the gateways' */
export async function dataKeysOfCommand(sql: Sql, settings: Settings, now: () => Date): Promise<DataKeys> {
  const store = dataKeyStore(sql, now);
  const keys = masterKeysOf(settings);
  if (keys === undefined)
    throw new Refused("there is no master key: set FAREGATE_MASTER_KEY or FAREGATE_MASTER_KEY_FILE as for the gateway");
  await refuseOtherKeys(sql, keys, (await store.newest())?.masterKeyId);
  return dataKeys(store, keys);
}

/** What another key than the gateways' sealed, no gateway could open. */
async function refuseOtherKeys(sql: Sql, keys: MasterKeys, ofNewestDataKey: string | undefined): Promise<void> {
  const used = ofNewestDataKey ?? (await notedMasterKey(sql));
  if (used !== undefined && keys.find(used) === undefined)
    throw new Refused(
      `the gateways use another master key (${used}; given is ${keys.current().id}): set FAREGATE_MASTER_KEY or ` +
        "FAREGATE_MASTER_KEY_FILE to theirs",
    );
}

/** For commands that ask a record's processor. @throws Refused for a record of which a secret cannot be opened */
export function refuseUnopened(processorId: string, unopened: readonly string[] | undefined): void {
  if (unopened === undefined) return;
  throw new Refused(
    `secrets of processor ${processorId} cannot be opened (${unopened.join(", ")}): set FAREGATE_MASTER_KEY or ` +
      "FAREGATE_MASTER_KEY_FILE as for the gateways; if the key is lost, set the secrets anew",
  );
}
