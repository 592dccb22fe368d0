// What a ledger of a period has: movements from its first instant on and before its last, each as far as it has come by now.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { approved, conclusion, intent } from "../../test/conformance/intents.ts";
import { freshDatabase } from "../../test/database.ts";
import { type HandClock, handClock } from "../../test/hand-clock.ts";
import { type PostgresInstallation, postgresInstallation } from "../../test/postgres-installation.ts";
import { at } from "../../test/transactions.ts";
import { addReport, insertDispute, lockDispute } from "../journal/disputes.ts";
import type { PostgresJournal } from "../journal/postgres-journal.ts";
import { amountOf } from "../payment/money.ts";
import { defaultSchedule, settlementTimes } from "../payment/settlement.ts";
import type { Transaction } from "../payment/transaction.ts";
import { streamLedger } from "./ledger.ts";

describe("a ledger", () => {
  let installation: PostgresInstallation;
  let journal: PostgresJournal;
  let clock: HandClock;
  before(async () => {
    installation = postgresInstallation(await freshDatabase());
    clock = handClock(at("1 12:00"));
    ({ journal } = await installation.join({ clock }));
  });
  after(() => installation.end());

  const merchant = async (): Promise<string> => {
    const id = v7();
    await installation.addMerchant(id);
    return id;
  };
  async function sold(merchantId: string, instant: Date): Promise<Transaction> {
    clock.set(instant);
    const plain = intent(merchantId, instant);
    const sale = { ...plain.events[0], type: "sale" } as const;
    const transaction = { ...plain, events: [sale] as const };
    await journal.open(transaction, null);
    const outcome = approved(instant, settlementTimes(defaultSchedule("USD"), instant));
    await journal.conclude(conclusion(transaction, sale, outcome));
    return transaction;
  }
  const ledger = async (merchantId: string, from: Date | null, before: Date | null, now = at("9 12:00")) =>
    (await Array.fromAsync(streamLedger(installation.pool, merchantId, { from, before }, now))).flat();
  const NOON = at("1 12:00");
  const [JUST_BEFORE, JUST_AFTER] = [new Date(NOON.getTime() - 1), new Date(NOON.getTime() + 1)];

  test("has a movement at its first instant, and none at its end", async () => {
    const own = await merchant();
    const { id } = await sold(own, NOON);
    await sold(await merchant(), NOON);
    for (const [from, before, there] of [
      [NOON, JUST_AFTER, true],
      [JUST_BEFORE, NOON, false],
      [JUST_AFTER, null, false],
      [null, null, true],
    ] as const)
      assert.deepEqual(
        (await ledger(own, from, before)).map(({ transaction_id }) => transaction_id),
        there ? [id] : [],
      );
  });

  test("tells the batch from its cut-off on, and that money has settled from when it shows", async () => {
    const own = await merchant();
    await sold(own, NOON);
    const { cutoffAt, visibleAt } = settlementTimes(defaultSchedule("USD"), NOON);
    const told = async (now: Date) =>
      (await ledger(own, null, null, now)).map(({ batch_id, settled_at }) => [batch_id !== null, settled_at !== null]);
    const justBefore = (instant: Date) => new Date(instant.getTime() - 1);
    assert.deepEqual(await told(justBefore(cutoffAt)), [[false, false]]);
    assert.deepEqual(await told(cutoffAt), [[true, false]]);
    assert.deepEqual(await told(justBefore(visibleAt)), [[true, false]]);
    assert.deepEqual(await told(visibleAt), [[true, true]]);
  });

  test("has what a dispute moved in the period in which it moved it, by the same bounds", async () => {
    const own = await merchant();
    const { id, events, merchantTransactionId } = await sold(own, at("1 10:00"));
    const opening = {
      ...{ merchantId: own, id: v7(), transactionId: id, eventId: events[0].id, merchantTransactionId },
      ...{ processorId: events[0].processorId, reference: null },
    };
    const disputed = { amount: amountOf(100n), currency: "USD" };
    const report = { order: 1, at: NOON, disputed, withdrawn: amountOf(100n), stage: "chargeback" } as const;
    await installation.pool.begin(async (sql) => {
      await insertDispute(sql, opening, report, NOON);
      const dispute = await lockDispute(sql, opening.id);
      assert.ok(dispute);
      await addReport(sql, dispute, [], report, null, NOON);
    });
    const moved = async (from: Date, before: Date) =>
      (await ledger(own, from, before)).map(({ movement, amount }) => `${movement} ${amount}`);
    assert.deepEqual(await moved(NOON, JUST_AFTER), ["chargeback -1.00"]);
    assert.deepEqual(await moved(at("1 11:00"), NOON), []);
    assert.deepEqual(await moved(at("1 10:00"), NOON), ["sale 1.00"]);
    await installation.pool.begin(async (sql) => {
      const dispute = await lockDispute(sql, opening.id);
      assert.ok(dispute);
      const won = { order: 2, at: at("2 12:00"), state: "won", withdrawn: amountOf(0n) } as const;
      await addReport(sql, dispute, [{ ...report, number: 1, source: null, knownAt: NOON }], won, null, at("2 12:00"));
    });
    assert.deepEqual(await moved(JUST_AFTER, at("3 12:00")), ["chargeback 1.00"]);
  });
});
