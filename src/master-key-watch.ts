// A gateway tells the others which master keys it has, by their names, so that no rotation seals under one that a gateway lacks. Where that
// happened all the same, its log says what is wrong and what to do: until then it cannot seal, and charges that need it are refused.

import { every } from "./gateway/every.ts";
import type { Log } from "./gateway/log.ts";
import type { Sql } from "./journal/database.ts";
import { tellMasterKeys } from "./journal/nodes.ts";
import type { DataKeyStore } from "./vault/data-keys.ts";
import type { MasterKeys } from "./vault/master-key.ts";

const EVERY_MS = 2_000;
const SAID_AGAIN_MS = 60_000;

interface Watched {
  readonly sql: Sql;
  readonly node: number;
  readonly masterKeys: MasterKeys;
  readonly store: Pick<DataKeyStore, "newest">;
  readonly log: Log;
}

export function startMasterKeyWatch(watched: Watched): { stop(): Promise<void> } {
  let saidAtMs = Number.NEGATIVE_INFINITY;
  return every(EVERY_MS, watched.log, async () => {
    const lacking = await lookAtMasterKeys(watched);
    const nowMs = performance.now();
    if (lacking === undefined) {
      if (saidAtMs > 0) watched.log.info({}, "this gateway has the master key of the newest data key again");
      saidAtMs = Number.NEGATIVE_INFINITY;
    } else if (nowMs - saidAtMs >= SAID_AGAIN_MS) {
      watched.log.error({ master_key: lacking }, LACKING);
      saidAtMs = nowMs;
    }
    return "pause";
  });
}

const LACKING =
  "this gateway lacks the master key under which card numbers and secrets are sealed since a rotation: it refuses charges whose card number " +
  "has to be kept. Put that key before the old one (FAREGATE_MASTER_KEY=new,old, or the key file) and restart the gateway";

/** @returns the name of the key that is needed and not there */
export async function lookAtMasterKeys({
  sql,
  node,
  masterKeys,
  store,
}: Omit<Watched, "log">): Promise<string | undefined> {
  await tellMasterKeys(sql, node, masterKeys.ids());
  const newest = await store.newest();
  return newest === undefined || masterKeys.find(newest.masterKeyId) !== undefined ? undefined : newest.masterKeyId;
}
