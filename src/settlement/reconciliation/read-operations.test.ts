import assert from "node:assert/strict";
import { test } from "node:test";
import { v7 } from "uuid";
import { freshDatabase } from "../../../test/database.ts";
import { fill } from "../../../test/fixtures/filled-block.ts";
import { operationsSent } from "./read-operations.ts";

test("what was approved and failed after all is read as failed, at the instant at which that was known", async () => {
  const database = await freshDatabase();
  const merchantId = v7();
  const sentAt = new Date("2031-05-01T12:00:00Z");
  const failedAt = new Date("2031-05-02T09:00:00Z");
  const [first] = await fill(database.pool, merchantId, sentAt, 2);
  await database.pool`
    insert into outcomes (merchant_id, transaction_id, sequence, kind, processor_code, processor_message, created_at)
    select merchant_id, transaction_id, 1, 'approved', '00', '', created_at from events`;
  await database.pool`
    insert into late_failures (merchant_id, transaction_id, sequence, failure, created_at)
    values (${merchantId}, ${first?.id ?? ""}, 1, ${database.pool.json({})}, ${failedAt})`;
  const account = { merchantId, processorId: first?.events[0].processorId ?? "" };
  const read = [];
  for await (const some of operationsSent(database.pool, account, Date.parse("2031-05-01"), Date.parse("2031-05-03")))
    read.push(...some);
  const outcomes = read.map(({ transactionId, outcome, endedAt }) => [transactionId === first?.id, outcome, endedAt]);
  assert.deepEqual(outcomes.toSorted(), [
    [false, "approved", read.find(({ transactionId }) => transactionId !== first?.id)?.endedAt],
    [true, "failed-after-all", failedAt.getTime()],
  ]);
  await database.drop();
});
