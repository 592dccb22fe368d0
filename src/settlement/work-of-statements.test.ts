// Of a single merchant the planner expects a two hundredth of what there is, and of few rows one. What the settlement day is read by
// must not take the rows of a batch times the rows of the merchant then, or more.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { fill } from "../../test/fixtures/filled-block.ts";
import { explained, watched, workOf } from "../../test/fixtures/work-of-statements.ts";
import { at } from "../../test/transactions.ts";
import { openPool, type Sql } from "../journal/database.ts";
import { lister } from "../journal/search/ask.ts";
import type { Statement } from "../journal/sql/statement.ts";
import { amountOf } from "../payment/money.ts";
import { position } from "./position.ts";

const [CREATED, NOW, CUTOFF, VISIBLE] = [at("1 12:00"), at("2 00:00"), at("1 22:00"), at("2 02:20")];
/** In rows, of one statement: some comparisons of each row with each other of the smaller merchant, or thirty steps for each of the other. */
const MOST_WORK = 100_000;

for (const size of [120, 3_000])
  for (const plans of ["force_custom_plan", "force_generic_plan"])
    describe(`the settlement day of a merchant with ${size} transactions, by ${plans}`, () => {
      let database: FreshDatabase;
      let sql: Sql;
      const merchantId = v7();
      before(async () => {
        database = await freshDatabase();
        const { address } = database;
        sql = openPool(address, "work", { connections: 1 });
        await sql.unsafe(`set plan_cache_mode = ${plans}`);
        await write(sql, merchantId, size);
        await sql`analyze`;
      });
      after(async () => {
        await sql.end();
        await database.drop();
      });

      test("is read without comparing rows again and again", async () => {
        const asked: Statement[] = [];
        const { awaiting, batches } = await position(lister(watched(sql, asked), merchantId), merchantId, NOW);
        const [one] = batches;
        const each = size / 8;
        assert.deepEqual(
          [awaiting.map(({ count }) => count), batches.length, one?.count, one?.voided],
          // Voided are an eighth of all, whole, and a half of another eighth. The void of a third eighth was declined.
          [[2 * each], 1, 6 * each, amountOf(BigInt(each * 150))],
        );
        assert.equal(asked.length, 4);
        for (const { text, values } of asked) {
          const work = workOf(await explained(sql, text, values));
          assert.ok(work < MOST_WORK, `${work} rows: ${text}`);
        }
      });
    });

/** Of eight transactions four are sales, two are captured, and two wait for their capture. */
async function write(sql: Sql, merchantId: string, count: number): Promise<void> {
  await fill(sql, merchantId, CREATED, count);
  const follow = async (type: string, sequence: number, amount: number, remainders: readonly number[]) =>
    sql`
      insert into events (merchant_id, transaction_id, sequence, id, type, amount, processor_id, reversal, node_id, created_at)
      select e.merchant_id, e.transaction_id, ${sequence}::int, gen_random_uuid(), ${type}, ${amount}::int, processor_id, false, 1, e.created_at
      from events e join transactions t on t.merchant_id = e.merchant_id and t.id = e.transaction_id
      where e.sequence = 1 and t.number % 8 in ${sql(remainders)}`;
  await sql`
    update events e set amount = 100, type = case when t.number % 2 = 0 then 'sale' else 'auth' end
    from transactions t where t.id = e.transaction_id`;
  await follow("capture", 2, 100, [1, 5]);
  await follow("void", 2, 100, [0]);
  await follow("void", 3, 50, [1]);
  await follow("void", 2, 70, [2]);
  await sql`
    insert into outcomes (merchant_id, transaction_id, sequence, kind, processor_code, processor_message, cutoff_at, settled_at,
      visible_at, created_at)
    select merchant_id, transaction_id, sequence, case when amount = 70 then 'declined' else 'approved' end, '00', 'said',
      case when moves then ${CUTOFF}::timestamptz end, case when moves then ${VISIBLE}::timestamptz end,
      case when moves then ${VISIBLE}::timestamptz end, created_at
    from (select *, type in ('sale', 'capture') as moves from events) e`;
  await sql`
    insert into open_authorizations (merchant_id, processor_id, transaction_id, authorized_at)
    select merchant_id, processor_id, transaction_id, created_at from events where type = 'auth'`;
  const [event] = await sql<{ processor_id: string }[]>`select processor_id from events limit 1`;
  const processorId = event?.processor_id ?? "";
  await sql`
    insert into processors (merchant_id, id, name, kind, currency, enabled, in_rotation, requires, settlement, settings, created_at,
      updated_at)
    values (${merchantId}, ${processorId}, 'one', 'simulator', 'CAD', true, true, '{}', '{}', '{}', ${CREATED}, ${CREATED})`;
  await sql`insert into batches values (${merchantId}, ${processorId}, ${CUTOFF}, ${v7()})`;
}
