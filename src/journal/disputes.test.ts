import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 as uuidv7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { at } from "../../test/transactions.ts";
import { type DisputeReport, MOST_REPORTS } from "../payment/dispute.ts";
import { amountOf } from "../payment/money.ts";
import { disputeAfter, disputesOf, noteFee, noteProcessorReport } from "./disputes.ts";

const NOON = at("1 12:00");

describe("what processors report about a dispute", () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  const opening = (over: object = {}) => ({
    ...{ merchantId: uuidv7(), id: uuidv7(), transactionId: uuidv7(), eventId: uuidv7(), processorId: uuidv7() },
    ...{ merchantTransactionId: "order", reference: "du_1", ...over },
  });
  const report = (order: number): DisputeReport => ({
    ...{ order, at: NOON, disputed: { amount: amountOf(100n), currency: "USD" } },
    state: order === 9 ? "won" : "under_review",
  });

  test("at once and twice is one dispute with each report once, whoever takes it", async () => {
    const { pool: sql } = database;
    const one = opening();
    const orders = [9, 3, 1, 7, 5, 2, 8, 4, 6];
    const noted = await Promise.all(
      [...orders, ...orders].map((order) =>
        // Each would open it under an id of its own.
        noteProcessorReport(sql, { ...one, id: uuidv7() }, report(order), `message ${order}`, NOON),
      ),
    );
    assert.ok(noted.every((result) => result === "new" || result === "known"));
    assert.ok(noted.filter((result) => result === "known").length >= orders.length);
    const disputes = (await disputesOf(sql, one.merchantId, [one.transactionId])).get(one.transactionId) ?? [];
    const [dispute] = disputes;
    assert.ok(dispute);
    assert.deepEqual([disputes.length, dispute.state], [1, "won"]);
    assert.deepEqual(await disputeAfter(sql, one.merchantId, dispute.id, orders.length), dispute);
    const numbers = await sql`select number from dispute_reports where dispute_id = ${dispute.id} order by number`;
    assert.deepEqual(
      numbers.map(({ number }) => number),
      orders.map((_, index) => index + 1),
    );
  });

  test("has each fee of a settlement report once, also one that a message named before", async () => {
    const { pool: sql } = database;
    const one = opening();
    const fee = (name: string, amount: bigint) => ({ name, amount, currency: "EUR" });
    await noteProcessorReport(sql, one, { ...report(9), fees: [fee("txn_1", 1500n)] }, "message", NOON);
    const note = (name: string, amount: bigint) => noteFee(sql, one.id, fee(name, amount), NOON);
    const noted = await Promise.all([note("txn_1", 1500n), note("txn_2", 700n), note("txn_2", 700n)]);
    assert.deepEqual(noted.sort(), ["known", "known", "new"]);
    assert.equal(await note("txn_3", -200n), "new");
    const [dispute] = (await disputesOf(sql, one.merchantId, [one.transactionId])).get(one.transactionId) ?? [];
    assert.deepEqual([dispute?.fee, dispute?.state], [{ amount: 2000n, currency: "EUR" }, "won"]);
    assert.deepEqual((await disputeAfter(sql, one.merchantId, one.id, 1))?.fee, { amount: 1500n, currency: "EUR" });
  });

  test("is that of one transaction, and of no more reports than its course is walked through", async () => {
    const { pool: sql } = database;
    const one = opening();
    const note = (source: string, over: object = {}) =>
      noteProcessorReport(sql, { ...one, id: uuidv7(), ...over }, report(1), source, NOON);
    assert.equal(await note("first"), "new");
    assert.equal(await note("other", { transactionId: uuidv7() }), "another-transaction");
    await sql`
      insert into dispute_reports (merchant_id, dispute_id, number, source, report, created_at)
      select merchant_id, dispute_id, more, 'more ' || more, report, created_at
      from dispute_reports cross join generate_series(2, ${MOST_REPORTS}::int) as more
      where merchant_id = ${one.merchantId}`;
    assert.equal(await note("one more"), "too-many");
    assert.equal(await note("first"), "known");
    const [dispute] = (await disputesOf(sql, one.merchantId, [one.transactionId])).get(one.transactionId) ?? [];
    const fee = { name: "fee", amount: 1n, currency: "USD" };
    assert.equal(await noteFee(sql, dispute?.id ?? "", fee, NOON), "too-many");
  });
});
