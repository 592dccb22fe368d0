import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../../test/database.ts";
import { fill } from "../../../test/fixtures/filled-block.ts";
import { openPool, type Sql } from "../database.ts";
import { lister } from "./ask.ts";
import { BLOCK_SIZE } from "./block-set.ts";
import { BlockStandings } from "./block-standings.ts";
import { findPage } from "./lists.ts";
import { prepareSome, prepareStandings } from "./prepare-standings.ts";
import { standingsOf } from "./remembered-standings.ts";

const LATEST = new Date("2031-05-01T12:00:00Z");
const TRANSACTIONS = 2_500;
const seconds = (offset: number) => new Date(LATEST.getTime() + offset * 1_000);

describe("standings of blocks", () => {
  let database: FreshDatabase;
  /** Of the process that is at it. */
  let sql: Sql;
  let merchantId: string;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    sql = database.pool;
    merchantId = v7();
    await fill(sql, merchantId, LATEST, TRANSACTIONS);
    await sql`delete from nodes`;
    await sql`insert into nodes (started_at, seen_at, clear_before) values (${LATEST}, now(), ${seconds(0)})`;
    await settledAt(60);
  });

  const settledAt = (offset: number) => sql`update nodes set clear_before = ${seconds(offset + 60)}`;
  const prepare = (pool = sql) => prepareStandings(lister(pool, merchantId), merchantId);

  /** In seconds, as of which each block is stored. */
  const stored = async () => {
    const rows = await sql<{ block: string; as_of: Date }[]>`
      select block, as_of from block_standings where merchant_id = ${merchantId} order by block`;
    return rows.map(({ block, as_of }) => [Number(block), (as_of.getTime() - LATEST.getTime()) / 1_000]);
  };

  /** Of the first so many, an outcome that came at this time. */
  const concluded = (from: number, to: number, offset: number) => sql`
    insert into outcomes (merchant_id, transaction_id, sequence, kind, processor_code, processor_message, created_at, changed_at)
    select merchant_id, id, 1, 'declined', '05', 'DECLINED', ${seconds(offset)}::timestamptz, ${seconds(offset)}::timestamptz
    from transactions where merchant_id = ${merchantId} and number between ${from}::int8 and ${to}::int8`;

  /** As many as there are. */
  async function more(): Promise<void> {
    await sql.begin(async (one) => {
      await one`create temporary table more on commit drop as select * from transactions where merchant_id = ${merchantId}`;
      await one`update more set id = gen_random_uuid(), number = number + ${TRANSACTIONS}`;
      await one`insert into transactions select * from more`;
      await one`
        insert into events (merchant_id, transaction_id, sequence, id, type, amount, processor_id, reversal, node_id, created_at)
        select merchant_id, id, 1, id, 'sale', 1, id, false, 1, created_at from more`;
    });
    await sql`update merchant_counters set transactions = 2 * ${TRANSACTIONS}::int where merchant_id = ${merchantId}`;
  }

  /** Numbers of which the first thousand are the end of a block; what was before them is archived. */
  async function acrossBlocks(): Promise<void> {
    const before = BLOCK_SIZE - 1_001;
    await sql`update transactions set number = number + ${before} where merchant_id = ${merchantId}`;
    await sql`update merchant_counters set transactions = ${before + TRANSACTIONS} where merchant_id = ${merchantId}`;
    await sql`insert into archives (merchant_id, through) values (${merchantId}, ${before})`;
  }

  /** As much as there is room for. */
  const anotherTakesTheMemory = () =>
    standingsOf(sql).alone({}, "another merchant", 0, async (known) => {
      const places = new Uint16Array(17 * 1024 * 1024);
      known.set(0, new BlockStandings(LATEST, { asOf: LATEST, standings: [], places }));
    });

  /** By a process that knows nothing yet. */
  async function declined(): Promise<number> {
    const pool = openPool(database.address, "another node", { connections: 2 });
    try {
      const status = { is: "declined", at: seconds(10_000) } as const;
      return (await findPage(pool, merchantId, { event: { status } }, 1)).total;
    } finally {
      await pool.end();
    }
  }

  test("are stored as of the second before which nothing will be written any more, and anew when a hundred are others", async () => {
    await concluded(1, 10, 30);
    await prepare();
    assert.deepEqual(await stored(), [[0, 60]]);
    await concluded(11, 109, 61);
    await settledAt(65.9);
    await prepare();
    assert.deepEqual(await stored(), [[0, 60]]);
    assert.equal(await declined(), 109);
    await concluded(110, 110, 66);
    await settledAt(67);
    await prepare();
    assert.deepEqual(await stored(), [[0, 67]]);
    assert.equal(await declined(), 110);
  });

  test("are stored anew after a day, whatever has changed", async () => {
    await prepare();
    await settledAt(60 + 86_399);
    await prepare();
    assert.deepEqual(await stored(), [[0, 60]]);
    await settledAt(60 + 86_400);
    await prepare();
    assert.deepEqual(await stored(), [[0, 86_460]]);
  });

  test("are found where they are stored: the rows of what did not change since are not looked at", async () => {
    await concluded(1, 10, 30);
    await prepare();
    await sql`delete from outcomes where merchant_id = ${merchantId}`;
    await concluded(11, 15, 60);
    assert.equal(await declined(), 15);
  });

  test("that are found in memory are not the older ones, when others have stored more since", async () => {
    const pool = openPool(database.address, "another node", { connections: 2 });
    const status = { is: "declined", at: seconds(10_000) } as const;
    const total = async () => (await findPage(pool, merchantId, { event: { status } }, 1)).total;
    await prepare();
    assert.equal(await total(), 0);
    await concluded(1, 200, 61);
    await settledAt(900);
    await prepare();
    // Nobody tells of the change any more, but what is stored.
    await sql`update outcomes set changed_at = null where merchant_id = ${merchantId}`;
    assert.equal(await total(), 200);
    await pool.end();
  });

  test("of what has no outcome and is recent are not stored: it may get one that tells of no change", async () => {
    await settledAt(-10);
    await prepare();
    await settledAt(60);
    await sql`
      insert into outcomes (merchant_id, transaction_id, sequence, kind, processor_code, processor_message, created_at)
      select merchant_id, id, 1, 'declined', '05', 'DECLINED', created_at
      from transactions where merchant_id = ${merchantId} and created_at >= ${seconds(-10)}`;
    assert.equal(await declined(), 1_001);
  });

  test("are as of a whole second: an outcome within the second of its event tells of no change", async () => {
    const pool = openPool(database.address, "another node", { connections: 2 });
    const refunds = async (is: "pending" | "declined") => {
      const event = { type: "refund", status: { is, at: seconds(10_000) } } as const;
      return (await findPage(pool, merchantId, { event }, 1)).total;
    };
    await settledAt(60.6);
    await sql`
      insert into events (merchant_id, transaction_id, sequence, id, type, amount, processor_id, reversal, node_id, created_at)
      select merchant_id, id, 2, gen_random_uuid(), 'refund', 1, id, false, 1, ${seconds(60.3)}::timestamptz
      from transactions where merchant_id = ${merchantId} and number <= 5`;
    assert.equal(await refunds("pending"), 5);
    await sql`
      insert into outcomes (merchant_id, transaction_id, sequence, kind, processor_code, processor_message, created_at)
      select merchant_id, id, 2, 'declined', '05', 'DECLINED', ${seconds(60.9)}::timestamptz
      from transactions where merchant_id = ${merchantId} and number <= 5`;
    await settledAt(70);
    assert.deepEqual([await refunds("pending"), await refunds("declined")], [0, 5]);
    await pool.end();
  });

  test("are read and stored block by block, however big a block is, and whoever takes the memory after each", async () => {
    await acrossBlocks();
    const goesOn: boolean[] = [];
    while (goesOn.at(-1) !== false && goesOn.length < 5) {
      goesOn.push(await prepareSome(lister(sql, merchantId), merchantId, false, 500));
      await anotherTakesTheMemory();
    }
    assert.deepEqual(goesOn, [true, true, false]);
    assert.deepEqual(await stored(), [
      [0, 60],
      [1, 60],
    ]);
  });

  test("are left for the next round when what was read is not in memory any more", async () => {
    await acrossBlocks();
    const some = (goesOn: boolean) => prepareSome(lister(sql, merchantId), merchantId, goesOn, 500);
    assert.equal(await some(false), true);
    await anotherTakesTheMemory();
    assert.equal(await some(true), false);
    assert.deepEqual(await stored(), [[1, 60]]);
    await prepare();
    assert.deepEqual(await stored(), [
      [0, 60],
      [1, 60],
    ]);
  });

  test("are read once as of an instant, also where it is held back while more changes than are read at once", async () => {
    await acrossBlocks();
    await prepare();
    await settledAt(62);
    const first = BLOCK_SIZE - 1_000;
    const storedAsOf = (offset: number) => [0, 1].map((block) => [block, offset]);
    await concluded(first + 500, first + 1_599, 70);
    const some = (goesOn: boolean) => prepareSome(lister(sql, merchantId), merchantId, goesOn, 500);
    assert.deepEqual([await some(false), await some(false), await some(false)], [true, true, false]);
    assert.deepEqual(await stored(), storedAsOf(62));
    await concluded(first, first + 499, 71);
    await concluded(first + 1_600, first + 2_199, 71);
    await settledAt(63);
    assert.deepEqual([await some(false), await some(true), await some(true)], [true, true, false]);
    assert.deepEqual(await stored(), storedAsOf(63));
    assert.equal(await declined(), 2_200);
  });

  test("of a node that died are another's to prepare, and of use to all, though it holds the instant back", async () => {
    const [other, third] = ["another node", "a third one"].map((name) =>
      openPool(database.address, name, { connections: 2 }),
    );
    assert.ok(other && third);
    const sales = async (pool: Sql) => (await findPage(pool, merchantId, { event: { type: "sale" } }, 1)).total;
    await prepare();
    assert.equal(await sales(third), TRANSACTIONS);
    await more();
    await prepare(other);
    await prepare(other);
    assert.deepEqual(await stored(), [[0, 60]]);
    // Nothing tells that these are sales any more, but what is stored.
    await sql`
      delete from events using transactions t where t.id = transaction_id and t.merchant_id = ${merchantId} and t.number > ${TRANSACTIONS}`;
    assert.deepEqual([await sales(other), await sales(third)], [2 * TRANSACTIONS, 2 * TRANSACTIONS]);
    await other.end();
    await third.end();
  });

  test("of what is archived are not stored: what changed before is not seen until it is restored", async () => {
    await prepare();
    await concluded(1, 50, 61);
    await concluded(101, 300, 61);
    await sql`insert into archives (merchant_id, through) values (${merchantId}, 100)`;
    const archived = sql`merchant_id = ${merchantId} and number <= 100`;
    await sql`create table kept (like transactions)`;
    await sql`insert into kept select * from transactions where ${archived}`;
    await sql`delete from transactions where ${archived}`;
    await settledAt(70);
    await prepare();
    assert.deepEqual(await stored(), [[0, 70]]);
    assert.equal(await declined(), 200);
    await sql`insert into transactions select * from kept`;
    await sql`update archives set through = 0, version = 1 where merchant_id = ${merchantId}`;
    assert.equal(await declined(), 250);
    await prepare();
    assert.equal(await declined(), 250);
  });

  test("are not stored as they were read while something was archived", async () => {
    let read = false;
    const archiving = new Proxy(sql, {
      get: (pool, name) => (name === "unsafe" ? afterArchiving : Reflect.get(pool, name)),
    });
    const afterArchiving = async (...asked: Parameters<Sql["unsafe"]>) => {
      if (!read && String(asked[0]).includes("from outcomes")) {
        read = true;
        await sql`insert into archives (merchant_id, through) values (${merchantId}, 100)`;
      }
      return sql.unsafe(...asked);
    };
    await prepare(archiving);
    assert.ok(read);
    const [row] = await sql<[{ places: Buffer }]>`
      select substring(places from 1 for 204) as places from block_standings where merchant_id = ${merchantId}`;
    assert.deepEqual(
      [...row.places].flatMap((byte, at) => (byte === 0 ? [] : [at])),
      [202],
    );
  });

  test("are another node's as long as that is at it", async () => {
    const other = openPool(database.address, "another node", { connections: 2 });
    await prepare();
    await concluded(1, 200, 61);
    await settledAt(74);
    await prepare(other);
    assert.deepEqual(await stored(), [[0, 60]]);
    await prepare();
    assert.deepEqual(await stored(), [[0, 74]]);
    await concluded(201, 400, 75);
    await settledAt(89);
    await prepare(other);
    assert.deepEqual(await stored(), [[0, 89]]);
    await concluded(401, 600, 90);
    await settledAt(100);
    await prepare();
    assert.deepEqual(await stored(), [[0, 89]]);
    assert.equal(await declined(), 600);
    await other.end();
  });
});
