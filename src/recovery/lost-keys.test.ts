import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 as uuidv7 } from "uuid";
import { intent } from "../../test/conformance/intents.ts";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { handClock } from "../../test/hand-clock.ts";
import { keyedHash } from "../api/keyed-hash.ts";
import { systemClock } from "../clock.ts";
import { keyedIds } from "../gateway/keyed-ids.ts";
import { openJournal, type PostgresJournal } from "../journal/postgres-journal.ts";
import { keepLostKey, lostKeysIn } from "./lost-keys.ts";

const clock = handClock(new Date());
const hash = keyedHash(Buffer.from("secret"));
const ids = keyedIds(hash, clock);
const [MERCHANT, OTHER] = [uuidv7(), uuidv7()];
const claim = (key: string, body = "body") => ({ key, requestHash: hash(body) });

describe("the key of an operation that the database had lost", () => {
  let database: FreshDatabase;
  let journal: PostgresJournal;
  const watch = { keysWereLost: true };
  const asked: string[] = [];
  let keys: PostgresJournal;
  const transactionId = ids.newId({ merchantId: MERCHANT, claim: claim("order 1") });

  before(async () => {
    database = await freshDatabase();
    for (const merchantId of [MERCHANT, OTHER])
      await database.pool`
        insert into merchant_counters (merchant_id, transactions, newest_at) values (${merchantId}, 0, '2000-01-01Z')`;
    journal = openJournal({ address: database.address, pool: database.pool, clock: systemClock, node: 1 });
    const counted: PostgresJournal = {
      ...journal,
      findKey: (merchantId, key) => {
        asked.push(key);
        return journal.findKey(merchantId, key);
      },
    };
    keys = lostKeysIn(counted, watch, ids.endOf);
    const adopted = { merchantId: MERCHANT, transactionId, sequence: 1, id: transactionId };
    for (const _ of [1, 2]) await keepLostKey(database.pool, adopted);
  });
  after(async () => {
    await journal.close();
    await database.drop();
  });

  const open = (merchantId: string, key: string) => keys.open(intent(merchantId, new Date()), claim(key));

  test("is found by the key, and by no other one and at no other merchant", async () => {
    const found = await keys.findKey(MERCHANT, "order 1");
    assert.deepEqual([found?.transactionId, found?.sequence, found?.response], [transactionId, 1, null]);
    assert.equal(await keys.findKey(MERCHANT, "order 2"), undefined);
    assert.equal(await keys.findKey(OTHER, "order 1"), undefined);
  });

  test("is taken: nothing is opened with it, but with another key, or at another merchant", async () => {
    assert.equal(await open(MERCHANT, "order 1"), "key-taken");
    assert.notEqual(await open(MERCHANT, "order 2"), "key-taken");
    assert.notEqual(await open(OTHER, "order 1"), "key-taken");
  });

  test("keeps the response that was given first", async () => {
    const { key = "" } = (await keys.findKey(MERCHANT, "order 1")) ?? {};
    await keys.storeResponse(MERCHANT, { key, status: 200, body: "first" });
    await keys.storeResponse(MERCHANT, { key, status: 200, body: "second" });
    assert.deepEqual((await keys.findKey(MERCHANT, "order 1"))?.response, { status: 200, body: "first" });
  });

  test("expires when it would have: as of its request, not of the adoption", async () => {
    const [row] = await database.pool<[{ created_at: Date }]>`
      select created_at from idempotency_keys where merchant_id = ${MERCHANT} and transaction_id = ${transactionId}`;
    assert.equal(row.created_at.getTime(), clock.now().getTime());
  });

  test("is not kept for an id that no request has made", async () => {
    const id = `${transactionId.slice(0, 14)}8${transactionId.slice(15)}`;
    await keepLostKey(database.pool, { merchantId: OTHER, transactionId: id, sequence: 1, id });
    const rows = await database.pool`select 1 from idempotency_keys where transaction_id = ${id}`;
    assert.equal(rows.length, 0);
  });

  test("is not looked for where none was lost", async () => {
    watch.keysWereLost = false;
    asked.length = 0;
    assert.equal(await keys.findKey(MERCHANT, "order 1"), undefined);
    assert.notEqual(await open(MERCHANT, "order 3"), "key-taken");
    assert.deepEqual(asked, ["order 1"]);
    watch.keysWereLost = true;
  });
});
