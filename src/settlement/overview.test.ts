import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 } from "uuid";
import { approved, conclusion, ended, followUp, intent } from "../../test/conformance/intents.ts";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { ON_CITUS } from "../../test/database-server.ts";
import { registerNode } from "../journal/nodes.ts";
import { openJournal, type PostgresJournal } from "../journal/postgres-journal.ts";
import { lister } from "../journal/search/ask.ts";
import type { FirstOutcome } from "../payment/outcome.ts";
import type { Transaction } from "../payment/transaction.ts";
import { overview, stepOf } from "./overview.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START = Date.parse("2031-05-01T12:00:00Z");

describe("an overview", () => {
  let database: FreshDatabase;
  let journal: PostgresJournal;
  let now = START;
  const clock = { now: () => new Date(now) };
  before(async () => {
    database = await freshDatabase();
    const { address, pool } = database;
    journal = openJournal({ address, pool, clock, node: await registerNode(pool, clock.now()), distributed: ON_CITUS });
  });
  after(async () => {
    await journal.close();
    await database.drop();
  });

  const merchant = async (): Promise<string> => {
    const id = v7();
    now = START;
    await database.pool`insert into merchant_counters values (${id}, 0, ${clock.now()})`;
    return id;
  };
  const charged = async (merchantId: string, end?: (at: Date) => FirstOutcome): Promise<Transaction> => {
    const transaction = intent(merchantId, clock.now());
    await journal.open(transaction, null);
    if (end) await journal.conclude(conclusion(transaction, transaction.events[0], end(clock.now())));
    return transaction;
  };
  const shown = (merchantId: string, days = 1, currency = "USD") => {
    const span = { from: new Date(START), before: new Date(START + days * DAY_MS) };
    return overview(lister(database.pool, merchantId), { merchantId, currency, ...span }, soon());
  };
  const shownSince = (merchantId: string, from: number) => {
    const span = { from: new Date(from), before: new Date(now + HOUR_MS) };
    return overview(lister(database.pool, merchantId), { merchantId, currency: "USD", ...span }, soon());
  };
  /** What happens at this very instant is known in the next. */
  const soon = () => new Date(now + 1);
  const counts = async (merchantId: string) => {
    const { count, approved, declined, unknown } = (await shown(merchantId)).charges;
    return [count, approved, declined, unknown];
  };
  const declined = (at: Date): FirstOutcome => ({ ...ended("declined", at), kind: "declined", category: "try-later" });

  test("counts charges by their end, and what was not sent not at all", async () => {
    const id = await merchant();
    for (const end of [approved, approved, declined, undefined]) await charged(id, end);
    await charged(id, (at) => ended("unanswered", at));
    await charged(id, (at) => ended("not-sent", at));
    const { charges, declines, brands, processors, points } = await shown(id);
    assert.deepEqual(charges, { count: 5, approved: 2, declined: 1, unknown: 2, amount: 200n });
    assert.deepEqual(declines, [{ code: "91", category: "try-later", message: "ENDED AS declined", count: 1 }]);
    assert.deepEqual([brands.length, processors.length, brands[0]?.count, processors[0]?.count], [1, 1, 5, 5]);
    assert.deepEqual(
      points.map(({ at, count }) => [at.toISOString(), count]),
      [["2031-05-01T12:00:00.000Z", 5]],
    );
  });

  /** A charge that is declined, and then asked of another processor. @returns what ends it there */
  const goneOn = async (merchantId: string) => {
    const transaction = intent(merchantId, clock.now());
    const [first] = transaction.events;
    await journal.open(transaction, null);
    const next = { ...first, id: v7(), processorId: v7(), sequence: 2, createdAt: clock.now() };
    const step = { ...conclusion(transaction, first, declined(clock.now())), next };
    assert.equal(await journal.conclude(step), "concluded");
    return (outcome: FirstOutcome) => journal.conclude(conclusion(transaction, next, outcome));
  };

  test("counts a charge that went on after a decline once, by its end; each processor has what it was asked", async () => {
    const id = await merchant();
    await (await goneOn(id))(approved(clock.now()));
    await (await goneOn(id))(declined(clock.now()));
    await goneOn(id);
    const { charges, declines, brands, processors, points } = await shown(id);
    assert.deepEqual(charges, { count: 3, approved: 1, declined: 1, unknown: 1, amount: 100n });
    assert.deepEqual([declines.map(({ count }) => count), brands[0]?.count, points[0]?.count], [[1], 3, 3]);
    assert.deepEqual(processors.map(({ count }) => count).sort(), [1, 1, 1, 3]);
    assert.equal(processors.find(({ count }) => count === 3)?.declined, 3);
  });

  test("counts the decline where the next processor was never reached, whenever that is known", async () => {
    const id = await merchant();
    const end = await goneOn(id);
    assert.deepEqual(await counts(id), [1, 0, 0, 1]);
    now += 5 * HOUR_MS;
    await charged(id, approved);
    assert.deepEqual(await counts(id), [2, 1, 0, 1]);
    now += HOUR_MS;
    await end(ended("not-sent", clock.now()));
    assert.deepEqual(await counts(id), [2, 1, 1, 0]);
  });

  test("adds up refunds, voids and captures that succeeded, in the hour of each", async () => {
    const id = await merchant();
    const transaction = await charged(id, approved);
    now += 2 * HOUR_MS;
    const capture = followUp(transaction, "capture", { createdAt: clock.now() });
    const open = { ...transaction, events: [transaction.events[0], capture] } as const;
    const refund = followUp(open, "refund", { createdAt: clock.now() });
    for (const event of [capture, refund]) {
      assert.equal(await journal.append(id, transaction.id, event, null), "appended");
      await journal.conclude(conclusion(transaction, event, approved(clock.now())));
    }
    // What came to nothing, as none of the three.
    const types = ["capture", "refund", "void"] as const;
    for (const [nth, type] of types.entries()) {
      const event = followUp(transaction, type, { sequence: 4 + nth, createdAt: clock.now() });
      assert.equal(await journal.append(id, transaction.id, event, null), "appended");
      await journal.conclude(conclusion(transaction, event, declined(clock.now())));
    }
    const { captures, refunds, voids, points } = await shown(id);
    assert.deepEqual(
      [captures, refunds, voids],
      [
        { count: 1, amount: 40n },
        { count: 1, amount: 40n },
        { count: 0, amount: 0n },
      ],
    );
    assert.deepEqual(
      points.map(({ count, refunded }) => [count, refunded]),
      [
        [1, 0n],
        [0, 40n],
      ],
    );
  });

  test("is another currency's, another merchant's, another period's for itself", async () => {
    const [id, other] = [await merchant(), await merchant()];
    await charged(id, approved);
    assert.equal((await shown(id, 1, "CAD")).charges.count, 0);
    assert.equal((await shown(other)).charges.count, 0);
    now += 2 * DAY_MS;
    await charged(id, approved);
    assert.equal((await shown(id, 1)).charges.count, 1);
    assert.equal((await shown(id, 3)).charges.count, 2);
    const lost = await charged(id);
    const outcome = ended("unanswered", clock.now());
    await journal.conclude(conclusion(lost, lost.events[0], outcome, { remedy: "reverse" }));
    assert.deepEqual([(await shown(id)).unresolved, (await shown(other)).unresolved], [1, 0]);
  });

  test("shows an outcome that comes hours or weeks after its event in the event's hour", async () => {
    const id = await merchant();
    const pending = [await charged(id), await charged(id)];
    assert.deepEqual(await counts(id), [2, 0, 0, 2]);
    for (const [index, later] of [5 * HOUR_MS, 30 * DAY_MS].entries()) {
      now += later;
      const [one, event] = [pending[index], pending[index]?.events[0]];
      assert.ok(one && event);
      await journal.conclude(conclusion(one, event, approved(clock.now())));
      assert.deepEqual(await counts(id), [2, index + 1, 0, 1 - index]);
    }
  });

  test("shows an approval that failed after all as a decline", async () => {
    const id = await merchant();
    const { events, id: transactionId } = await charged(id, approved);
    assert.deepEqual(await counts(id), [1, 1, 0, 0]);
    now += 3 * DAY_MS;
    const { processorResponse } = declined(clock.now());
    const failure = { at: clock.now(), processorResponse, category: "refused" as const };
    await journal.failLate({ merchantId: id, transactionId, sequence: events[0].sequence }, failure);
    assert.deepEqual(await counts(id), [1, 0, 1, 0]);
    assert.deepEqual((await shown(id)).declines, [
      { code: "91", category: "refused", message: "ENDED AS declined", count: 1 },
    ]);
  });

  test("is the same whether it is added up as things happen, or later from nothing", async () => {
    const id = await merchant();
    const pending: Transaction[] = [];
    for (let step = 0; step < 24; step++) {
      const one = await charged(id, [approved, declined, undefined][step % 3]);
      if (step % 3 === 2) pending.push(one);
      now += [MINUTE_MS, 11 * MINUTE_MS, 7 * HOUR_MS, 900][step % 4] ?? 0;
      const late = step % 5 === 4 ? pending.shift() : undefined;
      if (late) await journal.conclude(conclusion(late, late.events[0], approved(clock.now())));
      if (step % 2 === 0) await shown(id);
    }
    const before = await shown(id, 30);
    await database.pool`delete from figures where merchant_id = ${id}`;
    await database.pool`delete from figures_known where merchant_id = ${id}`;
    assert.deepEqual(await shown(id, 30), before);
    assert.equal(before.charges.count, 24);
  });

  test("does again what an older gateway added up without telling attempts", async () => {
    const id = await merchant();
    await charged(id, approved);
    now += DAY_MS;
    await charged(id, declined);
    now += DAY_MS;
    const before = await shown(id, 3);
    await database.pool`update figures set attempt = null, events = 7 where merchant_id = ${id}`;
    now += MINUTE_MS;
    const again = await shown(id, 3);
    assert.deepEqual([again.charges, again.declines], [before.charges, before.declines]);
    const [left] = await database.pool`
      select count(*)::int as count from figures where merchant_id = ${id} and attempt is null`;
    assert.equal(left?.count, 0);
  });

  test("adds up the newest days first: what is over them is all there, and of what is not it says so", async () => {
    const id = await merchant();
    for (let day = 0; day < 12; day++) {
      await charged(id, approved);
      now += DAY_MS + HOUR_MS;
    }
    const newest = await shownSince(id, now - 3 * DAY_MS);
    assert.deepEqual([newest.asOf, newest.charges.count], [soon(), 2]);
    // Another eight days would be all.
    await database.pool`delete from figures_known where merchant_id = ${id}`;
    const first = await shown(id, 30);
    assert.deepEqual(first.asOf, new Date(START));
    assert.ok(first.charges.count < 12 && first.points.at(-1)?.at.toISOString().startsWith("2031-05-12"));
    const oldest = await shown(id, 1);
    assert.deepEqual([oldest.asOf, oldest.charges.count], [soon(), 1]);
    const second = await shown(id, 30);
    assert.deepEqual([second.asOf, second.charges.count], [soon(), 12]);
  });

  test("counts what becomes known of a day that is not added up yet, once", async () => {
    const id = await merchant();
    const pending: Transaction[] = [];
    for (let day = 0; day < 12; day++) {
      pending.push(await charged(id));
      now += DAY_MS + HOUR_MS;
    }
    assert.equal((await shownSince(id, now - DAY_MS)).asOf.getTime(), now + 1);
    for (const one of pending) await journal.conclude(conclusion(one, one.events[0], approved(clock.now())));
    now += MINUTE_MS;
    for (let times = 0; times < 3; times++) await shown(id, 30);
    const { count, approved: known } = (await shown(id, 30)).charges;
    assert.deepEqual([count, known], [12, 12]);
  });
});

test("its points are hours, days or months by the length of the period", () => {
  for (const [days, step] of [
    [1, "hour"],
    [3, "hour"],
    [4, "day"],
    [92, "day"],
    [93, "month"],
    [366, "month"],
  ] as const)
    assert.equal(stepOf(new Date(START), new Date(START + days * DAY_MS)), step);
});
