// A connection of one's own: whoever has it next finds nothing of it still under way.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type FreshDatabase, freshDatabase } from "../../../test/database.ts";
import { codeOf, openPool, type Sql } from "../database.ts";
import type { TransactionSql } from "./sql.ts";

describe("a connection of one's own", () => {
  let database: FreshDatabase;
  let sql: Sql;
  before(async () => {
    database = await freshDatabase();
    sql = openPool(database.address, "sessions", { connections: 1 });
    await sql`create table written (n int primary key)`;
  });
  after(async () => {
    await sql.end({ timeout: 1 });
    await database.drop();
  });

  const one = async () => assert.deepEqual([...(await sql`select 1 as one`)], [{ one: 1 }]);
  const written = async () => (await sql<{ n: number }[]>`select n from written order by n`).map(({ n }) => n);
  const afterItsEnd = (session: TransactionSql) =>
    assert.rejects(Promise.resolve(session`insert into written values (99)`), /after the end/);

  test("goes to the next once all that was asked on it is answered, and takes nothing more then", async () => {
    const session = await sql.reserve();
    const slow = session`select 'slow' as word from pg_sleep(0.1)`.then((rows) => [...rows]);
    session.release();
    await one();
    assert.deepEqual(await slow, [{ word: "slow" }]);
    await afterItsEnd(session);
  });

  test("commits what its work did not wait for, too, and takes nothing more then", async () => {
    let kept: TransactionSql | undefined;
    await sql.begin((transaction) => {
      kept = transaction;
      void transaction`insert into written select 1 from pg_sleep(0.1)`.then();
    });
    assert.ok(kept);
    await afterItsEnd(kept);
    assert.deepEqual(await written(), [1]);
  });

  test("commits nothing where what its work did not wait for failed", async () => {
    const failed = sql.begin((transaction) => {
      void transaction`insert into written values (2)`.then();
      void transaction`insert into written values (1)`.catch(() => undefined);
    });
    await assert.rejects(failed, (fault) => codeOf(fault) === "23505");
    assert.deepEqual(await written(), [1]);
  });

  test("undoes what its work did not wait for when the work fails, and goes to the next after that", async () => {
    const failed = sql.begin((transaction) => {
      void transaction`insert into written select 3 from pg_sleep(0.1)`.then();
      throw new Error("not this one");
    });
    await assert.rejects(failed, /not this one/);
    await one();
    assert.deepEqual(await written(), [1]);
  });

  test("begins its transaction as it was told", async () => {
    const read = (transaction: TransactionSql) => transaction`
      select current_setting('transaction_isolation') as isolation, current_setting('transaction_read_only') as read_only`;
    assert.deepEqual(
      [...(await sql.begin("isolation level repeatable read read only", read))],
      [{ isolation: "repeatable read", read_only: "on" }],
    );
    assert.deepEqual([...(await sql.begin(read))], [{ isolation: "read committed", read_only: "off" }]);
  });
});
