import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../../test/database.ts";
import { fill } from "../../../test/fixtures/filled-block.ts";
import type { Transaction } from "../../payment/transaction.ts";
import { findPage, PAGE_SIZE } from "./lists.ts";

const LATEST = new Date("2031-05-01T12:00:00Z");
/** A portion takes 400,000 bytes; each of these has one event, and is reckoned to take 1,500 and 800 beside its own. */
const LEFT = 400_000 - PAGE_SIZE * 2_300;

describe("a page", () => {
  let database: FreshDatabase;
  let merchantId: string;
  /** Newest first. */
  let expected: readonly Transaction[];
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    merchantId = v7();
    expected = (await fill(database.pool, merchantId, LATEST, PAGE_SIZE)).reverse();
  });

  const page = () => findPage(database.pool, merchantId, {}, 1);
  const newestTakes = (bytes: number) => database.pool`
    update transactions set bytes = ${bytes} where merchant_id = ${merchantId} and number = ${PAGE_SIZE}`;
  const forget = (table: string, least: number) =>
    database.pool.unsafe(
      `delete from ${table} where merchant_id = '${merchantId}' and ${table === "events" ? "transaction_id" : "id"} in (
      select id from transactions where merchant_id = '${merchantId}' and number >= ${least})`,
    );

  test("is whole as long as it is no bigger than a portion", async () => {
    await newestTakes(LEFT);
    const { whole, portions } = await page();
    assert.deepEqual(whole?.transactions, expected);
    assert.deepEqual(await Array.fromAsync(portions()), [whole]);
  });

  test("is the same in portions if it is", async () => {
    await newestTakes(LEFT + 1);
    const { whole, portions, total } = await page();
    assert.equal(whole, undefined);
    const read = await Array.fromAsync(portions());
    assert.deepEqual(
      read.map(({ transactions }) => transactions.length),
      [PAGE_SIZE - 1, 1],
    );
    assert.deepEqual([read.flatMap(({ transactions }) => transactions), total], [expected, PAGE_SIZE]);
  });

  test("says which of its transactions are disputed", async () => {
    const [newest, second] = expected;
    assert.ok(newest && second);
    const row = {
      ...{ merchant_id: merchantId, id: v7(), transaction_id: second.id, merchant_transaction_id: "order" },
      ...{ event_id: v7(), processor_id: v7(), stage: "chargeback", state: "open", amount: 100, currency: "USD" },
      ...{ withdrawn: 0, opened_at: LATEST, created_at: LATEST, updated_at: LATEST },
    };
    await database.pool`insert into disputes ${database.pool(row)}`;
    // Of another merchant's transaction with the same id, which there never is.
    const other = { ...row, merchant_id: v7(), id: v7(), transaction_id: newest.id };
    await database.pool`insert into disputes ${database.pool(other)}`;
    assert.deepEqual((await page()).whole?.disputed, [second.id]);
    await newestTakes(LEFT + 1);
    const read = await Array.fromAsync((await page()).portions());
    assert.deepEqual(
      read.flatMap(({ disputed }) => disputed),
      [second.id],
    );
  });

  test("leaves out what was archived since it was found", async () => {
    await forget("events", PAGE_SIZE);
    await forget("transactions", PAGE_SIZE);
    const some = await page();
    assert.deepEqual([some.whole?.transactions, some.total], [expected.slice(1), PAGE_SIZE]);
    await forget("events", 1);
    await forget("transactions", 1);
    const none = await page();
    assert.deepEqual([none.whole?.transactions, none.total], [[], PAGE_SIZE]);
  });
});
