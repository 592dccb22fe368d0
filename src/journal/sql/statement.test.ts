import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type FreshDatabase, freshDatabase } from "../../../test/database.ts";
import { codeOf, openPool, type Sql } from "../database.ts";
import type { Query } from "./query.ts";
import { statementOf } from "./statement.ts";

describe("a statement", () => {
  let database: FreshDatabase;
  let sql: Sql;
  before(async () => {
    database = await freshDatabase();
    sql = openPool(database.address, "statements", { connections: 2 });
    await sql`create table things (id int primary key, name text, "odd ""name" text, at timestamptz, words text[])`;
  });
  after(async () => {
    await sql.end({ timeout: 1 });
    await database.drop();
  });

  const shown = (query: unknown) => {
    const { template, filled } = (query as Query<object>).asked;
    const { text, values } = statementOf(template as TemplateStringsArray, filled);
    return [text.replace(/\s+/g, " "), values];
  };

  test("sends what stands in its braces beside its text, and takes queries and names among them into it", () => {
    const one = sql`where id = ${1} and name = ${"a"}`;
    assert.deepEqual(shown(sql`select ${"x"} from ${sql("a.b")} ${one} ${sql``} limit ${2}`), [
      'select $1 from "a"."b" where id = $2 and name = $3 limit $4',
      ["x", 1, "a", 2],
    ]);
    assert.deepEqual(shown(sql`where id in ${sql([1, 2])}`), ["where id in ($1, $2)", [1, 2]]);
    assert.deepEqual(shown(sql`update t set ${sql({ a: 1, b: null })} where c = ${3}`), [
      'update t set "a" = $1, "b" = $2 where c = $3',
      [1, null, 3],
    ]);
    assert.deepEqual(
      shown(
        sql`insert into t ${sql([
          { a: 1, b: 2 },
          { b: 4, a: 3 },
        ])} returning a`,
      ),
      ['insert into t ("a", "b") values ($1, $2), ($3, $4) returning a', [1, 2, 3, 4]],
    );
  });

  test("reads back what it wrote, of every type, and says how many rows there were", async () => {
    const row = {
      id: 1,
      name: "Ünï",
      'odd "name': null,
      at: new Date("2031-05-01T12:00:00.123Z"),
      words: ['a "b', "c"],
    };
    assert.equal((await sql`insert into things ${sql(row)}`).count, 1);
    assert.deepEqual([...(await sql`select * from things where id in ${sql([1, 2])}`)], [row]);
    const [types] = await sql`
      select ${true} as bool, ${7}::int as int4, ${9007199254740993n}::bigint as int8, 1.10::numeric as numeric,
        ${Buffer.from([0, 255])} as bytea, ${sql.json({ a: [1, null] })} as json, '2031-05-01'::date as date, 1.5::float8 as float`;
    assert.deepEqual(types, {
      bool: true,
      int4: 7,
      int8: "9007199254740993",
      numeric: "1.10",
      bytea: Buffer.from([0, 255]),
      json: { a: [1, null] },
      date: new Date("2031-05-01"),
      float: 1.5,
    });
    assert.equal((await sql`delete from things where id = ${1}`).count, 1);
  });

  test("is asked once, and not at all unless somebody waits for it", async () => {
    const never = sql`insert into things (id) values (10)`;
    const once = sql`insert into things (id) values (11)`;
    await Promise.all([once, once]);
    await once;
    assert.deepEqual([...(await sql`select id from things where id in (10, 11)`)], [{ id: 11 }]);
    assert.ok(never);
  });

  test("with a value that is none is not sent, and its connection goes on", async () => {
    const nothing = undefined as unknown as string;
    for (let time = 0; time < 5; time++) await assert.rejects(Promise.resolve(sql`select ${nothing}`), /no value/);
    assert.equal((await sql`select 1`).length, 1);
  });

  test("that was planned for a table as it was is planned anew when the table is another", async () => {
    const read = () => sql`select * from things where id = 11`;
    const keys = async () => Object.keys((await read())[0] ?? {}).length;
    const before = await Promise.all([keys(), keys(), keys()]);
    await database.pool`alter table things add column more int`;
    assert.deepEqual([...before, ...(await Promise.all([keys(), keys(), keys()]))], [5, 5, 5, 6, 6, 6]);
  });

  test("without parameters may be several, and its rows are those of the last", async () => {
    assert.deepEqual([...(await sql.unsafe("select 1 as a; create temp table t (b int); select 2 as b"))], [{ b: 2 }]);
    await assert.rejects(Promise.resolve(sql.unsafe("select 1; select 1 / 0")), (fault) => codeOf(fault) === "22012");
  });

  test("is answered whatever its answer and the ones before it were cut into", async () => {
    for (const length of [3_000_000, 1, 70_000, 0]) {
      const [row] = await sql`select repeat('x', ${length}::int) as long, 1 as one`;
      assert.deepEqual([String(row?.long).length, row?.one], [length, 1]);
    }
  });

  test("of a session has no other beside it, however they are asked", async () => {
    const read = await sql.begin((session) =>
      Promise.all(Array.from({ length: 20 }, (_, n) => session<{ n: number }[]>`select ${n}::int as n`)),
    );
    assert.deepEqual(
      read.map(([row]) => row?.n),
      Array.from({ length: 20 }, (_, n) => n),
    );
    const session = await sql.reserve();
    await session`set application_name = 'reserved'`;
    assert.deepEqual([...(await session`show application_name`)], [{ application_name: "reserved" }]);
    session.release();
  });
});

