// Changes are remembered by each process, and every list is exact all the same: compared with what PostgreSQL counts.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../../test/database.ts";
import { fill } from "../../../test/fixtures/filled-block.ts";
import { openPool, type Sql } from "../database.ts";
import { findPage } from "./lists.ts";
import { streamTouched } from "./touched.ts";

const LATEST = new Date("2031-05-01T12:00:00Z");
const TRANSACTIONS = 2_000;
const seconds = (offset: number) => new Date(LATEST.getTime() + offset * 1_000);

describe("what changed in a period", () => {
  let database: FreshDatabase;
  /** Of another process. */
  let other: Sql;
  const merchantId = v7();
  before(async () => {
    database = await freshDatabase();
    other = openPool(database.address, "another node", { connections: 2 });
    await fill(database.pool, merchantId, LATEST, TRANSACTIONS);
    await database.pool`
      insert into nodes (started_at, seen_at, clear_before) values (${LATEST}, now(), ${seconds(600)}), (${LATEST}, now(), ${seconds(100)})`;
    await refund("number % 3 = 0", "created_at + (number % 50) * interval '11 s'");
  });
  after(async () => {
    await other.end();
    await database.drop();
  });

  /** Of some, a refund at a time of their own. */
  const refund = (which: string, at: string, sequence = 2) =>
    database.pool.unsafe(
      `insert into events (merchant_id, transaction_id, sequence, id, type, amount, processor_id, reversal, node_id, created_at)
      select merchant_id, id, ${sequence}, gen_random_uuid(), 'refund', 1, id, false, 1, ${at} from transactions
      where merchant_id = $1 and ${which}`,
      [merchantId],
    );

  /** An outcome that is written now, and was known in this second. */
  const concluded = (which: string, at: Date) =>
    database.pool.unsafe(
      `insert into outcomes (merchant_id, transaction_id, sequence, kind, processor_code, processor_message, created_at, changed_at)
      select merchant_id, id, 1, 'approved', '00', 'APPROVED', $2::timestamptz, $2::timestamptz from transactions
      where merchant_id = $1 and ${which}`,
      [merchantId, at],
    );

  const clearBefore = (node: number, at: Date) =>
    database.pool`update nodes set clear_before = ${at} where id = (select min(id) from nodes) + ${node}`;

  /** Of each transaction, in seconds since 1970. */
  async function lastChanges(): Promise<readonly number[]> {
    const rows = await database.pool<{ last: number }[]>`
      select floor(extract(epoch from max(created_at)))::float8 as last from (
        select transaction_id, created_at from events where merchant_id = ${merchantId}
        union all select transaction_id, created_at from outcomes where merchant_id = ${merchantId}
      ) changes group by transaction_id`;
    return rows.map(({ last }) => last);
  }

  const total = async (pool: Sql, from?: Date, to?: Date): Promise<number> => {
    const period = { ...(from && { updatedFrom: from }), ...(to && { updatedTo: to }) };
    return (await findPage(pool, merchantId, period, 1)).total;
  };

  /** At the limits, from the newest to the oldest, so that each reaches back further than what is known. */
  const limits = [880, 440, 101, 100, 0, -20, -3_600];
  async function exact(): Promise<void> {
    const changes = await lastChanges();
    const counted = (from?: Date, to?: Date) =>
      changes.filter((at) => at * 1_000 >= (from?.getTime() ?? 0) && at * 1_000 <= (to?.getTime() ?? Infinity)).length;
    for (const from of limits)
      for (const to of [undefined, from]) {
        const [start, end] = [seconds(from), to === undefined ? undefined : seconds(to)];
        for (const pool of [database.pool, other])
          assert.equal(await total(pool, start, end), counted(start, end), `from ${from} to ${to}`);
      }
    for (const to of limits) assert.equal(await total(other, undefined, seconds(to)), counted(undefined, seconds(to)));
  }

  test("is exact at its limits, whichever process is asked, however far it reaches back", exact);

  test("counts what one node writes late and both list before, as long as the node tells that it may come", async () => {
    await exact();
    await concluded("number % 7 = 0", seconds(101));
    await exact();
    await clearBefore(1, seconds(900));
    await exact();
    await refund("number % 5 = 0", `'${seconds(880).toISOString()}'::timestamptz`, 3);
    await exact();
  });

  test("is a merchant's own, whoever was asked for before", async () => {
    const another = v7();
    await fill(database.pool, another, LATEST, TRANSACTIONS);
    await exact();
    const period = { updatedFrom: seconds(1) };
    for (const pool of [database.pool, other]) assert.equal((await findPage(pool, another, period, 1)).total, 0);
    await exact();
  });

  test("is read once only: what is settled is not asked for again, until something is restored", async () => {
    const late = () => total(database.pool, seconds(101), seconds(101));
    const all = await late();
    await database.pool`delete from outcomes where merchant_id = ${merchantId}`;
    assert.equal(await late(), all);
    await database.pool`insert into archives (merchant_id, version) values (${merchantId}, 1)`;
    await exact();
    assert.notEqual(await late(), all);
  });

  test("is exact where more changed within one instant than is read at once, and each is told once", async () => {
    const many = v7();
    await fill(database.pool, many, LATEST, TRANSACTIONS);
    // Twelve thousand of one instant, and one after it.
    await database.pool`
      insert into events (merchant_id, transaction_id, sequence, id, type, amount, processor_id, reversal, node_id, created_at)
      select merchant_id, id, sequence, gen_random_uuid(), 'refund', 1, id, false, 1,
        ${seconds(50)}::timestamptz + case when sequence = 8 then interval '1 s' else interval '0 s' end
      from transactions cross join generate_series(2, 8) sequence
      where merchant_id = ${many} and (sequence < 8 or number = 1)`;
    await clearBefore(0, seconds(900));
    await clearBefore(1, seconds(900));
    const totals = async (pool: Sql) => {
      const found = async (from: number, to: number) =>
        (await findPage(pool, many, { updatedFrom: seconds(from), updatedTo: seconds(to) }, 1)).total;
      return [await found(50, 50), await found(51, 51), await found(40, 60)];
    };
    const fresh = openPool(database.address, "a third node", { connections: 2 });
    for (const pool of [fresh, database.pool])
      assert.deepEqual(await totals(pool), [TRANSACTIONS - 1, 1, TRANSACTIONS]);
    await fresh.end();
    const touched = await Array.fromAsync(
      streamTouched(database.pool, many, { from: seconds(50), before: seconds(52) }),
    );
    const numbers = touched.flat().map(({ merchantTransactionId }) => merchantTransactionId);
    assert.deepEqual(
      numbers,
      Array.from({ length: TRANSACTIONS }, (_, nth) => `filler ${TRANSACTIONS - nth}`),
    );
  });
});
