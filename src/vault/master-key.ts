// The master key: it wraps data keys and never leaves its place. A key management service fits the same port; here is the
// one that lies in a file or the environment.

import { createHmac, randomBytes } from "node:crypto";
import { openBytes, sealBytes, secretKey } from "./sealed-bytes.ts";

export interface MasterKey {
  /** Names the key and tells nothing about it; stored beside what it wrapped. */
  readonly id: string;
  wrap(dataKey: Buffer): Promise<Buffer>;
  /** @throws when this key did not wrap it, or it was changed since */
  unwrap(wrapped: Buffer): Promise<Buffer>;
}

export interface MasterKeys {
  /** Wraps new data keys. */
  current(): MasterKey;
  /** Also one that was the current key before. */
  find(id: string): MasterKey | undefined;
  /** The names of all, as they are now. */
  ids(): readonly string[];
}

export const MASTER_KEY_BYTES = 32;

/** A new key, as the environment or a file has it. */
export const newMasterKeyText = (): string => randomBytes(MASTER_KEY_BYTES).toString("base64");

/** @param bytes 32 of them */
export function localMasterKey(bytes: Buffer): MasterKey {
  const key = secretKey(bytes);
  const id = createHmac("sha256", bytes).update("faregate master key").digest("hex").slice(0, 16);
  const bound = Buffer.from(`faregate data key, wrapped by ${id}`);
  return {
    id,
    wrap: async (dataKey) => sealBytes(key, dataKey, bound),
    unwrap: async (wrapped) => openBytes(key, wrapped, bound),
  };
}

/** The first wraps, all of them unwrap. */
export function fixedMasterKeys(first: MasterKey, ...others: readonly MasterKey[]): MasterKeys {
  const all = new Map([first, ...others].map((key) => [key.id, key]));
  return { current: () => first, find: (id) => all.get(id), ids: () => [...all.keys()] };
}
