// The rotation of data keys: a new one, and under it every sealed card number (of transactions and of stored cards) and every sealed secret of
// a processor record. An interrupted rotation is continued; a second one at the same time is refused.

import { setTimeout as sleep } from "node:timers/promises";
import { dataKeyStore, keysToLeave, markPassed, replaceDataKeys } from "../journal/data-keys.ts";
import { nodesWithoutMasterKey } from "../journal/nodes.ts";
import { cardsAfter, replaceCards } from "../journal/sealed-cards.ts";
import { replaceSealedStoredCards, sealedStoredCardsAfter } from "../journal/stored-cards.ts";
import { audited } from "../merchants/audit.ts";
import type { Author, Backoffice } from "../merchants/backoffice.ts";
import { type ResealedSettings, resealSettings } from "../merchants/seal-records.ts";
import { addDataKey, dataKeys, SEALS_WITHOUT_ASKING_MS } from "../vault/data-keys.ts";
import type { MasterKeys } from "../vault/master-key.ts";
import { type Resealed, resealAll, type SealedRows } from "../vault/reseal.ts";
import { settingVault } from "../vault/setting-vault.ts";
import { type RowOfStoredCard, type RowOfTransaction, vault } from "../vault/vault.ts";
import { Refused } from "./refused.ts";

type Office = Pick<Backoffice, "sql" | "clock" | "auditKey">;

export interface Rotated extends Resealed {
  /** The data key that everything is sealed under now. */
  readonly key: number;
  /** An earlier rotation had not come to its end. */
  readonly resumed: boolean;
  /** Of processor records. */
  readonly secrets: ResealedSettings;
}

/**
 * A node that has not heard of the new key may seal under the old one for so long, and the intent that it sealed for may
 * wait so long for its commit (journal/writer.ts).
 */
const LAST_WRITES_MS = SEALS_WITHOUT_ASKING_MS + 10_000;

export interface RotationOptions {
  /** How long after a key was retired rows may still come in under it. */
  readonly lastWritesMs?: number;
  /** How soon each gateway has said that it has the master key. */
  readonly gatewaysSayWithinMs?: number;
  /** Goes on where the newest data key cannot be opened any more: what is under it stays, and is told. */
  readonly oldMasterKeyLost?: boolean;
}

export async function rotateKeys(
  office: Office,
  author: Author,
  masterKeys: MasterKeys,
  say: (line: string) => void,
  options: RotationOptions = {},
): Promise<Rotated> {
  // The lock is the session's: it goes with this process, however that ends.
  const session = await office.sql.reserve();
  try {
    const [lock] = await session<[{ free: boolean }]>`select pg_try_advisory_lock(${ROTATION}) as free`;
    if (!lock.free) throw new Refused("another rotation of keys is running");
    return await rotate(office, author, masterKeys, say, options);
  } finally {
    await session`select pg_advisory_unlock(${ROTATION})`.catch(() => undefined);
    session.release();
  }
}

/** Any number that nothing else in this database locks. */
const ROTATION = 8_583_002;

