import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { v7 } from "uuid";
import { freshDatabase } from "../../test/database.ts";
import { fill } from "../../test/fixtures/filled-block.ts";
import { openPool } from "../journal/database.ts";
import { streamEvents } from "./batch-events.ts";

const STATEMENT_TIMEOUT_MS = 1_500;
const READERS = 4;
const EVENTS = 3_000;

test("readers of a batch's events that stop for longer than a statement may take, and leave, disturb no other question", async () => {
  const database = await freshDatabase();
  const merchantId = v7();
  const cutoffAt = new Date("2031-05-02T00:00:00Z");
  const [like] = await fill(database.pool, merchantId, new Date("2031-05-01T12:00:00Z"), EVENTS);
  await database.pool`
    insert into outcomes (merchant_id, transaction_id, sequence, kind, processor_code, processor_message, cutoff_at, created_at)
    select merchant_id, transaction_id, 1, 'approved', '00', '', ${cutoffAt}::timestamptz, created_at from events`;
  const processorId = like?.events[0].processorId ?? "";
  const pool = openPool(database.address, "unread", {
    connections: READERS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const batch = { id: v7(), merchantId, processorId, currency: "USD", cutoffAt };
  const reader = async () => {
    for await (const events of streamEvents(pool, batch)) {
      assert.equal(events.length, 1_000);
      await sleep(2 * STATEMENT_TIMEOUT_MS);
      break;
    }
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  const asked = Array.from({ length: 200 }, (_, nonce) => pool`select ${nonce}::int as nonce`);
  for (const [nonce, rows] of (await Promise.all(asked)).entries()) assert.deepEqual([...rows], [{ nonce }]);
  let read = 0;
  for await (const events of streamEvents(pool, batch)) read += events.length;
  assert.equal(read, EVENTS);
  await pool.end({ timeout: 1 });
  await database.drop();
});
