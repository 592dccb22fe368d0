import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../../test/database.ts";
import { fill } from "../../../test/fixtures/filled-block.ts";
import { listPage } from "../../../test/fixtures/whole-page.ts";
import { openPool, type Sql } from "../database.ts";
import { findTransaction } from "../whole-transactions.ts";
import { lister } from "./ask.ts";
import { BLOCK_SIZE } from "./block-set.ts";
import type { ListFilter } from "./list-filter.ts";
import { prepareBlock } from "./prepare-blocks.ts";
import { prepareSome } from "./prepare-standings.ts";

const TRANSACTIONS = 10_000;
const LATEST = new Date("2031-05-01T12:00:00Z");

/** A page shows 50 transactions, each with an event; an index entry and its row count as two, and so does a match. */
const MOST_READ = 1_000;

const lists: [string, ListFilter, number][] = [
  ["the newest page", {}, TRANSACTIONS],
  ["an hour", { createdFrom: new Date("2031-05-01T11:59:59Z") }, 101],
  ["a prefix that few have", { startsWith: { merchant_transaction_id: "filler 77" } }, 111],
  ["a prefix that nobody has", { startsWith: { email: "nobody" } }, 0],
  ["what changed since", { updatedFrom: new Date("2031-05-01T11:59:59Z") }, 101],
];

describe("a list reads no more than it shows", () => {
  let database: FreshDatabase;
  /** One connection, so that it can be asked what it has read. */
  let sql: Sql;
  const merchants = { early: v7(), known: v7(), late: v7(), big: v7() };

  before(async () => {
    database = await freshDatabase();
    sql = openPool(database.address, "reading", { connections: 1 });
    // The server counts what its own housekeeping reads too: a vacuum summarizes the index of times, which reads the table.
    for (const table of ["transactions", "events", "outcomes"]) {
      await sql`alter table ${sql(table)} set (autovacuum_enabled = false)`;
    }
    await sql`alter index events_since set (autosummarize = off)`;
    // What is planned now is planned for tables without rows.
    for (let time = 0; time < 10; time++) await listPage(sql, merchants.early, {}, 1);
    await fill(sql, merchants.early, LATEST, TRANSACTIONS);
  });
  after(async () => {
    await sql.end();
    await database.drop();
  });

  for (const [what, filter, total] of lists) {
    test(`in tables that were empty when they were last analyzed: ${what}`, () =>
      reads(merchants.early, filter, total));
  }

  describe("of a merchant that is newer than the last ANALYZE", () => {
    before(async () => {
      await fill(sql, merchants.known, LATEST, TRANSACTIONS);
      await sql`analyze transactions, events, outcomes`;
      await fill(sql, merchants.late, LATEST, TRANSACTIONS);
    });
    for (const [what, filter, total] of lists) {
      test(what, () => reads(merchants.late, filter, total));
    }
    test("nor is more than one transaction read to find it", async () => {
      const { transactions } = await listPage(sql, merchants.late, {}, 7);
      const one = transactions[0];
      assert.ok(one);
      const read = await rowsRead(() => findTransaction(sql, merchants.late, one.id));
      assert.ok(read < 10, `${read} rows were read`);
    });
  });

  describe("of a merchant with a full block, whose words and standings are prepared", () => {
    before(async () => {
      const later = new Date(LATEST.getTime() + 600_000);
      await sql`insert into nodes (started_at, seen_at, clear_before) values (${LATEST}, now(), ${later})`;
      await fill(sql, merchants.big, LATEST, BLOCK_SIZE - 1);
      while (await prepareBlock(lister(sql, merchants.big), merchants.big));
      while (await prepareSome(lister(sql, merchants.big), merchants.big));
    });
    const pending = { is: "pending", at: LATEST } as const;
    const unlike: typeof lists = [
      ["what most have", { startsWith: { city: "cit" } }, BLOCK_SIZE - 200],
      ["what all begin with", { startsWith: { merchant_transaction_id: "fill" } }, BLOCK_SIZE - 1],
      ["what an eleventh begins with", { startsWith: { merchant_transaction_id: "filler 6" } }, 6_647],
      ["what some have", { startsWith: { first_name: "Ann" } }, 218],
      ["what nobody has", { equals: { state: "XX" } }, 0],
      ["what all have an event of", { event: { type: "sale" } }, BLOCK_SIZE - 1],
      ["what has a status", { event: { status: pending } }, BLOCK_SIZE - 1],
      [
        "what has a status, and few of them",
        { event: { type: "sale", status: pending }, startsWith: { first_name: "A" } },
        218,
      ],
      ["what has another status", { event: { status: { ...pending, is: "declined" } } }, 0],
      ["what most have, and few of them", { startsWith: { city: "c", first_name: "A" } }, 218],
    ];
    for (const [what, filter, total] of unlike) test(what, () => reads(merchants.big, filter, total));
  });

  test("and asks twice: for the newest number, and for the page", async () => {
    let asked = 0;
    const counting = new Proxy(sql, {
      get: (pool, name) => {
        if (name === "unsafe") asked++;
        return Reflect.get(pool, name);
      },
      apply: (pool, _, asking) => {
        asked++;
        return Reflect.apply(pool, undefined, asking);
      },
    });
    assert.equal((await listPage(counting, merchants.early, {}, 2)).total, TRANSACTIONS);
    assert.equal(asked, 2);
  });

  async function reads(merchantId: string, filter: ListFilter, total: number): Promise<void> {
    const page = async () => assert.equal((await listPage(sql, merchantId, filter, 1)).total, total);
    // PostgreSQL may go over to a plan for any values after five times.
    for (let time = 1; time <= 8; time++) {
      const read = await rowsRead(page);
      assert.ok(read < MOST_READ, `${read} rows were read the ${time}. time`);
    }
  }

  async function rowsRead(work: () => Promise<unknown>): Promise<number> {
    const before = await statistics();
    await work();
    return (await statistics()) - before;
  }

  async function statistics(): Promise<number> {
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await sql<[{ read: number }]>`
      select (select sum(seq_tup_read + idx_tup_fetch) from pg_stat_user_tables
          where relname in ('transactions', 'events', 'outcomes'))::int
        + (select sum(idx_tup_read) from pg_stat_user_indexes where relname in ('transactions', 'events', 'outcomes'))::int as read`;
    return row.read;
  }
});
