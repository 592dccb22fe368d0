import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 as uuidv7 } from "uuid";
import { claim, intent } from "../../test/conformance/intents.ts";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import type { Sql } from "./database.ts";
import { type Opened, opening } from "./opening.ts";

describe("the usual way to open transactions", () => {
  const merchantId = uuidv7();
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    await database.pool`
      insert into merchant_counters (merchant_id, transactions, newest_at) values (${merchantId}, 0, '2000-01-01Z')`;
  });
  after(() => database.drop());

  /** Opens one transaction for each of these keys, in one group, and counts the statements. */
  function openings(nowMs: () => number) {
    let asked = 0;
    const { statement } = opening(1, () => new Date(), false, nowMs);
    const unsafe = (...asking: Parameters<Sql["unsafe"]>) => {
      asked++;
      return database.pool.unsafe(...asking);
    };
    const sql = { ...database.pool, unsafe } as unknown as Sql;
    return async (...keys: readonly (string | null)[]): Promise<[statements: number, ...ends: string[]]> => {
      asked = 0;
      const rows = keys.map((key) => ({
        intent: intent(merchantId, new Date()),
        claim: key === null ? null : claim(key),
        sealedCard: null,
      }));
      const ends = await statement(sql, rows);
      return [asked, ...ends.map((end: Opened) => (end === "key-taken" ? end : "opened"))];
    };
  }

  test("fails where a key is taken, and is tried for keys again a second after the last one that was taken", async () => {
    let now = 0;
    const open = openings(() => now);
    assert.deepEqual(await open("a", null), [1, "opened", "opened"]);
    assert.deepEqual(await open("b", "a"), [2, "opened", "key-taken"]);
    now = 600;
    assert.deepEqual(await open("c", "a", "c"), [1, "opened", "key-taken", "key-taken"]);
    now = 1_599;
    assert.deepEqual(await open("d", null), [1, "opened", "opened"]);
    now = 1_600;
    assert.deepEqual(await open("d", "e"), [2, "key-taken", "opened"]);
    const [{ n }] = await database.pool<[{ n: number }]>`
      select count(*)::int as n from transactions where merchant_id = ${merchantId}`;
    assert.equal(n, 7);
  });

  test("whoever looks what became of an opening does not take another node's for it, though it has the same id by the same key", async () => {
    const { statement, look } = opening(1, () => new Date());
    const row = (of: ReturnType<typeof intent>) => ({ intent: of, claim: claim("k"), sealedCard: null });
    const own = intent(merchantId, new Date());
    const [event] = own.events;
    const others = { ...own, events: [{ ...event, id: uuidv7() }] as const };
    const end = (ends: readonly (Opened | undefined)[]) => ends.map((one) => (typeof one === "object" ? "there" : one));
    assert.deepEqual(end(await look(database.pool, [row(own)])), [undefined]);
    assert.deepEqual(end(await statement(database.pool, [row(own)])), ["there"]);
    assert.deepEqual(end(await look(database.pool, [row(own)])), ["there"]);
    assert.deepEqual(end(await look(database.pool, [row(others)])), [undefined]);
    assert.deepEqual(end(await statement(database.pool, [row(others)])), ["key-taken"]);
  });
});
