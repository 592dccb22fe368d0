import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { v7 } from "uuid";
import { compiled } from "../../test/compiled.ts";
import { intent } from "../../test/conformance/intents.ts";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { ON_CITUS } from "../../test/database-server.ts";
import { systemClock } from "../clock.ts";
import { dataKeyStore, listDataKeys } from "../journal/data-keys.ts";
import { registerNode, tellMasterKeys } from "../journal/nodes.ts";
import { openJournal } from "../journal/postgres-journal.ts";
import { cardsAfter, countByKey, type PlacedCard } from "../journal/sealed-cards.ts";
import { insertStoredCard, storedCardsIn } from "../journal/stored-cards.ts";
import { lookAtMasterKeys } from "../master-key-watch.ts";
import { addMasterKey, masterKeysOf } from "../master-keys.ts";
import { auditKeyOf } from "../merchants/audit-chain.ts";
import { cardNumber } from "../payment/card.ts";
import type { StoredCard } from "../payment/stored-card.ts";
import { readSettings, type Settings } from "../settings.ts";
import { dataKeys } from "../vault/data-keys.ts";
import { type Vault, vault } from "../vault/vault.ts";
import { Refused } from "./refused.ts";
import { type RotationOptions, rotateKeys } from "./rotate-keys.ts";

/** Beside traffic: here it is never kept waiting by its database, so nothing is written later than this. */
const LAST_WRITES_MS = 4_000;

const SECRET = Buffer.alloc(32, 1);
const OFFICE = { clock: systemClock, auditKey: async () => auditKeyOf(SECRET) };
const AUTHOR = { actor: "test", source: "test" };

interface Given {
  readonly database: FreshDatabase;
  readonly file: string;
  readonly settings: Settings;
  /** A vault as a gateway that starts now has it. */
  readonly newVault: () => Vault;
  readonly rotate: (lastWritesMs?: number, more?: RotationOptions) => ReturnType<typeof rotateKeys>;
}

