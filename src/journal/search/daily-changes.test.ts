// Changes of past days are prepared, and every list is exact all the same.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../../test/database.ts";
import { fill } from "../../../test/fixtures/filled-block.ts";
import { openPool } from "../database.ts";
import { lister } from "./ask.ts";
import { daysBefore, forgetDays, prepareDay } from "./daily-changes.ts";
import type { ListFilter } from "./list-filter.ts";
import { findPage } from "./lists.ts";

const DAY_MS = 86_400_000;
const BEGIN = Date.parse("2031-05-01T00:00:00Z");
const day = (nth: number) => new Date(BEGIN + nth * DAY_MS);
/** So many that the events of all are not looked through. */
const TRANSACTIONS = 2_500;
/** Of which changes tell. */
const DAYS = 9;

describe("changes of past days", () => {
  let database: FreshDatabase;
  const merchantId = v7();
  before(async () => {
    database = await freshDatabase();
    await fill(database.pool, merchantId, new Date(BEGIN + 30_000), TRANSACTIONS);
    await database.pool`
      insert into nodes (started_at, seen_at, clear_before) values (${day(0)}, now(), ${day(DAYS + 1)})`;
    // At the ends of days too, and several of one transaction, on one day and on different ones.
    for (const [sequence, type] of [
      [2, "refund"],
      [3, "capture"],
    ] as const)
      await database.pool`
        insert into events (merchant_id, transaction_id, sequence, id, type, amount, processor_id, reversal, node_id, created_at)
        select merchant_id, id, ${sequence}::int4, gen_random_uuid(), ${type}, 1, id, false, 1,
          ${day(0)}::timestamptz + (1 + (number - ${sequence}) % 16) * interval '12 hours' - (number % 3) * interval '1 ms'
        from transactions where merchant_id = ${merchantId} and number % ${sequence + 1}::int8 = 0 and number > 20`;
    await database.pool`
      insert into outcomes (merchant_id, transaction_id, sequence, kind, processor_code, processor_message, created_at, changed_at)
      select merchant_id, id, 1, 'approved', '00', 'APPROVED', ${day(5)}::timestamptz - interval '1 s', ${day(5)}::timestamptz - interval '1 s'
      from transactions where merchant_id = ${merchantId} and number % 5 = 0`;
    await database.pool`
      insert into late_failures (merchant_id, transaction_id, sequence, failure, created_at)
      select merchant_id, id, 1, '{}', ${day(6)} from transactions where merchant_id = ${merchantId} and number % 50 = 0`;
  });
  after(() => database.drop());

  const asker = () => lister(database.pool, merchantId);
  const prepareAll = async (settled: Date) => {
    while (await prepareDay(asker(), merchantId, settled));
  };
  const preparedDays = async () => {
    const [row] = await database.pool<[{ days: number }]>`
      select count(*)::int4 as days from daily_changes where merchant_id = ${merchantId}`;
    return row.days;
  };

  /** As it was in the beginning. */
  const lastChanges: number[] = [];
  async function readLastChanges(): Promise<void> {
    const rows = await database.pool<{ last: number }[]>`
      select floor(extract(epoch from max(at)))::float8 as last from (
        select transaction_id, created_at as at from events where merchant_id = ${merchantId}
        union all select transaction_id, changed_at from outcomes where merchant_id = ${merchantId}
        union all select transaction_id, created_at from late_failures where merchant_id = ${merchantId}
      ) changes group by transaction_id`;
    lastChanges.splice(0, lastChanges.length, ...rows.map(({ last }) => last * 1_000));
  }

  /** By a process that knows nothing yet. */
  async function isExact(...periods: readonly (readonly [from: Date | undefined, to: Date | undefined])[]) {
    const pool = openPool(database.address, "another node", { connections: 2 });
    try {
      for (const [from, to] of periods) {
        const period = { ...(from && { updatedFrom: from }), ...(to && { updatedTo: to }) };
        const expected = lastChanges.filter((at) => at >= (from?.getTime() ?? 0) && at <= (to?.getTime() ?? Infinity));
        assert.equal((await findPage(pool, merchantId, period, 1)).total, expected.length, JSON.stringify(period));
      }
    } finally {
      await pool.end();
    }
  }
  const everyPeriod = () =>
    isExact([day(7), undefined], [day(2), day(5)], [undefined, day(1)], [day(-3), undefined], [undefined, day(8)]);

  test("are prepared once nothing of them can come any more, the oldest first", async () => {
    await readLastChanges();
    await prepareAll(new Date(day(5).getTime() - 1));
    assert.equal(await preparedDays(), 1);
    await everyPeriod();
    await prepareAll(day(DAYS));
    assert.equal(await preparedDays(), 6);
    assert.equal(await prepareDay(asker(), merchantId, day(DAYS)), false);
  });

  test("tell what any period has, at the ends of seconds and days, beside those that are not prepared", async () => {
    const instant = fc.tuple(fc.integer({ min: -1, max: 20 }), fc.integer({ min: -2, max: 2 }));
    const at = fc.option(
      instant.map(([halves, seconds]) => new Date(BEGIN + halves * (DAY_MS / 2) + seconds * 1_000)),
      { nil: undefined },
    );
    const periods = fc.array(fc.tuple(at, at), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(periods, (some) => isExact(...some)),
      { numRuns: 40 },
    );
  });

  /** By a process that knows nothing yet. */
  async function having(type: "refund" | "capture", period: ListFilter = {}): Promise<number> {
    const pool = openPool(database.address, "another node", { connections: 2 });
    try {
      return (await findPage(pool, merchantId, { ...period, event: { type } }, 1)).total;
    } finally {
      await pool.end();
    }
  }

  test("are read instead of events, also to find follow-ups of a type", async () => {
    const { pool } = database;
    const [row] = await pool<[{ refunded: number; captured: number }]>`
      select count(distinct transaction_id) filter (where type = 'refund')::int4 as refunded,
        count(distinct transaction_id) filter (where type = 'capture')::int4 as captured
      from events where merchant_id = ${merchantId}`;
    const followUpsAreFound = async () =>
      assert.deepEqual([await having("refund"), await having("capture")], [row.refunded, row.captured]);
    await followUpsAreFound();
    assert.equal(await having("refund", { createdFrom: day(0), createdTo: day(7) }), row.refunded);
    const past = pool`merchant_id = ${merchantId} and sequence > 1 and created_at < ${day(6)}`;
    await pool`create table kept (like events)`;
    await pool`insert into kept select * from events where ${past}`;
    await pool`delete from events where ${past}`;
    await everyPeriod();
    await followUpsAreFound();
    await pool`insert into events select * from kept`;
  });

  test("are told without gaps between them, the latest first", async () => {
    const found = async (before: Date, since: Date) =>
      (await daysBefore(asker(), merchantId, before, since)).map(({ fromMs }) => (fromMs - BEGIN) / DAY_MS);
    assert.deepEqual(await found(day(6), day(3)), [5, 4, 3]);
    assert.deepEqual(await found(new Date(day(5).getTime() + 1), day(4)), [5, 4]);
    assert.deepEqual(await found(day(8), day(3)), [5, 4, 3]);
    assert.deepEqual(await found(day(8), day(6)), []);
    assert.deepEqual(await daysBefore(asker(), v7(), day(6), day(3)), [], "another merchant has none");
    await database.pool`delete from daily_changes where merchant_id = ${merchantId} and day = '2031-05-03'`;
    assert.deepEqual(await found(day(6), day(-9)), [5, 4, 3]);
    await everyPeriod();
  });

  test("of a day that has too many are not prepared: it is read from its events, and the days after it are prepared", async () => {
    await database.pool`delete from daily_changes where merchant_id = ${merchantId}`;
    const [row] = await database.pool<[{ most: number }]>`
      select max(changes)::int4 as most from (
        select count(*) as changes from events where merchant_id = ${merchantId} and sequence > 1
        group by (created_at at time zone 'UTC')::date
      ) days`;
    while (await prepareDay(asker(), merchantId, day(DAYS), row.most - 1));
    assert.equal(await preparedDays(), 6);
    const [empty] = await database.pool<[{ days: number }]>`
      select count(*)::int4 as days from daily_changes where merchant_id = ${merchantId} and changes is null`;
    assert.ok(empty.days >= 1 && empty.days < 6);
    await everyPeriod();
  });

  test("are gone with a restore, are not prepared while it lasts, and then tell what is there", async () => {
    await database.pool.begin(async (sql) => {
      await forgetDays(sql, merchantId);
      await sql`
        update events set created_at = created_at + interval '25 hours'
        where merchant_id = ${merchantId} and sequence = 2 and created_at < ${day(3)}`;
      assert.equal(await prepareDay(asker(), merchantId, day(DAYS)), false);
    });
    assert.equal(await preparedDays(), 0);
    await readLastChanges();
    await everyPeriod();
    await prepareAll(day(DAYS));
    assert.equal(await preparedDays(), 6);
    await everyPeriod();
  });
});
