import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { fixedClock } from "../../test/hand-clock.ts";
import { type KeysInMemory, keysInMemory } from "../../test/setting-secrets.ts";
import { PROCESSOR_KINDS } from "../processors/kinds.ts";
import type { Backoffice } from "./backoffice.ts";
import { createMerchant } from "./merchants.ts";
import { findProcessorRecord } from "./processor-lookup.ts";
import { changeProcessor, createProcessor } from "./processors.ts";
import { countSettingsByKey, resealSettings, sealRecords } from "./seal-records.ts";

const AUTHOR = { actor: "operator Jane", source: "::1" };
const KEY = "sk_test_standsAsItIs";
const HOOK = "whsec_stands_as_it_is";

describe("secrets in records that stand there", () => {
  let database: FreshDatabase;
  let keys: KeysInMemory;
  let office: Backoffice;
  let merchantId: string;
  before(async () => {
    database = await freshDatabase();
  });
  beforeEach(async () => {
    await database.pool`delete from processors`;
    keys = keysInMemory();
    office = {
      sql: database.pool,
      clock: fixedClock("2026-02-16T16:33:40Z"),
      mode: "sandbox",
      kinds: PROCESSOR_KINDS,
      secrets: keys.secrets,
      auditKey: async () => Buffer.alloc(32),
    };
    const merchant = await createMerchant(office, AUTHOR, { name: "Northwind" });
    assert(merchant.kind === "done");
    merchantId = merchant.value.id;
  });
  after(() => database.drop());

  const created = async () => {
    const settings = { secret_key: KEY, webhook_secret: HOOK, timeout_ms: 5_000 };
    const input = { name: "Stripe", kind: "stripe", currency: "USD", settings };
    const made = await createProcessor(office, AUTHOR, merchantId, input);
    assert(made.kind === "done", JSON.stringify(made));
    return made.value.id;
  };
  /** As a version before this one left it. */
  const asItWas = async () => {
    const id = await created();
    await database.pool`
      update processors set sealed_settings = '{}',
        settings = ${database.pool.json({ secret_key: KEY, webhook_secret: HOOK, timeout_ms: 5_000 })}
      where id = ${id}`;
    return id;
  };
  const opened = async (id: string) => (await findProcessorRecord(database.pool, id, keys.secrets))?.settings;
  const shown = async () =>
    (await database.pool<{ row: string }[]>`select processors::text as row from processors order by id`).map(
      ({ row }) => row.includes(KEY) || row.includes(HOOK),
    );
  const WHOLE = { secret_key: KEY, webhook_secret: HOOK, timeout_ms: 5_000 };

  test("those of older versions are sealed once, and used as before", async () => {
    const ids = [await asItWas(), await created(), await asItWas()];
    assert.deepEqual((await shown()).toSorted(), [false, true, true]);
    assert.deepEqual(await opened(ids[0] ?? ""), WHOLE);
    assert.equal(await sealRecords(office, keys.secrets), 2);
    assert.deepEqual(await shown(), [false, false, false]);
    for (const id of ids) assert.deepEqual(await opened(id), WHOLE);
    assert.equal(await sealRecords(office, keys.secrets), 0);
  });

  test("a walk tells of every record, also of more than are looked at at once", async () => {
    const { pool } = database;
    await created();
    // Sealed for another place, so that each is told as broken.
    await pool`
      insert into processors select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid()))).*
      from processors p cross join generate_series(1, 1001)`;
    const leaving = new Set((await countSettingsByKey(pool)).keys());
    const { resealed, broken } = await resealSettings(pool, keys.secrets, leaving);
    assert.deepEqual([resealed, new Set(broken.map(({ processorId }) => processorId)).size], [2, 1_001]);
  });

  test("two starts at once seal each record once", async () => {
    for (let nth = 0; nth < 5; nth++) await asItWas();
    const [one, other] = await Promise.all([sealRecords(office, keys.secrets), sealRecords(office, keys.secrets)]);
    assert.ok(one + other >= 5);
    assert.deepEqual(await shown(), Array(5).fill(false));
    for (const { id } of await database.pool<{ id: string }[]>`select id from processors`)
      assert.deepEqual(await opened(id), WHOLE);
  });

  test("stopped in the middle, each record is as it was or sealed, and the next start goes on", async () => {
    const ids = [await asItWas(), await asItWas()];
    let left = 3;
    const failing = {
      ...keys.secrets,
      seal: async (...given: Parameters<typeof keys.secrets.seal>) => {
        if (left-- === 0) throw new Error("the database is away");
        return keys.secrets.seal(...given);
      },
    };
    await assert.rejects(sealRecords(office, failing), /away/);
    assert.deepEqual(await shown(), [false, true]);
    for (const id of ids) assert.deepEqual(await opened(id), WHOLE);
    assert.equal(await sealRecords(office, keys.secrets), 1);
    for (const id of ids) assert.deepEqual(await opened(id), WHOLE);
  });

  test("a rotation leaves none under the old key, also of a record that is changed meanwhile", async () => {
    const ids = [await created(), await created(), await created()];
    keys.current = 2;
    const changing = { settings: { timeout_ms: 6_000 } };
    const [walked] = await Promise.all([
      resealSettings(database.pool, keys.secrets, new Set([1])),
      changeProcessor(office, AUTHOR, ids[1] ?? "", changing),
    ]);
    assert.deepEqual(walked, { resealed: 6, broken: [] });
    assert.deepEqual(await countSettingsByKey(database.pool), new Map([[2, 6]]));
    keys.lost.add(1);
    assert.deepEqual(await opened(ids[0] ?? ""), WHOLE);
    assert.deepEqual(await opened(ids[1] ?? ""), { ...WHOLE, timeout_ms: 6_000 });
    assert.deepEqual(await resealSettings(database.pool, keys.secrets, new Set([1])), { resealed: 0, broken: [] });
  });

  test("what does not open is named and stays, and is right again when it is set anew", async () => {
    const id = await created();
    keys.lost.add(1);
    keys.current = 2;
    const broken = ["secret_key", "webhook_secret"].map((name) => ({ processorId: id, name }));
    const walked = await resealSettings(database.pool, keys.secrets, new Set([1]));
    assert.equal(walked.resealed, 0);
    assert.deepEqual(new Set(walked.broken), new Set(broken));
    assert.deepEqual((await findProcessorRecord(database.pool, id, keys.secrets))?.unopened?.toSorted(), [
      "secret_key",
      "webhook_secret",
    ]);
    const anew = { settings: { secret_key: KEY, webhook_secret: HOOK } };
    assert.equal((await changeProcessor(office, AUTHOR, id, anew)).kind, "done");
    assert.deepEqual(await opened(id), WHOLE);
  });

  test("a change that is refused or undone leaves the secret as it was", async () => {
    const id = await created();
    const refused = await changeProcessor(office, AUTHOR, id, {
      settings: { secret_key: "sk_live_new0", timeout_ms: 1 },
    });
    assert.equal(refused.kind, "invalid");
    const unnoted = { ...office, auditKey: () => Promise.reject(new Error("no audit key")) };
    await assert.rejects(
      changeProcessor(unnoted, AUTHOR, id, { settings: { secret_key: "sk_live_new0" } }),
      /audit key/,
    );
    assert.deepEqual(await opened(id), WHOLE);
  });
});
