import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../../test/database.ts";
import { fill } from "../../../test/fixtures/filled-block.ts";
import { lister } from "./ask.ts";
import { authorizedBy } from "./authorized-by.ts";
import { offsetsOf } from "./block-set.ts";

const DAY_MS = 86_400_000;
const LATEST = Date.parse("2031-05-01T12:00:00Z");
/** Back from the latest: the ends of what is looked up at once, and around them. */
const DAYS = [0, 1, 399, 400, 401, 799, 800, 1_000];

describe("transactions with an authorization code", () => {
  let database: FreshDatabase;
  const merchants = [v7(), v7()] as const;
  before(async () => {
    database = await freshDatabase();
    for (const merchantId of merchants) await fill(database.pool, merchantId, new Date(LATEST), 2 * DAYS.length + 1);
    // The first merchant has one of the code and one that begins with it on each of these days.
    for (const [nth, days] of DAYS.entries())
      for (const [number, code] of [
        [2 * nth + 1, "A1"],
        [2 * nth + 2, "A1B"],
      ] as const)
        await authorized(merchants[0], number, code, days);
    await authorized(merchants[1], 2 * DAYS.length + 1, "A1", 0);
  });
  after(() => database.drop());

  const authorized = (merchantId: string, number: number, code: string, daysBack: number) =>
    database.pool`
      insert into outcomes (merchant_id, transaction_id, sequence, kind, processor_code, processor_message, auth_code, created_at)
      select merchant_id, id, 1, 'approved', '00', 'APPROVED', ${code}, ${new Date(LATEST - daysBack * DAY_MS)}
      from transactions where merchant_id = ${merchantId} and number = ${number}`;

  const found = async (merchantId: string, code: string) => [
    ...offsetsOf((await authorizedBy(lister(database.pool, merchantId), merchantId, code)).bits(0)),
  ];

  test("are found on whatever day the code was given, by the whole code, and among the merchant's own", async () => {
    const odd = DAYS.map((_, nth) => 2 * nth + 1);
    assert.deepEqual(await found(merchants[0], "A1"), odd);
    assert.deepEqual(
      await found(merchants[0], "A1B"),
      odd.map((number) => number + 1),
    );
    assert.deepEqual(await found(merchants[1], "A1"), [2 * DAYS.length + 1]);
    for (const [merchantId, code] of [
      [merchants[1], "A1B"],
      [merchants[0], "a1"],
      [v7(), "A1"],
    ] as const)
      assert.deepEqual(await found(merchantId, code), []);
  });
});
