// A process that is stopped for long with an answer in hand writes it when the others have forgotten it. Their lists by updated_at have
// passed the time at which it was known by then.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { approved, conclusion, ended, followUp, intent } from "../../test/conformance/intents.ts";
import { freshDatabase } from "../../test/database.ts";
import { handClock } from "../../test/hand-clock.ts";
import {
  type PostgresInstallation,
  type PostgresNode,
  postgresInstallation,
} from "../../test/postgres-installation.ts";
import type { Transaction } from "../payment/transaction.ts";
import { findPage } from "./search/lists.ts";

const MINUTE_MS = 60_000;
const ago = (minutes: number) => new Date(Math.floor(Date.now() / 1_000) * 1_000 - minutes * MINUTE_MS);

for (const distributed of [false, true])
  describe(`what is written long after it was known${distributed ? ", in groups of one merchant" : ""}`, () => {
    const merchantId = v7();
    let installation: PostgresInstallation;
    /** Stopped for long, and by then forgotten. */
    let stopped: PostgresNode;
    before(async () => {
      installation = postgresInstallation(await freshDatabase(), undefined, distributed);
      stopped = await installation.join({ clock: handClock(ago(17)) });
      await installation.addMerchant(merchantId);
      await installation.pool`delete from nodes`;
      await installation.pool`insert into nodes (started_at, seen_at, clear_before) values (now(), now(), now())`;
    });
    after(() => installation.end());

    const changedSince = async (from: Date) =>
      (await findPage(installation.pool, merchantId, { updatedFrom: from }, 1)).total;

    /** Its charge was sent so long ago. */
    async function charged(minutes: number): Promise<Transaction> {
      const transaction = intent(merchantId, ago(minutes));
      await stopped.journal.open(transaction, null);
      return transaction;
    }

    /** By whoever looked for what was changed after its charge, and looks again. */
    async function isSeen(write: () => Promise<unknown>): Promise<void> {
      const from = ago(16.5);
      const before = await changedSince(from);
      await write();
      assert.equal(await changedSince(from), before + 1);
    }

    test("an outcome is a change of now", async () => {
      const sale = await charged(17);
      await isSeen(() => stopped.journal.conclude(conclusion(sale, sale.events[0], approved(ago(16)))));
      const found = await stopped.journal.find(merchantId, sale.id);
      assert.ok((found?.events[0].outcome?.at ?? ago(16)) >= ago(1));
    });

    test("an outcome that was known in the second of its event is one, too", async () => {
      const sale = await charged(17);
      await isSeen(() => stopped.journal.conclude(conclusion(sale, sale.events[0], ended("declined", ago(17)))));
    });

    test("so are an event that was decided then, and a failure that was told", async () => {
      const sale = await charged(17);
      await stopped.journal.conclude(conclusion(sale, sale.events[0], approved(ago(17))));
      await installation.pool`update outcomes set created_at = ${ago(17)}, changed_at = null where transaction_id = ${sale.id}`;
      const refund = followUp(sale, "refund", { createdAt: ago(16) });
      await isSeen(() => stopped.journal.append(merchantId, sale.id, refund, null));
      const other = await charged(17);
      await stopped.journal.conclude(conclusion(other, other.events[0], approved(ago(17))));
      await installation.pool`update outcomes set created_at = ${ago(17)}, changed_at = null where transaction_id = ${other.id}`;
      const { processorResponse } = ended("declined", ago(16));
      const failure = { at: ago(16), processorResponse, category: "refused" } as const;
      await isSeen(() => stopped.journal.failLate({ merchantId, transactionId: other.id, sequence: 1 }, failure));
    });

    test("what was known a short while ago keeps its time", async () => {
      const sale = await charged(4);
      const at = ago(2);
      await stopped.journal.conclude(conclusion(sale, sale.events[0], approved(at)));
      const found = await stopped.journal.find(merchantId, sale.id);
      assert.deepEqual(found?.events[0].outcome?.at, at);
    });
  });

describe("what a node that died may still have to write", () => {
  const merchantId = v7();
  let installation: PostgresInstallation;
  let node: PostgresNode;
  before(async () => {
    installation = postgresInstallation(await freshDatabase());
    node = await installation.join({ clock: handClock(ago(9)) });
    await installation.addMerchant(merchantId);
    await installation.pool`delete from nodes`;
    await installation.pool`
      insert into nodes (started_at, seen_at, clear_before) values (now(), now(), now()), (${ago(9)}, ${ago(9)}, ${ago(9)})`;
  });
  after(() => installation.end());

  test("is a change of now from five minutes after it was known on: what was before, lists have read for good", async () => {
    const sale = intent(merchantId, ago(9));
    const other = intent(merchantId, ago(9));
    for (const one of [sale, other]) await node.journal.open(one, null);
    const since = async (minutes: number) =>
      (await findPage(installation.pool, merchantId, { updatedFrom: ago(minutes) }, 1)).total;
    await node.journal.conclude(conclusion(sale, sale.events[0], approved(ago(9))));
    await installation.pool`update outcomes set created_at = ${ago(8)}, changed_at = ${ago(8)}`;
    assert.equal(await since(8.5), 1);
    await installation.pool`delete from outcomes`;
    assert.equal(await since(8.5), 1);
    await node.journal.conclude(conclusion(other, other.events[0], approved(ago(8))));
    assert.deepEqual([await since(8.5), await since(1)], [2, 1]);
  });
});
