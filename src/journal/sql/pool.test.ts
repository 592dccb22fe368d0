// How many connections there are, who gets one, and what is left of them in the end.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type FreshDatabase, freshDatabase } from "../../../test/database.ts";
import { codeOf, openPool } from "../database.ts";

/** Tells what takes long from what hangs. */
const HANGS = { timeout: 60_000 };

describe("connections", HANGS, () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  test("are never more than may be, however many ask at once", HANGS, async () => {
    const sql = openPool(database.address, "three", { connections: 3 });
    const asked = Array.from(
      { length: 20 },
      () => sql<[{ pid: number }]>`select pg_backend_pid() as pid from pg_sleep(0.02)`,
    );
    const pids = new Set((await Promise.all(asked)).map(([{ pid }]) => pid));
    assert.ok(pids.size <= 3, `${pids.size} connections`);
    // One may have been made too late to be asked.
    const { idle, ...others } = sql.counts();
    assert.ok(idle >= pids.size && idle <= 3, `${idle} are idle`);
    assert.deepEqual(others, { busy: 0, most: 3, waiting: 0 });
    await sql.end({ timeout: 1 });
  });

  test("stay when the time is over that they had to be made in", HANGS, async () => {
    const sql = openPool(database.address, "made in time", { connections: 1, connectTimeoutMs: 500 });
    const pid = async () => (await sql<[{ pid: number }]>`select pg_backend_pid() as pid`)[0].pid;
    const before = await pid();
    await sleep(700);
    assert.equal(await pid(), before);
    await sql.end({ timeout: 1 });
  });

  test("that are lost make room for others: who waits gets one", HANGS, async () => {
    const sql = openPool(database.address, "lost", { connections: 1 });
    const session = await sql.reserve();
    const [{ pid }] = await session<[{ pid: number }]>`select pg_backend_pid() as pid`;
    const waiting = sql`select 1 as one`.then((rows) => [...rows]);
    await database.pool`select pg_terminate_backend(${pid})`;
    assert.deepEqual(await waiting, [{ one: 1 }]);
    session.release();
    assert.deepEqual([...(await sql`select 2 as two`)], [{ two: 2 }]);
    await sql.end({ timeout: 1 });
  });

  test("that nobody uses are all given up when the server hangs up on one of them", HANGS, async () => {
    const sql = openPool(database.address, "idle", { connections: 3 });
    const [first, ...others] = await Promise.all([sql.reserve(), sql.reserve(), sql.reserve()]);
    const [{ pid }] = await first<[{ pid: number }]>`select pg_backend_pid() as pid`;
    for (const session of [first, ...others]) session.release();
    while (sql.counts().idle < 3) await sleep(5);
    await database.pool`select pg_terminate_backend(${pid})`;
    while (sql.counts().idle > 0) await sleep(5);
    assert.deepEqual([...(await sql`select 1 as one`)], [{ one: 1 }]);
    await sql.end({ timeout: 1 });
  });

  test("that the database refuses are no answer to wait for, and are tried again", HANGS, async () => {
    const name = `${database.address.database}_later`;
    const sql = openPool({ ...database.address, database: name }, "later", { connections: 1 });
    for (let time = 0; time < 3; time++)
      await assert.rejects(Promise.resolve(sql`select 1`), (fault) => codeOf(fault) === "3D000");
    await database.pool`create database ${database.pool(name)}`;
    assert.deepEqual([...(await sql`select 1 as one`)], [{ one: 1 }]);
    await sql.end({ timeout: 1 });
    await database.pool`drop database ${database.pool(name)} with (force)`;
  });

  test("have so many statements planned, and whatever else is asked is answered all the same", HANGS, async () => {
    const sql = openPool(database.address, "planned", { connections: 1 });
    for (let nth = 0; nth < 520; nth++) {
      const rows = await sql.unsafe(`select $1::int + ${nth} as sum`, [1], { prepare: true });
      assert.deepEqual([...rows], [{ sum: nth + 1 }]);
    }
    const [planned] = await sql.unsafe("select count(*)::int as planned from pg_prepared_statements");
    assert.ok(Number(planned?.planned) <= 501, `${planned?.planned} are planned`);
    await sql.end({ timeout: 1 });
  });

  test("plan a statement anew when its table has changed, and forget the outdated plan", HANGS, async () => {
    const sql = openPool(database.address, "outdated", { connections: 1 });
    await sql.unsafe("create temporary table changing (c0 int)");
    await sql.unsafe("insert into changing values (0)");
    for (let nth = 1; nth <= 5; nth++) {
      const [row] = await sql.unsafe("select * from changing where c0 < $1::int", [1], { prepare: true });
      assert.equal(Object.keys(row ?? {}).length, nth);
      await sql.unsafe(`alter table changing add c${nth} int`);
    }
    const planned = await sql.unsafe("select 1 from pg_prepared_statements where statement like '%from changing%'");
    assert.equal(planned.length, 1);
    await sql.end({ timeout: 1 });
  });

  test(
    "end once what is in flight is answered; what waits for one is refused, and so is what comes later",
    HANGS,
    async () => {
      const sql = openPool(database.address, "ending", { connections: 1 });
      const ended = (fault: unknown) => codeOf(fault) === "CONNECTION_ENDED";
      const inFlight = sql`select 1 as one from pg_sleep(0.1)`.then((rows) => [...rows]);
      const waiting = assert.rejects(Promise.resolve(sql`select 2`), ended);
      while (sql.counts().busy === 0) await sleep(5);
      const end = sql.end({ timeout: 3_600 });
      await assert.rejects(Promise.resolve(sql`select 3`), ended);
      assert.deepEqual(await inFlight, [{ one: 1 }]);
      await Promise.all([waiting, end]);
      assert.deepEqual(sql.counts(), { busy: 0, idle: 0, most: 1, waiting: 0 });
    },
  );

  test("end though what is in flight has no answer for too long", HANGS, async () => {
    const sql = openPool(database.address, "ending", { connections: 1 });
    const inFlight = assert.rejects(
      Promise.resolve(sql`select pg_sleep(3600)`),
      (fault) => codeOf(fault) === "CONNECTION_ENDED",
    );
    while (sql.counts().busy === 0) await sleep(5);
    await sql.end({ timeout: 0.1 });
    await inFlight;
  });

  test("leave no timer behind that would keep a command from ending", HANGS, async () => {
    const timers = () => process.getActiveResourcesInfo().filter((one) => one === "Timeout").length;
    const before = timers();
    const sql = openPool(database.address, "timers", { connections: 1 });
    await Promise.all([sql`select 1`, sql`select 2`]);
    await sql.begin((transaction) => transaction`select 3`);
    await sql.end();
    assert.ok(timers() <= before, `${timers() - before} timers`);
  });
});