describe("questions to a database that says nothing, or has no connection free", () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  test("end, and what comes after them is answered", async () => {
    const sql = openPool(database.address, "silent", { connections: 1, deadlineMs: 100 });
    await assert.rejects(Promise.resolve(sql`select pg_sleep(60)`), (fault) => codeOf(fault) === "STATEMENT_DEADLINE");
    assert.deepEqual([...(await sql`select 1 as one`)], [{ one: 1 }]);
    await sql.end({ timeout: 1 });
  });

  test("end where the server has another limit for them, too; where it has none they take as long as they take", async () => {
    const sql = openPool(database.address, "silent", { connections: 1, deadlineMs: 100 });
    const limited = (limitMs: number) =>
      sql.begin(async (one) => {
        await one.unsafe(`set local statement_timeout = ${limitMs}`);
        return one<[{ one: number }]>`select 1 as one from pg_sleep(0.5)`;
      });
    await assert.rejects(limited(60_000), (fault) => codeOf(fault) === "STATEMENT_DEADLINE");
    assert.deepEqual([...(await limited(0))], [{ one: 1 }]);
    await sql.end({ timeout: 1 });
  });

  test("are stopped by the server, and the connection is not used again", async () => {
    const sql = openPool(database.address, "stopped", { connections: 1, statementTimeoutMs: 100 });
    const pid = async () => (await sql<[{ pid: number }]>`select pg_backend_pid() as pid`)[0].pid;
    const before = await pid();
    await assert.rejects(Promise.resolve(sql`select pg_sleep(60)`), (fault) => codeOf(fault) === "57014");
    assert.notEqual(await pid(), before);
    await sql.end({ timeout: 1 });
  });

  test("wait so long and no longer, and no more of them than may", async () => {
    const sql = openPool(database.address, "busy", { connections: 1, waitMs: 3_000, mostWaiting: 2 });
    const busy = (fault: unknown) => codeOf(fault) === "CONNECTIONS_BUSY";
    const session = await sql.reserve();
    const waiting = [sql`select 1`, sql`select 1`].map((query) => assert.rejects(Promise.resolve(query), busy));
    await assert.rejects(Promise.resolve(sql`select 1`), busy);
    assert.equal(sql.counts().waiting, 2);
    await Promise.all(waiting);
    session.release();
    assert.equal((await sql`select 1`).length, 1);
    await sql.end({ timeout: 1 });
  });

  test("on a transaction that was left open end it: its connection is not given to another", async () => {
    const sql = openPool(database.address, "left open", { connections: 1 });
    const session = await sql.reserve();
    await session`begin`;
    await session`create table half_way (n int)`;
    session.release();
    assert.deepEqual([...(await sql`select to_regclass('half_way') as there`)], [{ there: null }]);
    await sql.end({ timeout: 1 });
  });
});