async function withKeys(check: (given: Given) => Promise<void>): Promise<void> {
  const database = await freshDatabase();
  const folder = mkdtempSync(join(tmpdir(), "faregate-keys-"));
  const file = join(folder, "master.key");
  writeFileSync(file, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
  const read = readSettings({ FAREGATE_MASTER_KEY_FILE: file });
  assert.ok(read.ok);
  const { settings } = read;
  const masterKeys = () => {
    const keys = masterKeysOf(settings);
    assert.ok(keys);
    return keys;
  };
  try {
    await check({
      database,
      file,
      settings,
      newVault: () =>
        vault(
          dataKeys(
            dataKeyStore(database.pool, () => new Date()),
            masterKeys(),
          ),
        ),
      rotate: (lastWritesMs = 0, more = {}) =>
        rotateKeys({ ...OFFICE, sql: database.pool }, AUTHOR, masterKeys(), () => undefined, {
          lastWritesMs,
          ...more,
        }),
    });
  } finally {
    await database.drop();
    rmSync(folder, { recursive: true });
  }
}

/** Each row's number follows from its transaction, so that a row with another's number would be seen. */
const numberOf = (transactionId: string) => cardNumber(String(BigInt(`0x${transactionId.slice(-12)}`) + 10n ** 15n));

async function putCards({ pool }: FreshDatabase, cards: Vault, count: number): Promise<void> {
  const merchantId = v7();
  const rows = [];
  for (let nth = 0; nth < count; nth++) {
    const transactionId = v7();
    const { keyId, sealed } = await cards.seal(numberOf(transactionId), { merchantId, transactionId });
    rows.push({ merchant_id: merchantId, transaction_id: transactionId, key_id: keyId, sealed, look_at: new Date() });
  }
  for (let from = 0; from < count; from += 5_000)
    await pool`insert into sealed_cards ${pool(rows.slice(from, from + 5_000))}`;
}

/** @returns how many there are */
async function assertAllOpen({ pool }: FreshDatabase, cards: Vault): Promise<number> {
  let count = 0;
  for (let last: PlacedCard | undefined; ; ) {
    const portion = await cardsAfter(pool, last, 5_000);
    for (const row of portion) {
      assert.equal((await cards.open(row, row)).reveal(), numberOf(row.transactionId).reveal());
      count++;
    }
    last = portion.at(-1);
    if (last === undefined) return count;
  }
}

/** Charges of one gateway, each with its sealed card, as fast as they come. @returns stops, and says how many */
async function startTraffic({ address, pool }: FreshDatabase, cards: Vault): Promise<() => Promise<number>> {
  const node = await registerNode(pool, new Date());
  const journal = openJournal({ address, pool, clock: systemClock, node, distributed: ON_CITUS });
  const merchantId = v7();
  await pool`insert into merchants (id, name, created_at) values (${merchantId}, 'Traffic', now())`;
  await pool`insert into merchant_counters (merchant_id, transactions, newest_at) values (${merchantId}, 0, now())`;
  let [stopped, opened] = [false, 0];
  const running = (async () => {
    while (!stopped) {
      const charge = intent(merchantId, new Date());
      await journal.open(charge, null, await cards.seal(numberOf(charge.id), { merchantId, transactionId: charge.id }));
      opened++;
      await sleep(2);
    }
  })();
  return async () => {
    stopped = true;
    await running;
    await journal.close();
    return opened;
  };
}

test("a rotation seals stored cards again, and tells one that does not open", () =>
  withKeys(async ({ database: { pool }, newVault, rotate }) => {
    const places = Array.from({ length: 3 }, () => ({ merchantId: v7(), cardId: v7() }));
    for (const place of places) {
      const { keyId, sealed } = await newVault().seal(numberOf(place.cardId), place);
      await insertStoredCard(pool, storedCard(place), { keyId, sealed });
    }
    const [broken, ...others] = places;
    await pool`update cards set sealed = set_byte(sealed, 30, get_byte(sealed, 30) # 4) where id = ${broken?.cardId ?? ""}`;
    const { key, looked, resealed, broken: told } = await rotate();
    assert.deepEqual({ looked, resealed, told }, { looked: 3, resealed: 2, told: [broken] });
    assert.deepEqual((await countByKey(pool, "cards")).get(key), 2);
    for (const { merchantId, cardId } of others) {
      const stored = await storedCardsIn(pool, ON_CITUS).find(merchantId, cardId);
      assert.ok(stored);
      const number = await newVault().open(stored.sealed, { merchantId, cardId });
      assert.equal(number.reveal(), numberOf(cardId).reveal());
    }
  }));

const storedCard = ({ merchantId, cardId }: { readonly merchantId: string; readonly cardId: string }): StoredCard => ({
  ...{
    merchantId,
    id: cardId,
    userId: v7(),
    createdAt: new Date(),
    fingerprint: "f",
    keptBy: null,
    networkTransactionId: null,
    consent: null,
    cardholder: {},
  },
  card: { mask: "411111******1111", firstSix: "411111", brand: "visa", expiryMonth: "12", expiryYear: "2039" },
});

test("a rotation beside traffic, killed in the middle and run again, leaves every row open and none under the old key", () =>
  withKeys(async ({ database, file, newVault, rotate }) => {
    const { pool } = database;
    await putCards(database, newVault(), 20_000);
    const [before] = await listDataKeys(pool);
    assert.ok(before);
    const stopTraffic = await startTraffic(database, newVault());

    const { host, port, user, password, database: name } = database.address;
    const child = spawn(process.execPath, [compiled("faregate"), "keys", "rotate"], {
      env: {
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        PATH: process.env.PATH,
        DATABASE_URL: `postgres://${user}:${password}@localhost:${port}/${name}?host=${host}`,
        FAREGATE_MASTER_KEY_FILE: file,
        FAREGATE_SECRET: SECRET.toString("base64"),
      },
      stdio: "ignore",
    });
    const exited = once(child, "exit");
    const begun = async () => (await pool`select 1 from sealed_cards where key_id <> ${before.id} limit 1`).length > 0;
    while (!(await begun()) && child.exitCode === null) await sleep(2);
    child.kill("SIGKILL");
    assert.deepEqual(await exited, [null, "SIGKILL"]);
    const half = await countByKey(pool);
    assert.ok((half.get(before.id) ?? 0) > 1_000, "it was killed in the middle");

    const rotated = await unlocked(() => rotate(LAST_WRITES_MS));
    const opened = await stopTraffic();
    assert.deepEqual({ resumed: rotated.resumed, broken: rotated.broken }, { resumed: true, broken: [] });
    assert.equal(await assertAllOpen(database, newVault()), 20_000 + opened);
    assert.deepEqual([...(await countByKey(pool)).keys()], [rotated.key]);
    const keys = await listDataKeys(pool);
    assert.deepEqual(
      keys.map(({ id, retiredAt, passedAt }) => [id, retiredAt !== null, passedAt !== null]),
      [
        [before.id, true, true],
        [rotated.key, false, false],
      ],
    );
  }));

test("run twice, the second makes a key of its own; two at once are refused", () =>
  withKeys(async ({ database, newVault, rotate }) => {
    await putCards(database, newVault(), 1_200);
    const [one, other] = await Promise.allSettled([rotate(), rotate()]);
    const refused = [one, other].filter(({ status }) => status === "rejected");
    assert.equal(refused.length, 1);
    assert.ok(refused[0]?.status === "rejected" && refused[0].reason instanceof Refused);
    const again = await rotate();
    assert.deepEqual([again.resumed, again.resealed], [false, 1_200]);
    assert.equal((await listDataKeys(database.pool)).length, 3);
    const noted = await database.pool<{ subject: string }[]>`select subject from audit_log order by id`;
    assert.deepEqual(
      noted.map(({ subject }) => subject),
      ["data key 2", "data key 3"],
    );
    assert.equal(await assertAllOpen(database, newVault()), 1_200);
  }));

test("what a node that was paused wrote late, under a key that was left, the next rotation takes along", () =>
  withKeys(async ({ database, newVault, rotate }) => {
    const paused = newVault();
    await putCards(database, paused, 5);
    await rotate();
    await putCards(database, paused, 3);
    assert.deepEqual([...(await countByKey(database.pool)).values()].sort(), [3, 5]);
    const { key, resealed } = await rotate();
    assert.equal(resealed, 8);
    assert.deepEqual([...(await countByKey(database.pool)).keys()], [key]);
    assert.equal(await assertAllOpen(database, newVault()), 8);
  }));

test("with a new master key in the file, running gateways read it, and later the old one is needed no more", () =>
  withKeys(async ({ database, file, settings, newVault, rotate }) => {
    const running = newVault();
    await putCards(database, running, 600);
    addMasterKey(settings).putFirst();
    await rotate(LAST_WRITES_MS);
    assert.equal(await assertAllOpen(database, running), 600);
    const [first = "", ...others] = readFileSync(file, "utf8").trim().split("\n");
    assert.equal(others.length, 1);
    writeFileSync(file, `${first}\n`, { mode: 0o600 });
    assert.equal(await assertAllOpen(database, newVault()), 600);
    await putCards(database, running, 10);
    assert.equal(await assertAllOpen(database, newVault()), 610);
  }));

test("a row that does not open is told and stays, and the next rotation is a new one", () =>
  withKeys(async ({ database, newVault, rotate }) => {
    const { pool } = database;
    await putCards(database, newVault(), 700);
    const [row] = await cardsAfter(pool, undefined, 1);
    assert.ok(row);
    await pool`
      update sealed_cards set sealed = set_byte(sealed, 30, get_byte(sealed, 30) # 4)
      where transaction_id = ${row.transactionId}`;
    const rotated = await rotate();
    const place = { merchantId: row.merchantId, transactionId: row.transactionId };
    assert.deepEqual([rotated.resealed, rotated.broken], [699, [place]]);
    assert.deepEqual([...(await countByKey(pool)).values()].sort(), [1, 699]);
    assert.equal((await rotate()).resumed, false);
  }));

test("where the old master key is lost a rotation is refused, unless that is said: then new numbers are kept again", () =>
  withKeys(async ({ database, file, newVault, rotate }) => {
    await putCards(database, newVault(), 30);
    writeFileSync(file, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
    await assert.rejects(rotate(), (fault: Error) => fault instanceof Refused && /was not given/.test(fault.message));
    const { broken, resealed } = await rotate(0, { oldMasterKeyLost: true });
    assert.deepEqual([broken.length, resealed], [30, 0]);
    await database.pool`delete from sealed_cards`;
    await putCards(database, newVault(), 5);
    assert.equal(await assertAllOpen(database, newVault()), 5);
  }));

/** The lock of a process that was killed goes when its session does, which may take the server a moment. */
async function unlocked<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (fault) {
      if (!(fault instanceof Refused) || tries === 100) throw fault;
      await sleep(100);
    }
  }
}

