import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { countByKey, estimateByKey } from "./sealed-cards.ts";

describe("how many card numbers are under each key", () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  /** As long as a sealed number is. */
  const put = (keyId: number, count: number) =>
    database.pool.unsafe(
      `insert into sealed_cards (merchant_id, transaction_id, key_id, sealed, look_at)
      select gen_random_uuid(), gen_random_uuid(), ${keyId}, decode(repeat('00', 48), 'hex'), now() from generate_series(1, ${count})`,
    );

  test("few are counted", async () => {
    assert.deepEqual(await estimateByKey(database.pool), { rows: new Map(), estimated: false });
    await put(1, 3);
    await put(2, 5);
    const rows = new Map([
      [1, 3],
      [2, 5],
    ]);
    assert.deepEqual(await estimateByKey(database.pool), { rows, estimated: false });
  });

  test("of many a part is counted, which is said: the same each time, and a tenth off at most", async () => {
    await put(1, 100_000);
    await put(2, 200_000);
    const { rows, estimated } = await estimateByKey(database.pool);
    assert.equal(estimated, true);
    for (const [key, count] of await countByKey(database.pool))
      assert.ok(Math.abs((rows.get(key) ?? 0) - count) < count / 10, `${rows.get(key)} of ${count}`);
    assert.notDeepEqual(rows, await countByKey(database.pool));
    assert.deepEqual(await estimateByKey(database.pool), { rows, estimated });
  });
});
