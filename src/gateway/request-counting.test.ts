import assert from "node:assert/strict";
import { test } from "node:test";
import pino from "pino";
import { v7 as uuidv7 } from "uuid";
import { freshDatabase } from "../../test/database.ts";
import { addRequests } from "../merchants/request-counts.ts";
import { type SharedCounts, sharedCounts } from "../shares/shared-counts.ts";
import { startRequestCounting } from "./request-counting.ts";

const LIMIT = 100;

test("a worker whose others have died counts as if they were there: with one that has just come they let through a tenth too many at most", async (t) => {
  const { pool: sql, drop } = await freshDatabase();
  const stops: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const stop of stops) await stop();
    await drop();
  });
  const token = uuidv7();
  const started = async (): Promise<SharedCounts> => {
    const [row] = await sql<[{ id: number }]>`
      insert into nodes (started_at, seen_at, clear_before) values (now(), now(), now()) returning id`;
    const counts = sharedCounts((some) => addRequests(sql, some));
    const log = pino({ level: "silent" });
    const { stop } = await startRequestCounting(counts, { sql, node: row.id, workers: 3, log });
    stops.push(stop);
    return counts;
  };
  const burst = async (counts: SharedCounts) => {
    const counted = Array.from({ length: 2 * LIMIT }, () => counts.count(token, LIMIT));
    return (await Promise.all(counted)).filter(({ nth }) => nth <= LIMIT).length;
  };
  const survivor = await started();
  const newcomer = await started();
  const passed = (await Promise.all([survivor, newcomer].map(burst))).reduce((sum, one) => sum + one);
  assert.ok(passed >= LIMIT && passed <= 1.1 * LIMIT, `${passed}`);
});