test("nothing is sealed under a master key that a running gateway has not said to have", () =>
  withKeys(async ({ database: { pool }, file, settings, newVault, rotate }) => {
    await newVault().seal(numberOf(v7()), { merchantId: v7(), transactionId: v7() });
    const old = masterKeysOf(settings);
    assert.ok(old);
    const store = dataKeyStore(pool, () => new Date());
    const before = readFileSync(file, "utf8");
    addMasterKey(settings).putFirst();
    const [added = ""] = masterKeysOf(settings)?.ids() ?? [];
    const node = await registerNode(pool, new Date());
    const alive = () => pool`update nodes set seen_at = now() + interval '1 hour' where id = ${node}`;
    await alive();
    const oldOnly = [old.current().id];
    for (const said of [null, [], oldOnly]) {
      if (said !== null) await tellMasterKeys(pool, node, said);
      await assert.rejects(rotate(0, { gatewaysSayWithinMs: 0 }), (fault: Error) => {
        assert.ok(fault instanceof Refused);
        return fault.message.includes(`not have master key ${added}`) && fault.message.includes(`nodes: ${node}`);
      });
    }
    assert.equal((await listDataKeys(pool)).length, 1);
    await tellMasterKeys(pool, node, [added, ...oldOnly]);
    await rotate(0, { gatewaysSayWithinMs: 0 });
    assert.equal((await store.newest())?.masterKeyId, added);
    // One that has stopped counts no more, and one that started with the old key alone says what it lacks.
    const late = await registerNode(pool, new Date());
    await pool`update nodes set seen_at = now() - interval '5 seconds' where id = ${late}`;
    await rotate(0, { gatewaysSayWithinMs: 0 });
    writeFileSync(file, before);
    const masterKeys = masterKeysOf(settings);
    assert.ok(masterKeys);
    assert.equal(await lookAtMasterKeys({ sql: pool, node: late, masterKeys, store }), added);
    const [row] = await pool<{ master_keys: string[] }[]>`select master_keys from nodes where id = ${late}`;
    assert.deepEqual(row?.master_keys, oldOnly);
  }));
