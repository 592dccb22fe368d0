import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { fill } from "../../test/fixtures/filled-block.ts";
import { type BatchEvent, streamEvents } from "./batch-events.ts";

const EVENTS = 5_000;
const LATEST = new Date("2031-05-01T12:00:00Z");
const cutoffAt = new Date("2031-05-01T22:00:00Z");

describe("the events of a batch", () => {
  let database: FreshDatabase;
  const merchantId = v7();
  const processors = [v7(), v7()] as const;
  const batchOf = (processorId: string) => ({ id: v7(), merchantId, processorId, currency: "USD", cutoffAt });

  before(async () => {
    database = await freshDatabase();
    const { pool } = database;
    await fill(pool, merchantId, LATEST, EVENTS);
    await pool`
      update events set processor_id = case when hashtext(transaction_id::text) % 2 = 0 then ${processors[0]}::uuid
        else ${processors[1]}::uuid end`;
    // Many at the same instant, which no Date can say.
    await pool`
      insert into outcomes (merchant_id, transaction_id, sequence, kind, processor_code, processor_message, cutoff_at, created_at)
      select merchant_id, transaction_id, sequence, 'approved', '00', 'APPROVED', ${cutoffAt},
        date_trunc('second', created_at) + interval '7 microseconds'
      from events where merchant_id = ${merchantId} and created_at < ${LATEST}`;
  });
  after(() => database.drop());

  const all = async (processorId: string) =>
    (await Array.fromAsync(streamEvents(database.pool, batchOf(processorId)))).flat();
  const idsOf = (events: readonly BatchEvent[]) => events.map(({ event_id }) => event_id);

  test("come each once, of its own processor record, in the order of time, in portions", async () => {
    for (const processorId of processors) {
      const expected = await database.pool<{ id: string }[]>`
        select e.id from events e join outcomes using (merchant_id, transaction_id, sequence)
        where processor_id = ${processorId} order by e.created_at`;
      const found = await all(processorId);
      assert.deepEqual(idsOf(found).sort(), expected.map(({ id }) => id).sort());
      const seconds = found.map(({ created_at }) => Math.floor(created_at.getTime() / 1_000));
      assert.deepEqual(seconds, seconds.toSorted());
    }
    for await (const portion of streamEvents(database.pool, batchOf(processors[0]))) assert.ok(portion.length <= 1_000);
  });

  test("break off at their end if some were archived while they were read", async () => {
    const archived = async () => {
      for await (const portion of streamEvents(database.pool, batchOf(processors[0])))
        if (portion.length > 0)
          await database.pool`
            insert into archives (merchant_id, last_change) values (${merchantId}, ${cutoffAt}) on conflict do nothing`;
    };
    await assert.rejects(archived, /archived while it was read/);
    await database.pool`delete from archives`;
  });

  test("what is concluded while they are read is the last of them", async () => {
    const [late] = await database.pool<[{ id: string; transaction_id: string; processor_id: string }]>`
      select id, transaction_id, processor_id from events where created_at = ${LATEST}`;
    const before = idsOf(await all(late.processor_id));
    const read: BatchEvent[] = [];
    for await (const portion of streamEvents(database.pool, batchOf(late.processor_id))) {
      if (read.length === 0)
        await database.pool`
          insert into outcomes (merchant_id, transaction_id, sequence, kind, processor_code, processor_message, cutoff_at, created_at)
          values (${merchantId}, ${late.transaction_id}, 1, 'approved', '00', 'APPROVED', ${cutoffAt}, ${LATEST})`;
      read.push(...portion);
    }
    assert.deepEqual(idsOf(read), [...before, late.id]);
  });

  test("are not asked for once their reader has gone", async () => {
    const gone = new AbortController();
    const events = streamEvents(database.pool, batchOf(processors[0]), gone.signal);
    await events.next();
    gone.abort(new Error("gone"));
    await assert.rejects(events.next(), /gone/);
  });
});
