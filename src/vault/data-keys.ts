// The data keys: one under which this process seals, and all that it has opened, in memory. Messages under a key are
// counted by leases: a block is written down before the first of it is sealed, so that no crash makes the count too low.

import { type KeyObject, randomBytes } from "node:crypto";
import type { MasterKeys } from "./master-key.ts";
import { CannotOpen, MOST_MESSAGES_UNDER_A_KEY, secretKey } from "./sealed-bytes.ts";

export interface WrappedKey {
  readonly id: number;
  readonly masterKeyId: string;
  readonly wrapped: Buffer;
}

/** The table of wrapped keys, which all nodes share. */
export interface DataKeyStore {
  /** The newest that is not retired. */
  newest(): Promise<WrappedKey | undefined>;
  find(id: number): Promise<WrappedKey | undefined>;
  /** Adds so many to the count of this key, durably. @returns whether it is not retired, and may have as many */
  lease(id: number, messages: number, most: number): Promise<boolean>;
  add(masterKeyId: string, wrapped: Buffer): Promise<void>;
}

export interface DataKey {
  readonly id: number;
  readonly key: KeyObject;
}

export interface DataKeys {
  /** The right to seal one message under this key. */
  toSeal(): Promise<DataKey>;
  /** @throws CannotOpen when there is no such key, or no master key for it */
  toOpen(id: number): Promise<KeyObject>;
}

/** A restart wastes at most one: 32,768 restarts would use a key up. */
const BLOCK = 65_536;
/** A rotation waits longer than this before it takes a retired key for unused. */
export const SEALS_WITHOUT_ASKING_MS = 2_000;

interface Lease extends DataKey {
  left: number;
  /** By the process's own time. */
  freshUntil: number;
}

/** Data keys as one node uses them: opened once, and kept in memory. */
export function dataKeys(store: DataKeyStore, masterKeys: MasterKeys, block = BLOCK): DataKeys {
  const opened = new Map<number, Promise<KeyObject>>();
  let lease: Lease | undefined;
  let renewal: Promise<void> | undefined;

  const unwrap = async (wrapped: WrappedKey | undefined): Promise<KeyObject> => {
    if (wrapped === undefined) throw new CannotOpen("There is no such data key.");
    const master = masterKeys.find(wrapped.masterKeyId);
    if (master === undefined)
      throw new CannotOpen(
        `Data key ${wrapped.id} is wrapped by master key ${wrapped.masterKeyId}, which is not given.`,
      );
    const bytes = await master.unwrap(wrapped.wrapped);
    const key = secretKey(bytes);
    bytes.fill(0);
    return key;
  };
  const remembered = (id: number, look: () => Promise<WrappedKey | undefined>): Promise<KeyObject> => {
    const known = opened.get(id);
    if (known !== undefined) return known;
    const opening = look().then(unwrap);
    opened.set(id, opening);
    opening.catch(() => opened.delete(id));
    return opening;
  };

  const renew = async (): Promise<void> => {
    const freshUntil = performance.now() + SEALS_WITHOUT_ASKING_MS;
    for (let tries = 0; tries < 3; tries++) {
      const newest = await store.newest();
      if (newest !== undefined && newest.id === lease?.id && lease.left > 0) {
        lease.freshUntil = freshUntil;
        return;
      }
      if (newest !== undefined && (await store.lease(newest.id, block, MOST_MESSAGES_UNDER_A_KEY))) {
        const key = await remembered(newest.id, async () => newest);
        lease = { id: newest.id, key, left: block, freshUntil };
        return;
      }
      // Used up, unless another node was faster and there is a newer one.
      if ((await store.newest())?.id === newest?.id) await addDataKey(store.add, masterKeys);
    }
    throw new Error("no data key could be taken: others rotate them all the time");
  };

  return {
    async toSeal() {
      for (;;) {
        if (lease !== undefined && lease.left > 0 && performance.now() < lease.freshUntil) {
          lease.left--;
          return lease;
        }
        renewal ??= renew().finally(() => {
          renewal = undefined;
        });
        await renewal;
      }
    },
    toOpen: (id) => remembered(id, () => store.find(id)),
  };
}

/** A new key, which only its wrapped bytes tell of. */
export async function addDataKey<T>(
  add: (masterKeyId: string, wrapped: Buffer) => Promise<T>,
  masterKeys: MasterKeys,
): Promise<T> {
  const master = masterKeys.current();
  const bytes = randomBytes(32);
  const wrapped = await master.wrap(bytes);
  bytes.fill(0);
  return add(master.id, wrapped);
}
