import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { emptyDatabase, freshDatabase } from "../../test/database.ts";
import { codeOf, connectionLost, faultOfRow, openPool, type Sql, violates } from "./database.ts";

describe("the rows of a query", () => {
  let pool: Sql;
  before(async () => {
    pool = openPool((await freshDatabase()).address);
  });
  after(() => pool.end({ timeout: 1 }));

  const counted = (to: number) => pool<{ n: number; text: string }[]>`
    select n, ${"a text"}::text as text from generate_series(1, ${to}::int) as n`;

  test("are all there, in their order", async () => {
    for (const count of [0, 1, 1_000]) {
      const expected = Array.from({ length: count }, (_, index) => ({ n: index + 1, text: "a text" }));
      assert.deepEqual(await counted(count), expected);
    }
  });

  test("of a query that fails its fault is told, and the next query has its rows", async () => {
    const divided = pool<{ n: number }[]>`select 1 / ${0}::int as n`;
    await assert.rejects(divided, (fault) => codeOf(fault) === "22012");
    assert.equal((await counted(2)).length, 2);
  });
});

test("what is read and how depends on no setting of the server, the database or the role", async () => {
  const { address, pool, drop } = await emptyDatabase();
  for (const setting of [
    "datestyle = 'SQL, DMY'",
    "timezone = 'Asia/Kathmandu'",
    "bytea_output = 'escape'",
    "default_transaction_isolation = 'serializable'",
    "lock_timeout = '7ms'",
    "idle_session_timeout = '7h'",
  ])
    await pool.unsafe(`alter database ${address.database} set ${setting}`);
  const sql = openPool(address);
  const at = new Date("2026-05-04T22:30:00.250Z");
  const rows = await sql`
    select ${at}::timestamptz as at, ${at}::timestamptz::date::text as day, ${Buffer.from([0, 92, 255])}::bytea as bytes,
      current_setting('transaction_isolation') as isolation, current_setting('lock_timeout') as waits,
      current_setting('idle_session_timeout') as rests`;
  const bytes = Buffer.from([0, 92, 255]);
  assert.deepEqual([...rows], [{ at, day: "2026-05-04", bytes, isolation: "read committed", waits: "0", rests: "0" }]);
  await sql.end();
  await drop();
});

test("what is committed is kept, whatever the role, the database or the server says, now or later", async () => {
  const { address, pool, drop } = await emptyDatabase();
  const set = (value: string) => pool.unsafe(`alter database ${address.database} set synchronous_commit = ${value}`);
  for (const [said, is] of [
    ["off", "on"],
    ["on", "on"],
    ["remote_apply", "remote_apply"],
  ] as const) {
    await set(said);
    const sql = openPool(address, "one", { connections: 1 });
    const [row] = await sql`
      select setting, source from pg_settings where name = 'synchronous_commit'`;
    assert.deepEqual(row, { setting: is, source: "session" });
    await sql.end();
  }
  await drop();
});

describe("what a worker of Citus says, most of it under one code", () => {
  const said = (message: string, code = "XX000") => Object.assign(new Error(message), { code });

  test("of a row is the row's fault, and surely nothing is written", () => {
    const fault = said('duplicate key value violates unique constraint "events_pkey_102041"');
    assert.deepEqual([faultOfRow(fault), connectionLost(fault)], [true, false]);
  });

  test("of a key that is there already names the constraint, or tells it in its words alone", () => {
    const words = 'duplicate key value violates unique constraint "events_pkey_102041"';
    const named = Object.assign(said("duplicate", "23505"), { constraint_name: "events_pkey_102041" });
    const unnamed = Object.assign(said(words, "23505"), { constraint_name: undefined });
    for (const fault of [said(words), unnamed, named])
      assert.deepEqual([violates(fault, "events_pkey"), violates(fault, "outcomes_pkey")], [true, false]);
    assert.equal(violates(said(words, "23503"), "events_pkey"), false);
  });

  test("of a commit that got no answer, or of a connection, leaves open whether it is written", () => {
    for (const words of [
      "could not commit transaction for shard 102041 on at least one active node",
      "failed to prepare transaction 'citus_0_4711_12_0' on host 127.0.0.1:5433",
      "server closed the connection unexpectedly",
      "SSL SYSCALL error: EOF detected",
      "SSL error: unexpected eof while reading",
      "SSL connection has been closed unexpectedly",
      "could not receive data from server: Connection timed out",
      "could not send data to server: Broken pipe",
      "connection not open",
      "failure on connection marked as essential: 127.0.0.1:5433",
    ])
      assert.deepEqual([faultOfRow(said(words)), connectionLost(said(words))], [false, true], words);
  });

  test("of rows that could not be copied to it is a lost connection too; another I/O error is none", () => {
    assert.equal(connectionLost(said("failed to COPY to shard 102041 on 127.0.0.1:5433", "58030")), true);
    assert.equal(connectionLost(said("could not read block 7 in file", "58030")), false);
  });
});
