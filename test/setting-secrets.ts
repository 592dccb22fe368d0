// Secrets of processor records, sealed under data keys that exist in memory only.

import { createSecretKey } from "node:crypto";
import type { SettingSecrets } from "../src/merchants/setting-secrets.ts";
import { CannotOpen } from "../src/vault/sealed-bytes.ts";
import { settingVault } from "../src/vault/setting-vault.ts";

export interface KeysInMemory {
  /** Under which is sealed; others open as long as they are not lost. */
  current: number;
  readonly lost: Set<number>;
  readonly secrets: SettingSecrets;
}

export function keysInMemory(): KeysInMemory {
  const keyOf = (id: number) => createSecretKey(Buffer.alloc(32, id));
  const keys: KeysInMemory = {
    current: 1,
    lost: new Set(),
    secrets: settingVault({
      toSeal: async () => ({ id: keys.current, key: keyOf(keys.current) }),
      toOpen: async (id) => {
        if (keys.lost.has(id)) throw new CannotOpen("There is no such data key.");
        return keyOf(id);
      },
    }),
  };
  return keys;
}
