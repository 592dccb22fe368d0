// What a batch adds up to, from the journal: all that was submitted at its cut-off and did not fail after all, less what was voided of it;
// and what is still to come into one.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { approved, conclusion, ended, followUp, intent } from "../../test/conformance/intents.ts";
import { freshDatabase } from "../../test/database.ts";
import { type PostgresInstallation, postgresInstallation } from "../../test/postgres-installation.ts";
import { at } from "../../test/transactions.ts";
import type { PostgresJournal } from "../journal/postgres-journal.ts";
import { lister } from "../journal/search/ask.ts";
import { amountOf } from "../payment/money.ts";
import type { FirstOutcome } from "../payment/outcome.ts";
import { defaultSchedule, settlementTimes } from "../payment/settlement.ts";
import { type Event, type FollowUpType, type Transaction, withEvent } from "../payment/transaction.ts";
import { streamEvents } from "./batch-events.ts";
import { totalsOf } from "./batches.ts";
import { position } from "./position.ts";

describe("a batch", () => {
  let installation: PostgresInstallation;
  let journal: PostgresJournal;
  const merchantId = v7();
  before(async () => {
    installation = postgresInstallation(await freshDatabase());
    await installation.addMerchant(merchantId);
    ({ journal } = await installation.join());
  });
  after(() => installation.end());

  const settled = (instant: Date) => approved(instant, settlementTimes(defaultSchedule("USD"), instant));

  async function charged(processorId: string, type: "sale" | "auth", instant: Date): Promise<Transaction> {
    const plain = intent(merchantId, instant);
    const charge = { ...plain.events[0], type, processorId };
    const transaction = { ...plain, events: [charge] as const };
    await journal.open(transaction, null);
    const outcome = type === "sale" ? settled(instant) : approved(instant);
    await journal.conclude(conclusion(transaction, charge, outcome, { awaitsCapture: type === "auth" }));
    return withEvent({ ...transaction, events: [] as never }, { ...charge, outcome });
  }

  /** @param ends undefined: it is in flight */
  async function followed(
    transaction: Transaction,
    type: FollowUpType,
    amount: bigint,
    createdAt: Date,
    outcome: FirstOutcome | null,
  ): Promise<Transaction> {
    const event: Event = followUp(transaction, type, { amount: amountOf(amount), createdAt });
    assert.equal(await journal.append(merchantId, transaction.id, event, null), "appended");
    if (outcome) await journal.conclude(conclusion(transaction, event, outcome));
    return withEvent(transaction, { ...event, outcome });
  }

  /** Of the batch with this cut-off, and the same of its list of events. */
  async function batchAt(processorId: string, cutoffAt: Date) {
    const { pool } = installation;
    const batch = { id: v7(), merchantId, processorId, currency: "USD", cutoffAt };
    const { totals, voided, net } = await totalsOf(lister(pool, merchantId), at("4 12:00"), batch);
    const listed = (await Array.fromAsync(streamEvents(pool, batch))).flat();
    return {
      totals: totals.map(({ operation, count, amount }) => `${count} ${operation} ${amount}`),
      events: listed.map(({ event_type, amount }) => `${event_type} ${amount}`),
      ...{ voided, net },
    };
  }

  test("has nothing of what was approved and failed after all", async () => {
    const processorId = v7();
    await charged(processorId, "sale", at("1 12:00"));
    const { id } = await charged(processorId, "sale", at("1 12:01"));
    const { processorResponse } = approved(at("2 12:00"));
    const failure = { at: at("2 12:00"), processorResponse, category: "refused" } as const;
    await journal.failLate({ merchantId, transactionId: id, sequence: 1 }, failure);
    assert.deepEqual(await batchAt(processorId, at("1 22:00")), {
      ...{ totals: ["1 sale 100"], events: ["sale 100"], voided: 0n, net: 100n },
    });
  });

  test("is less by what was voided of its own captures, not of another day's", async () => {
    const processorId = v7();
    const auth = await charged(processorId, "auth", at("1 12:00"));
    const first = await followed(auth, "capture", 60n, at("1 13:00"), settled(at("1 13:00")));
    const second = await followed(first, "capture", 40n, at("1 23:00"), settled(at("1 23:00")));
    await followed(second, "void", 40n, at("1 23:01"), approved(at("1 23:01")));
    assert.deepEqual(await batchAt(processorId, at("1 22:00")), {
      ...{ totals: ["1 capture 60"], events: ["capture 60"], voided: 0n, net: 60n },
    });
    assert.deepEqual(await batchAt(processorId, at("2 22:00")), {
      ...{ totals: ["1 capture 40"], events: ["capture 40"], voided: 40n, net: 0n },
    });
  });

  test("is less by what was refunded by its cut-off, and less than nothing where that is all there is", async () => {
    const processorId = v7();
    const sale = await charged(processorId, "sale", at("1 12:00"));
    const once = await followed(sale, "refund", 30n, at("1 13:00"), settled(at("1 13:00")));
    await followed(once, "refund", 50n, at("1 23:00"), settled(at("1 23:00")));
    const { totals, voided, net } = await batchAt(processorId, at("1 22:00"));
    assert.deepEqual([totals.toSorted(), voided, net], [["1 refund 30", "1 sale 100"], 0n, 70n]);
    const next = await batchAt(processorId, at("2 22:00"));
    assert.deepEqual([next.totals, next.voided, next.net], [["1 refund 50"], 0n, -50n]);
  });

  test("is less by a void only once that is approved", async () => {
    const processorId = v7();
    const sale = await charged(processorId, "sale", at("1 12:00"));
    const part = await followed(sale, "void", 10n, at("1 13:00"), approved(at("1 13:00")));
    await followed(part, "void", 50n, at("1 14:00"), null);
    assert.deepEqual(await batchAt(processorId, at("1 22:00")), {
      ...{ totals: ["1 sale 100"], events: ["sale 100"], voided: 10n, net: 90n },
    });
  });

  test("is still to have what is authorized, unless it was captured or voided: a capture that was declined changes nothing", async () => {
    const processorId = v7();
    const noon = at("1 12:00");
    const auths = [];
    for (let nth = 0; nth < 4; nth++) auths.push(await charged(processorId, "auth", noon));
    const [declined, captured, voided] = auths;
    assert.ok(declined && captured && voided);
    await followed(declined, "capture", 100n, noon, ended("declined", noon));
    await followed(captured, "capture", 40n, noon, settled(noon));
    await followed(voided, "void", 100n, noon, approved(noon));
    const { awaiting } = await position(lister(installation.pool, merchantId), merchantId, noon);
    assert.deepEqual(
      awaiting.filter((one) => one.processorId === processorId),
      [{ processorId, count: 2, amount: 200n }],
    );
  });

  test("is told with its merchant's position until a day after its own money shows, whenever another record's does", async () => {
    const { pool } = installation;
    const cutoffAt = at("1 22:00");
    const shows = { early: at("2 02:20"), late: at("2 22:00") };
    const records = { early: v7(), late: v7() };
    for (const which of ["early", "late"] as const) {
      const processorId = records[which];
      const record = { id: processorId, name: "Acquirer", kind: "simulator", currency: "USD", enabled: true };
      const json = { requires: pool.json({}), settlement: pool.json({}), settings: pool.json({}) };
      const times = { created_at: cutoffAt, updated_at: cutoffAt };
      await pool`
        insert into processors ${pool({ merchant_id: merchantId, ...record, in_rotation: true, ...json, ...times })}`;
      const plain = intent(merchantId, at("1 12:00"));
      const sale = { ...plain.events[0], type: "sale", processorId } as const;
      await journal.open({ ...plain, events: [sale] }, null);
      const settlement = { cutoffAt, settledAt: shows[which], visibleAt: shows[which] };
      await journal.conclude(conclusion({ ...plain, events: [sale] }, sale, approved(at("1 12:00"), settlement)));
    }
    const toldAt = async (now: Date) => {
      const { batches } = await position(lister(pool, merchantId), merchantId, now);
      return batches
        .map(({ processorId, part, net }) => `${processorId === records.early ? "early" : "late"} ${part} ${net}`)
        .sort();
    };
    assert.deepEqual(await toldAt(at("1 21:00")), ["early collecting 100", "late collecting 100"]);
    assert.deepEqual(await toldAt(at("2 01:00")), ["early settling 100", "late settling 100"]);
    assert.deepEqual(await toldAt(at("2 02:20")), ["early settled 100", "late settling 100"]);
    assert.deepEqual(await toldAt(at("3 02:19")), ["early settled 100", "late settled 100"]);
    assert.deepEqual(await toldAt(at("3 02:20")), ["late settled 100"]);
    assert.deepEqual(await toldAt(at("3 22:00")), []);
  });
});
