import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { fill } from "../../test/fixtures/filled-block.ts";
import { until } from "../../test/receiver.ts";
import { openPool } from "../journal/database.ts";
import { addUpFigures } from "../journal/figures.ts";
import { exporter } from "../journal/search/ask.ts";
import { BLOCK_SIZE } from "../journal/search/block-set.ts";
import { startPreparingFigures, startPreparingLists } from "./prepare-reads.ts";

const LATEST = new Date("2031-05-01T12:00:00Z");
const LATER = new Date("2031-05-03T12:00:00Z");
/** Every one of them is longer not added up than the last. */
const FAILING = 25;

describe("figures are added up in the background", () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  const merchant = async (events: number): Promise<string> => {
    const id = v7();
    await database.pool`insert into merchants (id, name, created_at) values (${id}, 'merchant', ${LATEST})`;
    await fill(database.pool, id, LATEST, events);
    return id;
  };
  /** What happens at each row of figures. */
  const atEachRow = (statements: string) =>
    database.pool.unsafe(`
      create or replace function at_each_row() returns trigger language plpgsql as $$ begin ${statements} return new; end $$;
      create or replace trigger at_each_row before insert on figures for each row execute function at_each_row()`);
  const eventsOf = async (id: string): Promise<number> => {
    const [row] = await database.pool<{ events: number }[]>`
      select coalesce(sum(events), 0)::int as events from figures where merchant_id = ${id}`;
    return row?.events ?? 0;
  };

  test("also of a merchant behind many whose figures cannot be added up", async () => {
    for (let nth = 0; nth < FAILING; nth++) await merchant(1);
    const sound = await merchant(3);
    await database.pool`insert into figures_known (merchant_id, before) values (${sound}, '2000-01-01Z')`;
    await atEachRow(`if new.merchant_id <> '${sound}' then raise exception 'broken'; end if;`);
    const warnings: string[] = [];
    const warn = (_: object, message: string) => void warnings.push(message);
    const log = { info: () => undefined, warn, error: () => undefined };
    const { stop } = startPreparingFigures({ clock: { now: () => LATER }, log }, database.pool);
    try {
      await until("the last merchant's are added up", async () => (await eventsOf(sound)) === 3);
    } finally {
      await stop();
    }
    assert.deepEqual(warnings, Array(FAILING).fill("figures could not be added up"));
  });

  test("a day with more than one statement gets through in its time is added up in parts", async () => {
    const id = await merchant(6);
    await database.pool`
      update events e set created_at = ${LATEST}::timestamptz + number * interval '30 minutes' + interval '15 minutes' from transactions t
      where e.merchant_id = ${id} and t.merchant_id = ${id} and t.id = e.transaction_id`;
    await atEachRow("perform pg_sleep(0.36);");
    const impatient = openPool(database.address, "impatient", { statementTimeoutMs: 1_000 });
    try {
      await addUpFigures(exporter(impatient, id), id, LATER, 100);
    } finally {
      await impatient.end({ timeout: 1 });
    }
    // Two of its four hours in a second: its stretches were cut down to an hour and a half, and hold whole hours all the same.
    assert.equal(await eventsOf(id), 6);
  });
});

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
    const { stop } = startPreparingLists({ log }, database.pool);
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
