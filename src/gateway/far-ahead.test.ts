// A machine whose clock is far ahead removes nothing for good that is still in use.

import assert from "node:assert/strict";
import { test } from "node:test";
import { v7 } from "uuid";
import { freshDatabase } from "../../test/database.ts";
import { installation, record, render } from "../../test/gateway-in-memory.ts";
import { postgresInstallation } from "../../test/postgres-installation.ts";
import { until } from "../../test/receiver.ts";
import { saveClockOffset } from "../journal/installation.ts";
import { startResolver } from "./resolve.ts";

const DAY_MS = 86_400_000;

test("a node whose clock is a year ahead keeps the idempotency keys of today, and removes those that are old for the database too", async (t) => {
  const keys = await keysLeft(t, { nodeAheadMs: 365 * DAY_MS, sandboxAheadMs: 0 });
  assert.deepEqual(keys, ["today"]);
});

test("where the sandbox's clock was moved by a year, the keys of today are old", async (t) => {
  const keys = await keysLeft(t, { nodeAheadMs: 365 * DAY_MS, sandboxAheadMs: 365 * DAY_MS });
  assert.deepEqual(keys, []);
});

interface Ahead {
  readonly nodeAheadMs: number;
  readonly sandboxAheadMs: number;
}

/** When the key of two years ago is gone: those that are old go in one statement. */
async function keysLeft(
  t: { after(step: () => unknown): void },
  { nodeAheadMs, sandboxAheadMs }: Ahead,
): Promise<string[]> {
  const database = postgresInstallation(await freshDatabase());
  t.after(() => database.end());
  const { pool } = database;
  if (sandboxAheadMs > 0) await saveClockOffset(pool, sandboxAheadMs);
  for (const [key, days] of [
    ["today", 0],
    ["two years ago", 730],
  ] as const)
    await pool`
      insert into idempotency_keys (merchant_id, key, request_hash, transaction_id, sequence, created_at)
      values (${v7()}, ${key}, ${Buffer.alloc(32)}, ${v7()}, 1, now() - ${`${days} days`}::interval)`;
  const node = await database.join();
  const { parts } = installation([record()]).join(() => node.journal);
  const clock = { now: () => new Date(Date.now() + nodeAheadMs) };
  const resolver = startResolver({ ...parts, clock }, { heartbeats: pool, background: pool }, node.id, render);
  const left = async () => (await pool<{ key: string }[]>`select key from idempotency_keys`).map(({ key }) => key);
  try {
    await until("what is old is gone", async () => !(await left()).includes("two years ago"));
    return await left();
  } finally {
    await resolver.stop();
  }
}
