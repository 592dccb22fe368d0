import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { fill } from "../../test/fixtures/filled-block.ts";
import { until } from "../../test/receiver.ts";
import { BLOCK_SIZE } from "../journal/search/block-set.ts";
import { startPreparing } from "./prepare-lists.ts";

const LATEST = new Date("2031-05-01T12:00:00Z");

describe("lists are prepared in the background", () => {
  let database: FreshDatabase;
  const [big, small] = [v7(), v7()];
  before(async () => {
    database = await freshDatabase();
    await fill(database.pool, big, LATEST, BLOCK_SIZE);
    await fill(database.pool, small, LATEST, 100);
    await database.pool`
      insert into nodes (started_at, seen_at, clear_before) values (${LATEST}, now(), '2031-05-06T12:00:00Z')`;
  });
  after(() => database.drop());

  test("full blocks, the standings of all, and days that are three days past, until it is stopped", async () => {
    const warnings: string[] = [];
    const warn = (_: object, message: string) => void warnings.push(message);
    const log = { info: () => undefined, warn, error: () => undefined };
    const { stop } = startPreparing({ log }, database.pool);
    const prepared = async () => {
      const { pool } = database;
      const words = await pool`select merchant_id from block_words`;
      const standings = await pool`select merchant_id, block::int4 from block_standings order by block`;
      const days = await pool`select merchant_id, day::text from daily_changes order by day`;
      return {
        words: words.map(({ merchant_id }) => merchant_id),
        standings: standings.map((row) => [row.merchant_id, row.block]),
        days: days.map((row) => [row.merchant_id, row.day]),
      };
    };
    await until("two days are prepared", async () => (await prepared()).days.length === 2);
    await until("two blocks' standings are prepared", async () => (await prepared()).standings.length === 2);
    for (let fields = 1; fields <= 17; fields++)
      await until(`${fields} fields are prepared`, async () => (await prepared()).words.length >= fields);
    await stop();
    const { words, standings, days } = await prepared();
    assert.deepEqual(new Set(words), new Set([big]));
    assert.deepEqual(standings, [
      [big, 0],
      [big, 1],
    ]);
    assert.deepEqual(days, [
      [big, "2031-05-01"],
      [big, "2031-05-02"],
    ]);
    assert.deepEqual(warnings, []);
  });
});
