import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { v7 } from "uuid";
import { approved, claim, conclusion, intent } from "../../test/conformance/intents.ts";
import { freshDatabase } from "../../test/database.ts";
import { handClock } from "../../test/hand-clock.ts";
import { postgresInstallation } from "../../test/postgres-installation.ts";
import { removeOldKeys } from "./old-keys.ts";

const NOW = new Date("2031-03-31T12:00:00Z");
const daysAgo = (days: number, more = 0) => new Date(NOW.getTime() - days * 86_400_000 - more);

test("a key and its answer are kept for 30 days to the millisecond, and then removed", async () => {
  const { pool, drop } = await freshDatabase();
  const merchant = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";
  for (const [key, at] of [
    ["new", NOW],
    ["just kept", daysAgo(30)],
    ["just past", daysAgo(30, 1)],
    ["old", daysAgo(400)],
  ] as const) {
    await pool`
      insert into idempotency_keys (merchant_id, key, request_hash, transaction_id, sequence, created_at)
      values (${merchant}, ${key}, ${Buffer.alloc(32)}, ${merchant}, 1, ${at})`;
    await pool`
      insert into idempotency_answers (merchant_id, key, status, body, created_at)
      values (${merchant}, ${key}, 200, '{}', ${at})`;
  }
  assert.equal(await removeOldKeys(pool, NOW), false);
  for (const table of ["idempotency_keys", "idempotency_answers"]) {
    const left = await pool<{ key: string }[]>`select key from ${pool(table)} order by key`;
    assert.deepEqual(
      left.map(({ key }) => key),
      ["just kept", "new"],
      table,
    );
  }
  await drop();
});

test("many old keys go in portions, and it is said that there may be more", async () => {
  const { pool, drop } = await freshDatabase();
  await pool`
    insert into idempotency_keys (merchant_id, key, request_hash, transaction_id, sequence, created_at)
    select gen_random_uuid(), n::text, '\\x00', gen_random_uuid(), 1, ${daysAgo(31)} from generate_series(1, 2500) n`;
  const rounds = [];
  for (let round = 0; round < 3; round++) rounds.push(await removeOldKeys(pool, NOW));
  assert.deepEqual(rounds, [true, true, false]);
  const [row] = await pool<[{ left: number }]>`select count(*)::int as left from idempotency_keys`;
  assert.equal(row.left, 0);
  await drop();
});

describe("a key that is used again after its 30 days never gets the answer of the time before", () => {
  const FIRST = { status: 200, body: "first" };
  const SECOND = { status: 200, body: "second" };

  async function withKey(work: (used: Awaited<ReturnType<typeof usedKey>>) => Promise<void>): Promise<void> {
    const used = await usedKey();
    try {
      await work(used);
    } finally {
      await used.installation.end();
    }
  }

  /** "order-1", by a sale that was opened just now. */
  async function usedKey() {
    const begun = Date.now();
    const merchantId = v7();
    const clock = handClock(new Date(begun));
    const installation = postgresInstallation(await freshDatabase());
    const { journal } = await installation.join({ clock });
    await installation.addMerchant(merchantId);
    const goTo = (days: number, more = 0) => clock.set(new Date(begun + days * 86_400_000 + more));
    const open = async () => {
      const sale = intent(merchantId, clock.now());
      assert.notEqual(await journal.open(sale, claim("order-1")), "key-taken");
      return sale;
    };
    return {
      ...{ installation, goTo, open, first: await open() },
      remove: () => removeOldKeys(installation.pool, clock.now()),
      conclude: async (sale: ReturnType<typeof intent>, answer: typeof FIRST | null) => {
        const keyedResponse = answer && { key: "order-1", ...answer };
        await journal.conclude(conclusion(sale, sale.events[0], approved(clock.now()), { keyedResponse }));
      },
      store: async (answer: typeof FIRST) => {
        const { status, ...kept } = await journal.storeResponse(merchantId, { key: "order-1", ...answer });
        return "body" in kept ? { status, body: kept.body } : kept;
      },
      found: async () => {
        const stored = await journal.findKey(merchantId, "order-1");
        return stored && [stored.transactionId, stored.response];
      },
      answers: async () => {
        const rows = await installation.pool<{ body: string }[]>`select body from idempotency_answers`;
        return rows.map(({ body }) => body);
      },
      /** As an older version did, whose answers outlived their keys. */
      removeKeyAlone: () => installation.pool`delete from idempotency_keys`,
    };
  }

  test("also where it was removed within the seconds that its first answer took", () =>
    withKey(async ({ first, goTo, conclude, remove, found, open }) => {
      goTo(0, 2_000);
      await conclude(first, FIRST);
      goTo(30, 1_000);
      await remove();
      assert.equal(await found(), undefined);
      const second = await open();
      await conclude(second, SECOND);
      assert.deepEqual(await found(), [second.id, SECOND]);
    }));

  test("also where its answer was stored late, since the gateway had died", () =>
    withKey(async ({ first, goTo, conclude, store, remove, found, open }) => {
      await conclude(first, null);
      goTo(10);
      assert.deepEqual(await store(FIRST), FIRST);
      goTo(31);
      await remove();
      const second = await open();
      assert.deepEqual(await found(), [second.id, null]);
    }));

  test("an answer that comes when the key will soon be removed is given and not stored", () =>
    withKey(async ({ goTo, store, answers }) => {
      goTo(28);
      assert.deepEqual(await store(FIRST), FIRST);
      assert.deepEqual(await answers(), []);
      goTo(28, -1);
      assert.deepEqual(await store(FIRST), FIRST);
      assert.deepEqual(await answers(), ["first"]);
    }));

  test("an answer that an older version left behind is not taken for the new one, and is removed when it is old", () =>
    withKey(async ({ first, goTo, conclude, store, remove, removeKeyAlone, found, open, answers }) => {
      goTo(2);
      await conclude(first, FIRST);
      goTo(30, 1_000);
      await removeKeyAlone();
      const second = await open();
      assert.deepEqual(await found(), [second.id, null]);
      await conclude(second, SECOND);
      assert.deepEqual(await found(), [second.id, null]);
      assert.deepEqual(await store(SECOND), SECOND);
      assert.deepEqual(await answers(), ["first"]);
      goTo(32, 1);
      await remove();
      assert.deepEqual(await answers(), []);
      assert.deepEqual(await store(SECOND), SECOND);
      assert.deepEqual(await found(), [second.id, SECOND]);
    }));
});