async function rotate(
  office: Office,
  author: Author,
  masterKeys: MasterKeys,
  say: (line: string) => void,
  { lastWritesMs = LAST_WRITES_MS, gatewaysSayWithinMs, oldMasterKeyLost = false }: RotationOptions,
): Promise<Rotated> {
  const { sql, clock } = office;
  const store = dataKeyStore(sql, () => clock.now());
  const before = await store.newest();
  const underOldMaster = before?.masterKeyId !== masterKeys.current().id;
  const resumed = (await keysToLeave(sql)) !== undefined;
  if (resumed) say("Continuing an earlier rotation that was interrupted.");
  if (!resumed || underOldMaster) {
    if (!oldMasterKeyLost && before !== undefined && masterKeys.find(before.masterKeyId) === undefined)
      throw new Refused(
        `data key ${before.id} is wrapped by master key ${before.masterKeyId}, which was not given; if that key is lost, use ` +
          "--old-master-key-lost",
      );
    if (!oldMasterKeyLost) await untilGatewaysHave(sql, masterKeys.current().id, say, gatewaysSayWithinMs);
    await addDataKey((masterKeyId, wrapped) => replace(office, author, before, masterKeyId, wrapped), masterKeys);
  }
  const key = (await store.newest())?.id;
  if (key === undefined) throw new Error("broken invariant: a rotation without a data key");
  const keys = dataKeys(store, masterKeys);
  const [cards, settings] = [vault(keys), settingVault(keys)];
  const ofTransactions: SealedRows<RowOfTransaction> = {
    after: (row, most) => cardsAfter(sql, row, most),
    replace: (anew) => replaceCards(sql, anew),
  };
  const storedCards: SealedRows<RowOfStoredCard> = {
    after: (row, most) => sealedStoredCardsAfter(sql, row, most),
    replace: (anew) => replaceSealedStoredCards(sql, anew),
  };
  let all: Resealed = { looked: 0, resealed: 0, broken: [] };
  let secrets: ResealedSettings = { resealed: 0, broken: [] };
  for (let round = 1; ; round++) {
    const leaving = await keysToLeave(sql);
    if (leaving === undefined) return { key, resumed, ...all, secrets };
    const retired = new Set(leaving.retired);
    const records = await resealSettings(sql, settings, retired);
    secrets = { resealed: secrets.resealed + records.resealed, broken: records.broken };
    const walks: readonly Resealed[] = [
      await resealAll(cards, ofTransactions, retired, everySecond(say)),
      await resealAll(cards, storedCards, retired, everySecond(say)),
    ];
    all = {
      looked: walks.reduce((sum, { looked }) => sum + looked, 0),
      resealed: walks.reduce((sum, { resealed }) => sum + resealed, all.resealed),
      broken: walks.flatMap(({ broken }) => broken),
    };
    // Only a walk that began after the last possible write under an old key has seen all of them.
    if (leaving.sinceMs >= lastWritesMs) await markPassed(sql, leaving.ids);
    else {
      if (round === 1)
        say(`${all.resealed} sealed again. Waiting for what gateways may still write under the old key.`);
      await sleep(Math.max(lastWritesMs - leaving.sinceMs, 0));
    }
  }
}

/** A gateway says every two seconds which keys it has; one that has stopped counts for four more. */
const GATEWAYS_SAY_WITHIN_MS = 10_000;
const LOOKED_EVERY_MS = 500;

/** Whatever is sealed from now on, every gateway that runs must be able to open. @throws Refused where some cannot */
export async function untilGatewaysHave(
  sql: Office["sql"],
  masterKeyId: string,
  say: (line: string) => void,
  withinMs = GATEWAYS_SAY_WITHIN_MS,
): Promise<void> {
  for (const sinceMs = performance.now(); ; await sleep(LOOKED_EVERY_MS)) {
    const without = await nodesWithoutMasterKey(sql, masterKeyId);
    if (without.length === 0) return;
    const waitedMs = performance.now() - sinceMs;
    if (waitedMs < LOOKED_EVERY_MS) say("Waiting until every gateway has the master key.");
    if (waitedMs >= withinMs)
      throw new Refused(
        `${without.length === 1 ? "a gateway that runs does" : `${without.length} gateways that run do`} not have master key ` +
          `${masterKeyId} (in the table nodes: ${without.join(", ")}), and could seal and open nothing after this. Give it to each as ` +
          "this command has it, FAREGATE_MASTER_KEY=new,old or the same key file, restart them, and rotate again",
      );
  }
}

const replace = (
  office: Office,
  author: Author,
  before: { readonly id: number; readonly masterKeyId: string } | undefined,
  masterKeyId: string,
  wrapped: Buffer,
): Promise<void> =>
  audited(office, author, async (sql) => {
    const id = await replaceDataKeys(sql, masterKeyId, wrapped, office.clock.now());
    return {
      result: undefined,
      entry: {
        action: "data-key.create",
        subject: ["data key", String(id)],
        ...(before && { before: { id: before.id, master_key: before.masterKeyId } }),
        after: { id, master_key: masterKeyId },
      },
    };
  });

const PROGRESS_MS = 1_000;

function everySecond(say: (line: string) => void): (soFar: Resealed) => void {
  let next = performance.now() + PROGRESS_MS;
  return ({ looked, resealed }) => {
    if (performance.now() < next) return;
    next = performance.now() + PROGRESS_MS;
    say(`${looked} rows read, ${resealed} sealed again …`);
  };
}
