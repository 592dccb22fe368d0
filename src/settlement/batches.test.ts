// Batches are of the money that is in them: an outcome that did not count makes none, and what was voided is no more theirs.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 as uuidv7 } from "uuid";
import { approved, conclusion, followUp, intent } from "../../test/conformance/intents.ts";
import { freshDatabase } from "../../test/database.ts";
import {
  type PostgresInstallation,
  type PostgresNode,
  postgresInstallation,
} from "../../test/postgres-installation.ts";
import { at } from "../../test/transactions.ts";
import type { Sql } from "../journal/database.ts";
import { lister } from "../journal/search/ask.ts";
import { defaultSchedule, settlementTimes } from "../payment/settlement.ts";
import { totalsOf } from "./batches.ts";

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

  test("what was voided of one is added up without reading what else was sent with it", async () => {
    const merchantId = uuidv7();
    const processorId = uuidv7();
    await installation.addMerchant(merchantId);
    const { journal } = nodes[0];
    const cutoffAt = at("1 22:00");
    for (let nth = 0; nth < 10; nth++) {
      const plain = intent(merchantId, at("1 12:00"));
      const sale = { ...plain.events[0], type: "sale", processorId } as const;
      const transaction = { ...plain, meta: JSON.stringify({ note: "x".repeat(1_000_000) }), events: [sale] as const };
      await journal.open(transaction, null);
      await journal.conclude(conclusion(transaction, sale, settling(inTime)));
      const cancel = followUp(transaction, "void", { processorId, createdAt: inTime });
      await journal.append(merchantId, transaction.id, cancel, null);
      await journal.conclude(conclusion(transaction, cancel, approved(inTime)));
    }
    const read: number[] = [];
    const asker = lister(watched(installation.pool, read), merchantId);
    const batch = { id: uuidv7(), merchantId, processorId, currency: "USD", cutoffAt };
    const { totals, voided, net } = await totalsOf(asker, inTime, batch);
    assert.deepEqual([totals[0]?.count, voided, net], [10, 400n, 600n]);
    assert.ok(read.length > 0 && Math.max(...read) < 100_000, `${read} characters`);
  });
});

/** @param read told of the size of each answer */
const watched = (pool: Sql, read: number[]): Sql =>
  new Proxy(pool, {
    get(target, name) {
      if (name !== "unsafe") return Reflect.get(target, name);
      return async (...statement: Parameters<Sql["unsafe"]>) => {
        const rows = await target.unsafe(...statement);
        read.push(JSON.stringify(rows).length);
        return rows;
      };
    },
  });
