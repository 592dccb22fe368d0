import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDatabase } from "../../test/database.ts";
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
