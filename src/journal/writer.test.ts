// With a real database, and a wire to it that is cut.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, mock, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { emptyDatabase, type FreshDatabase } from "../../test/database.ts";
import { type Wire, wireTo } from "../../test/wire.ts";
import { arrayOf } from "./columns.ts";
import { openPool, type Sql } from "./database.ts";
import { JournalUnavailable, JournalUncertain } from "./journal.ts";
import { type GroupWrite, openWriter, type Writer } from "./writer.ts";

const PATIENCE_MS = 600;

describe("a writer", () => {
  let database: FreshDatabase;
  let wire: Wire;
  let writer: Writer<number, string>;
  /** Runs before each statement, on the writer's own connection. */
  let first: (sql: Sql) => Promise<unknown> = async () => undefined;
  let statements: number[][] = [];
  /** Runs before each look. */
  let looking: (sql: Sql) => Promise<unknown> = async () => undefined;

  const group: GroupWrite<number, string> = {
    statement: async (sql, rows) => {
      statements.push([...rows]);
      await first(sql);
      const inserted = await sql<{ id: number }[]>`
        insert into kept (id) select * from unnest(${arrayOf(sql, "int4", rows)}) returning id`;
      return inserted.map(({ id }) => `wrote ${id}`);
    },
    look: async (sql, rows) => {
      await looking(sql);
      const found = await sql<{ id: number }[]>`select id from kept where id = any(${arrayOf(sql, "int4", rows)})`;
      return rows.map((row) => (found.some(({ id }) => id === row) ? `found ${row}` : undefined));
    },
  };
  const kept = async () => (await database.pool<{ id: number }[]>`select id from kept order by id`).map(({ id }) => id);
  /** Process ids at the server. */
  const sessions = async () => {
    const rows = await database.pool<{ pid: number }[]>`
      select pid from pg_stat_activity where application_name = 'the writer'`;
    return rows.map(({ pid }) => pid);
  };

  before(async () => {
    database = await emptyDatabase();
    await database.pool`create table kept (id int primary key check (id > 0))`;
  });
  after(() => database.drop());
  beforeEach(async () => {
    wire = await wireTo(database.address);
    writer = openWriter(wire.address, "the writer", group, { patienceMs: PATIENCE_MS });
    statements = [];
    first = async () => undefined;
    looking = async () => undefined;
  });
  afterEach(async () => {
    await wire.end();
    await writer.close();
    await database.pool`truncate kept`;
  });

  test("writes all rows of a group in one statement, and gives each its result", async () => {
    assert.deepEqual(await writer.write([3, 1, 2]), ["wrote 3", "wrote 1", "wrote 2"]);
    assert.deepEqual([await kept(), statements], [[1, 2, 3], [[3, 1, 2]]]);
  });

  test("says what the database says of a row, and writes nothing", async () => {
    await assert.rejects(writer.write([1, -1]), { code: "23514" });
    assert.deepEqual([await kept(), statements.length], [[], 1]);
  });

  test("tries again at once what the database undid, and not for ever", async () => {
    let left = 2;
    first = () => (left-- > 0 ? deadlock() : Promise.resolve());
    assert.deepEqual(await writer.write([1]), ["wrote 1"]);
    assert.equal(statements.length, 3);
    left = 100;
    await assert.rejects(writer.write([2]), { code: "40P01" });
    assert.equal(statements.length, 13);
  });
  const deadlock = () => Promise.reject(Object.assign(new Error("deadlock detected"), { code: "40P01" }));

  test("a session that is ended in the middle of a statement: the rows are written once all the same", async () => {
    await writer.write([1]);
    let ended = false;
    first = async (sql) => {
      if (ended) return;
      ended = true;
      await database.pool`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'the writer'`;
      await sql`select 1`;
    };
    assert.deepEqual(await writer.write([2, 3]), ["wrote 2", "wrote 3"]);
    assert.deepEqual(await kept(), [1, 2, 3]);
  });

  test("a transaction that the server gave up, since nobody went on with it: the rows are written once all the same", async () => {
    let gaveUp = false;
    first = async (sql) => {
      if (gaveUp) return;
      gaveUp = true;
      await sql.begin(async (one) => {
        await one`insert into kept values (4)`;
        await one`set local idle_in_transaction_session_timeout = 20`;
        await sleep(200);
        await one`select 1`;
      });
    };
    assert.deepEqual(await writer.write([2, 3]), ["wrote 2", "wrote 3"]);
    assert.deepEqual(await kept(), [2, 3]);
  });

  test("the answer is lost after the commit: the rows are found, and not written again", async () => {
    await writer.write([1]);
    first = async () => {
      wire.loseAnswers();
      void sleep(100).then(async () => {
        await wire.cut();
        wire.mend();
      });
    };
    assert.deepEqual(await writer.write([2, 3]), ["found 2", "found 3"]);
    assert.deepEqual([await kept(), statements.length], [[1, 2, 3], 2]);
  });

  test("the database is away for a moment: the rows wait", async () => {
    await wire.cut();
    void sleep(PATIENCE_MS / 2).then(wire.mend);
    assert.deepEqual(await writer.write([1]), ["wrote 1"]);
  });

  test("away for longer, before anything was asked: surely not written", async () => {
    await wire.cut();
    await assert.rejects(writer.write([1]), JournalUnavailable);
    wire.mend();
    assert.deepEqual(await kept(), []);
    assert.deepEqual(await writer.write([2]), ["wrote 2"]);
  });

  for (const [where, stepMs] of [
    ["back", -86_400_000],
    ["ahead", 86_400_000],
  ] as const)
    test(`a clock that steps ${where} by a day meanwhile makes nobody wait for longer, or give up sooner`, async () => {
      await wire.cut();
      const since = performance.now();
      const given = assert.rejects(writer.write([1]), JournalUnavailable);
      await sleep(50);
      mock.timers.enable({ apis: ["Date"], now: Date.now() + stepMs });
      await Promise.race([given, sleep(10 * PATIENCE_MS)]).finally(() => mock.timers.reset());
      const waitedMs = performance.now() - since;
      assert.ok(waitedMs >= PATIENCE_MS && waitedMs < 5 * PATIENCE_MS, `${waitedMs} ms`);
    });

  test("away for longer after it was asked: nobody can tell, until it has recovered", async () => {
    await writer.write([1]);
    first = async () => {
      wire.loseAnswers();
      void sleep(50).then(wire.cut);
    };
    await assert.rejects(writer.write([2]), JournalUncertain);
    wire.mend();
    await writer.recover();
    assert.deepEqual(await kept(), [1, 2]);
    first = async () => undefined;
    assert.deepEqual(await writer.write([3]), ["wrote 3"]);
  });

  for (const [name, loses] of [
    ["asked", "loseQuestions"],
    ["answering", "loseAnswers"],
  ] as const)
    test(`a database that falls silent when ${name} is as gone as one that hangs up`, async () => {
      await writer.write([1]);
      wire[loses]();
      const began = Date.now();
      await assert.rejects(writer.write([2]), JournalUncertain);
      assert.ok(Date.now() - began < 3 * PATIENCE_MS);
      wire.mend();
      assert.deepEqual(await writer.write([3]), ["wrote 3"]);
    });

  test("a database that falls silent while it is looked into keeps nobody waiting", async () => {
    await writer.write([1]);
    first = async (sql) => {
      first = async () => undefined;
      await database.pool`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'the writer'`;
      wire.loseQuestions();
      await sql`select 1`;
    };
    const began = Date.now();
    await assert.rejects(writer.write([2]), JournalUncertain);
    assert.ok(Date.now() - began < 3 * PATIENCE_MS);
  });

  test("what may be there and cannot be looked up is uncertain, whatever the database says", async () => {
    await writer.write([1]);
    first = async () => {
      wire.loseAnswers();
      void sleep(100).then(async () => {
        await wire.cut();
        wire.mend();
      });
    };
    looking = (sql) => sql`select 1 / ${0}::int`;
    await assert.rejects(writer.write([2]), JournalUncertain);
    looking = async () => undefined;
    await writer.recover();
    assert.deepEqual(await kept(), [1, 2]);
  });

  test("the session of a node of the same name in another database of the server is not ended", async () => {
    const other = await emptyDatabase();
    const its = openPool(other.address, "the writer", { connections: 1 });
    const pid = async () => (await its<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid;
    const before = await pid();
    await writer.write([1]);
    await wire.cut();
    wire.mend();
    assert.deepEqual(await writer.write([2]), ["wrote 2"]);
    assert.equal(await pid(), before);
    await its.end();
    await other.drop();
  });

  // A statement that waits for a lock outlives its client, and commits when nobody expects it any more.
  for (const [whose, options] of [
    ["a session", ""],
    ["the session of a role that takes on another one", "-c role=pg_monitor"],
  ])
    test(`${whose} that is still at work on what was given up is ended before anything is looked up`, async () => {
      await database.pool`grant select, insert on kept to pg_monitor`;
      await writer.close();
      writer = openWriter({ ...wire.address, options } as Wire["address"], "the writer", group, {
        patienceMs: PATIENCE_MS,
      });
      await writer.write([1]);
      const lock = await database.pool.reserve();
      try {
        await lock`begin`;
        await lock`insert into kept values (2)`;
        await assert.rejects(writer.write([2, 3]), JournalUncertain);
        const [waiting] = await sessions();
        await writer.recover();
        const [now, ...others] = await sessions();
        assert.ok(waiting !== undefined && now !== waiting && others.length === 0);
      } finally {
        await lock`rollback`;
        lock.release();
      }
      await sleep(50);
      assert.deepEqual(await kept(), [1]);
    });

  test("a statement that somebody has stopped is tried again", async () => {
    await writer.write([1]);
    let left = 1;
    first = async (sql) => {
      if (left-- === 0) return;
      void sleep(50).then(
        () => database.pool`
          select pg_cancel_backend(pid) from pg_stat_activity where application_name = 'the writer' and state = 'active'`,
      );
      await sql`select pg_sleep(10)`;
    };
    assert.deepEqual(await writer.write([2]), ["wrote 2"]);
  });
});
