import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import {
  listReports,
  type ReportRow,
  removeOldReports,
  reportsOfOthers,
  writeReports,
} from "./card-testing-reports.ts";

const NOW = new Date("2031-05-01T12:00:00Z");
const LATER = new Date("2031-05-01T12:05:00Z");
const MERCHANTS = [v7(), v7()] as const;

const report = (merchantId: string, over: Partial<ReportRow> = {}): ReportRow => ({
  ...{ merchantId, signal: "range", key: "key", shown: "411111", cards: 20, newest: 18, declined: 15 },
  ...{ merchantCards: 25, slowed: 3, refused: 2, ...over },
});

describe("reports of card testing", () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    const { pool } = database;
    await writeReports(pool, 1, NOW, [report(MERCHANTS[0])]);
    await writeReports(pool, 2, NOW, [report(MERCHANTS[0], { cards: 5, newest: 4, declined: 3, merchantCards: 6 })]);
    await writeReports(pool, 3, NOW, [report(MERCHANTS[0], { cards: 1, newest: 1, declined: 1, merchantCards: 1 })]);
    await writeReports(pool, 2, NOW, [report(MERCHANTS[1], { signal: "address", shown: "192.0.2.7" })]);
    // What is within the window is another now, what was slowed and refused comes on top.
    await writeReports(pool, 2, LATER, [
      report(MERCHANTS[0], { cards: 9, newest: 8, declined: 7, merchantCards: 10, slowed: 10, refused: 20 }),
    ]);
  });
  after(() => database.drop());

  test("are added up over the other nodes, each merchant's alone, and without one's own", async () => {
    const found = await reportsOfOthers(database.pool, 1);
    const ofFirst = { signal: "range", key: "key", cards: 10, newest: 9, declined: 8, merchantCards: 11 };
    const ofSecond = { signal: "address", key: "key", cards: 20, newest: 18, declined: 15, merchantCards: 25 };
    const expected = [
      { merchantId: MERCHANTS[0], ...ofFirst },
      { merchantId: MERCHANTS[1], ...ofSecond },
    ];
    const byMerchant = found.toSorted((one, other) => (one.merchantId < other.merchantId ? -1 : 1));
    assert.deepEqual(byMerchant, expected);
  });

  test("are shown to the operator with all nodes' sums, newest first, or one merchant's alone", async () => {
    const shown = async (merchant?: string) =>
      (await listReports(database.pool, merchant === undefined ? {} : { merchant })).map(
        ({ merchant_id, shown, cards, declined, slowed, refused, newest_at }) =>
          [merchant_id, shown, cards, declined, slowed, refused, newest_at] as const,
      );
    const first = [MERCHANTS[0], "411111**********", 30, 23, 19, 26, "2031-05-01T12:05:00+00:00"];
    const second = [MERCHANTS[1], "192.0.2.7", 20, 15, 3, 2, "2031-05-01T12:00:00+00:00"];
    assert.deepEqual(await shown(), [first, second]);
    assert.deepEqual(await shown(MERCHANTS[1]), [second]);
    assert.deepEqual(await shown(v7()), []);
  });

  test("are no newer where nothing was slowed or refused since", async () => {
    const { pool } = database;
    const merchantId = v7();
    const newestAt = async () => (await listReports(pool, { merchant: merchantId })).map((one) => one.newest_at);
    await writeReports(pool, 1, NOW, [report(merchantId)]);
    await writeReports(pool, 1, LATER, [report(merchantId, { slowed: 0, refused: 0 })]);
    assert.deepEqual(await newestAt(), ["2031-05-01T12:00:00+00:00"]);
    await writeReports(pool, 1, LATER, [report(merchantId, { slowed: 0, refused: 1 })]);
    assert.deepEqual(await newestAt(), ["2031-05-01T12:05:00+00:00"]);
    await pool`delete from card_testing where merchant_id = ${merchantId}`;
  });

  test("tell the others for a minute after the last one, and the operator for thirty days", async () => {
    const { pool } = database;
    const reported = (ago: string) => pool`update card_testing set reported_at = now() - ${ago}::interval`;
    await reported("61 s");
    assert.deepEqual(await reportsOfOthers(pool, 1), []);
    await writeReports(pool, 2, LATER, [report(MERCHANTS[0])]);
    assert.equal((await reportsOfOthers(pool, 1)).length, 1);
    await reported("29 days 23 hours");
    await removeOldReports(pool);
    assert.equal((await listReports(pool)).length, 2);
    await reported("30 days 1 hour");
    await removeOldReports(pool);
    assert.deepEqual(await listReports(pool), []);
  });
});
