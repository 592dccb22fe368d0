// Batches are of the money that is in them: an outcome that did not count makes none.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 as uuidv7 } from "uuid";
import { approved, conclusion, intent } from "../../test/conformance/intents.ts";
import { freshDatabase } from "../../test/database.ts";
import {
  type PostgresInstallation,
  type PostgresNode,
  postgresInstallation,
} from "../../test/postgres-installation.ts";
import { at } from "../../test/transactions.ts";
import { defaultSchedule, settlementTimes } from "../payment/settlement.ts";

describe("the batches of outcomes", () => {
  let installation: PostgresInstallation;
  let nodes: readonly [PostgresNode, PostgresNode];
  before(async () => {
    installation = postgresInstallation(await freshDatabase());
    nodes = [await installation.join(), await installation.join()];
  });
  after(() => installation.end());

  const [inTime, tooLate] = [at("1 21:59"), at("1 22:00")];
  const settling = (instant: Date) => approved(instant, settlementTimes(defaultSchedule("USD"), instant));
  const batchesAfter = async (
    write: (conclude: (nth: 0 | 1, instant: Date) => Promise<unknown>) => Promise<unknown>,
  ) => {
    const merchantId = uuidv7();
    await installation.addMerchant(merchantId);
    const plain = intent(merchantId, at("1 12:00"));
    const event = { ...plain.events[0], processorId: uuidv7() };
    const transaction = { ...plain, events: [event] as const };
    await nodes[0].journal.open(transaction, null);
    await write((nth, instant) => nodes[nth].journal.conclude(conclusion(transaction, event, settling(instant))));
    const rows = await installation.pool<{ cutoff_at: Date }[]>`
      select cutoff_at from batches where merchant_id = ${merchantId}`;
    return rows.map(({ cutoff_at }) => cutoff_at);
  };

  test("one that stands makes its batch", async () =>
    assert.deepEqual(await batchesAfter((conclude) => conclude(0, inTime)), [at("1 22:00")]));

  test("one that comes after another node's makes none", async () =>
    assert.deepEqual(
      await batchesAfter(async (conclude) => {
        await conclude(1, inTime);
        await conclude(0, tooLate);
      }),
      [at("1 22:00")],
    ));

  test("two of one event at the same moment make one", async () => {
    const batches = await batchesAfter((conclude) =>
      Promise.all([conclude(0, inTime), conclude(0, inTime), conclude(0, tooLate)]),
    );
    assert.equal(batches.length, 1);
  });
});
