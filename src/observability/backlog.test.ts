// What waits, counted in a database whose rows were written by hand: how they come there is others' business.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { readBacklog } from "./backlog.ts";

const NOW = new Date("2030-05-15T12:00:00Z");
const ago = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1_000);

describe("what waits in the database", () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  test("nothing waits in an empty one", async () => {
    assert.deepEqual(await readBacklog(database.pool, NOW), {
      unresolved: [],
      unresolvedOldestSeconds: 0,
      webhooks: { due: 0, oldestSeconds: 0 },
      notifications: 0,
      autoCaptureLagSeconds: 0,
      plans: { due: 0, pending: 0, oldestSeconds: 0 },
    });
  });

  test("unresolved events by remedy and age; what is accepted is not old", async () => {
    const { pool } = database;
    for (const [remedy, seconds] of [
      ["reverse", 10],
      ["reverse", 20],
      ["repeat", 7_200],
      ["await", 900_000],
    ] as const)
      await pool`insert into unresolved (merchant_id, transaction_id, sequence, processor_id, remedy, attempts, due_at, created_at)
        values (${randomUUID()}, ${randomUUID()}, 1, ${randomUUID()}, ${remedy}, 0, ${NOW}, ${ago(seconds)})`;
    const { unresolved, unresolvedOldestSeconds } = await readBacklog(pool, NOW);
    assert.deepEqual(unresolved.map(({ remedy, age, events }) => `${remedy} ${age} ${events}`).toSorted(), [
      "await over 1d 1",
      "repeat 1h to 1d 1",
      "reverse under 1m 2",
    ]);
    assert.equal(unresolvedOldestSeconds, 7_200);
  });

  test("webhooks that are due at enabled endpoints; those of later, delivered ones and disabled endpoints do not count", async () => {
    const { pool } = database;
    const merchant = randomUUID();
    const endpoint = async (enabled: boolean): Promise<string> => {
      const id = randomUUID();
      await pool`insert into webhook_endpoints (merchant_id, id, url, enabled, secret, created_at, updated_at)
        values (${merchant}, ${id}, 'https://shop.example', ${enabled}, ${Buffer.from("s")}, ${NOW}, ${NOW})`;
      return id;
    };
    const [on, off] = [await endpoint(true), await endpoint(false)];
    for (const [to, dueAt] of [
      [on, ago(60)],
      [on, ago(5)],
      [on, ago(-60)],
      [on, null],
      [off, ago(600)],
    ] as const)
      await pool`insert into webhook_deliveries
        (merchant_id, endpoint_id, id, type, transaction_id, sequence, occurred_at, created_at, due_at, attempts, delivered)
        values (${merchant}, ${to}, ${randomUUID()}, 'transaction.sale', ${randomUUID()}, 1, ${NOW}, ${NOW}, ${dueAt}, 0, false)`;
    assert.deepEqual((await readBacklog(pool, NOW)).webhooks, { due: 2, oldestSeconds: 60 });
  });

  test("the automatic capture is as late as the record that has been due for longest, and notifications that wait are counted", async () => {
    const { pool } = database;
    for (const seconds of [30, 90, -30])
      await pool`insert into auto_captures (merchant_id, processor_id, due_at, gathered)
        values (${randomUUID()}, ${randomUUID()}, ${ago(seconds)}, true)`;
    await pool`insert into waiting_notifications (merchant_id, processor_id, id, attempts, due_at)
      values (${randomUUID()}, ${randomUUID()}, 'one', 0, ${NOW})`;
    const { autoCaptureLagSeconds, notifications } = await readBacklog(pool, NOW);
    assert.deepEqual([autoCaptureLagSeconds, notifications], [90, 1]);
  });
});
