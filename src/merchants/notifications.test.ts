import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { listNotifications, NOTIFICATIONS_ON_A_PAGE, type NotificationFilter } from "./notifications.ts";

const NOON = Date.parse("2031-05-01T12:00:00Z");
/** More than two pages, several of each instant. */
const COUNT = 2 * NOTIFICATIONS_ON_A_PAGE + 7;
const OF_AN_INSTANT = 4;

describe("what processors told, as the operator lists it", () => {
  let database: FreshDatabase;
  const [merchant, another] = [v7(), v7()];
  const [processor, second] = [v7(), v7()];
  const transaction = v7();
  /** The ids in the order in which they are listed. */
  const expected: string[] = [];
  before(async () => {
    database = await freshDatabase();
    for (let nth = 0; nth < COUNT; nth++) {
      const id = `n${String(nth).padStart(3, "0")}`;
      await told(merchant, processor, id, NOON + Math.floor(nth / OF_AN_INSTANT) * 1_000);
      expected.unshift(id);
    }
    await told(merchant, second, "of another record", NOON - 1, transaction);
    // Another merchant's has the same id, and something else became of it.
    await told(another, v7(), "n000", NOON - 2, v7());
    await became(merchant, processor, "n000", "applied");
    await became(merchant, processor, "n001", "known");
    await became(another, undefined, "n000", "kept");
  });
  after(() => database.drop());

  const told = (merchantId: string, processorId: string, id: string, atMs: number, about: string | null = null) =>
    database.pool`
      insert into notifications (merchant_id, processor_id, id, kind, transaction_id, occurred_at, said, news, created_at)
      values (${merchantId}, ${processorId}, ${id}, 'other', ${about}, ${new Date(atMs)}, 'a word', '{"kind":"other"}', ${new Date(atMs)})`;

  const became = (merchantId: string, processorId: string | undefined, id: string, result: string) =>
    database.pool`
      insert into applied_notifications (merchant_id, processor_id, id, result, created_at)
      select merchant_id, processor_id, id, ${result}, created_at from notifications
      where merchant_id = ${merchantId} and id = ${id}
        and ${processorId === undefined ? database.pool`true` : database.pool`processor_id = ${processorId}`}`;

  const list = async (filter: NotificationFilter, page = 1) => {
    const { notifications, meta } = await listNotifications(database.pool, filter, page);
    return { ids: notifications.map(({ id }) => id), total: meta.total, last: meta.last_page };
  };

  test("is newest first and stands on one page each, also where several came at the same time", async () => {
    const pages = [1, 2, 3, 4];
    const listed = await Promise.all(pages.map((page) => list({ merchantId: merchant, processorId: processor }, page)));
    const sizes = [NOTIFICATIONS_ON_A_PAGE, NOTIFICATIONS_ON_A_PAGE, COUNT - 2 * NOTIFICATIONS_ON_A_PAGE, 0];
    assert.deepEqual(
      listed.map(({ ids }) => ids.length),
      sizes,
    );
    assert.deepEqual(
      listed.flatMap(({ ids }) => ids),
      expected,
    );
    for (const { total, last } of listed) assert.deepEqual([total, last], [COUNT, 3]);
  });

  const totals: readonly (readonly [what: string, NotificationFilter, total: number])[] = [
    ["all", {}, COUNT + 2],
    ["of a merchant", { merchantId: merchant }, COUNT + 1],
    ["of another merchant", { merchantId: another }, 1],
    ["of a record", { processorId: second }, 1],
    ["of a merchant and a record that is not its own", { merchantId: another, processorId: second }, 0],
    ["about a transaction", { transactionId: transaction }, 1],
    ["about another merchant's transaction", { transactionId: transaction, merchantId: another }, 0],
    ["waiting", { result: "waiting" }, COUNT - 1],
    ["applied", { result: "applied" }, 1],
    ["known", { result: "known" }, 1],
    ["kept", { result: "kept" }, 1],
    ["kept, of a merchant that has none", { result: "kept", merchantId: merchant }, 0],
  ];
  for (const [what, filter, total] of totals)
    test(`is counted by each filter, as what is shown: ${what}`, async () => {
      const { ids, ...meta } = await list(filter);
      const last = Math.max(1, Math.ceil(total / NOTIFICATIONS_ON_A_PAGE));
      assert.deepEqual([ids.length, meta], [Math.min(total, NOTIFICATIONS_ON_A_PAGE), { total, last }]);
    });
});
