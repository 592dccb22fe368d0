// Seals and opens the secrets among the settings of processor records, under the data keys that also seal card numbers. A sealed
// secret is bound to its record and its name: moved to another one, or with any bit changed, it does not open.

import type { DataKeys } from "./data-keys.ts";
import { CannotOpen, openBytes, sealBytes } from "./sealed-bytes.ts";

export interface SealedSetting {
  readonly keyId: number;
  readonly sealed: Buffer;
}

export interface PlaceOfSetting {
  readonly merchantId: string;
  readonly processorId: string;
  /** `secret_key` */
  readonly name: string;
}

export interface SettingVault {
  /** @param value as JSON has it */
  seal(value: unknown, place: PlaceOfSetting): Promise<SealedSetting>;
  /** Undefined: it was changed or moved, or its key is not there. */
  open(sealed: SealedSetting, place: PlaceOfSetting): Promise<unknown>;
}

/** Seals and opens settings under data keys. */
export const settingVault = (keys: DataKeys): SettingVault => ({
  async seal(value, place) {
    const { id, key } = await keys.toSeal();
    const plain = Buffer.from(JSON.stringify(value));
    const sealed = sealBytes(key, plain, boundTo(place, id));
    plain.fill(0);
    return { keyId: id, sealed };
  },
  async open({ keyId, sealed }, place) {
    try {
      const plain = openBytes(await keys.toOpen(keyId), sealed, boundTo(place, keyId));
      const value: unknown = JSON.parse(plain.toString("utf8"));
      plain.fill(0);
      return value;
    } catch (fault) {
      if (fault instanceof CannotOpen) return undefined;
      throw fault;
    }
  },
});

const boundTo = ({ merchantId, processorId, name }: PlaceOfSetting, keyId: number): Buffer =>
  Buffer.from(`processors.sealed_settings|${merchantId.toLowerCase()}|${processorId.toLowerCase()}|${name}|${keyId}`);
