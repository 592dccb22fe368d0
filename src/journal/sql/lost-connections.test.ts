import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type FreshDatabase, freshDatabase } from "../../../test/database.ts";
import { connectionLost, openPool, type Sql } from "../database.ts";
import type { TransactionSql } from "./sql.ts";

const SOON_MS = 60_000;
const BREAKING_MS = 3_000;

describe("a pool whose connections are ended by the server", () => {
  let database: FreshDatabase;
  let pool: Sql;
  before(async () => {
    database = await freshDatabase();
    pool = openPool(database.address, "doomed");
    await database.pool`create table written (n int primary key)`;
  });
  after(async () => {
    await pool.end({ timeout: 1 });
    await database.drop();
  });

  const endAll = () =>
    database.pool`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'doomed'`;
  const one = async () => assert.deepEqual([...(await pool`select 1 as one`)], [{ one: 1 }]);
  const written = async () =>
    (await database.pool<{ n: number }[]>`select n from written order by n`).map(({ n }) => n);

  test("fails what it was asked, and answers what it is asked next", async () => {
    for (let time = 0; time < 5; time++) {
      const asked = assert.rejects(pool`select pg_sleep(60)`, connectionLost);
      await started("pg_sleep");
      await endAll();
      await asked;
      await one();
    }
  });

  test("fails a transaction at whose statement it is lost, and undoes it", async () => {
    const transaction = pool.begin(async (sql) => {
      await sql`insert into written values (1)`;
      await sql`select pg_sleep(60)`;
    });
    const failed = assert.rejects(transaction, connectionLost);
    await started("pg_sleep");
    await endAll();
    await failed;
    await one();
    assert.deepEqual(await written(), []);
  });

  const further = {
    "for a statement": (sql: TransactionSql) => sql`insert into written values (2)`,
    "for a statement of the writers": (sql: TransactionSql) => sql.unsafe("insert into written values (2)"),
  };
  for (const [what, ask] of Object.entries(further))
    test(`asks ${what} no more in a transaction that is lost, whatever its work makes of the loss`, async () => {
      const reached: string[] = [];
      const transaction = pool.begin(async (sql) => {
        await sql`insert into written values (1)`;
        await sql`select pg_sleep(60)`.catch(() => reached.push("behind the loss"));
        await sleep(50);
        await ask(sql);
        reached.push("the end");
      });
      const failed = assert.rejects(transaction, connectionLost);
      await started("pg_sleep");
      await endAll();
      await failed;
      await sleep(100);
      await one();
      assert.deepEqual(await written(), []);
      assert.deepEqual(reached, ["behind the loss"]);
    });

  test("fails a transaction before whose commit it is lost", async () => {
    const transaction = pool.begin(async (sql) => {
      await sql`insert into written values (1)`;
      await endAll();
      await sleep(100);
    });
    await assert.rejects(transaction, connectionLost);
    await one();
    assert.deepEqual(await written(), []);
  });

  test("keeps a transaction that was committed, and undoes one whose work failed, as ever", async () => {
    await pool.begin((sql) => sql`insert into written values (3)`);
    const failed = pool.begin("isolation level serializable", async (sql) => {
      await sql`insert into written values (4)`;
      throw new Error("not this one");
    });
    await assert.rejects(failed, /not this one/);
    const swallowed = pool.begin(async (sql) => {
      await sql`insert into written values (5)`;
      await sql`insert into written values (3)`.catch(() => undefined);
    });
    await assert.rejects(swallowed, /duplicate key/);
    assert.deepEqual(await written(), [3]);
    await one();
  });

  test("leaves no question without an end, whatever was asked while connections broke", async () => {
    let running = true;
    const ender = (async () => {
      while (running) {
        await endAll();
        await sleep(1);
      }
    })();
    const rounds = async () => {
      for (const end = performance.now() + BREAKING_MS; performance.now() < end; ) {
        const asked = Array.from(
          { length: 12 },
          (_, n) => pool<{ n: number }[]>`select ${n}::int as n from pg_sleep(0.001)`,
        );
        for (const [n, answer] of (await Promise.allSettled(asked)).entries()) {
          if (answer.status === "fulfilled") assert.deepEqual([...answer.value], [{ n }], "an answer is one's own");
          else assert.ok(connectionLost(answer.reason), String(answer.reason));
        }
      }
    };
    await rounds().finally(() => {
      running = false;
    });
    await ender;
    await soon(async () => (await pool`select 1`.catch(() => [])).length === 1);
  });

  async function started(statement: string): Promise<void> {
    await soon(async () => {
      const [row] = await database.pool<[{ running: boolean }]>`
        select exists (select from pg_stat_activity
          where application_name = 'doomed' and state = 'active' and query like ${`%${statement}%`}) as running`;
      return row.running;
    });
  }
});

async function soon(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + SOON_MS; !(await holds()); await sleep(5))
    assert.ok(Date.now() < deadline, "it does not come about");
}
