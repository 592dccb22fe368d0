import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { v7 as uuidv7 } from "uuid";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { until } from "../../test/journeys/crash.fixture.ts";
import { at, PROCESSOR_RESPONSE } from "../../test/transactions.ts";
import { amountOf } from "../payment/money.ts";
import type { News } from "../payment/news.ts";
import {
  applyMadeAgain,
  keepNotifications,
  leaseNotifications,
  noteApplied,
  putOffNotification,
} from "./notifications.ts";

const NOW = at("1 12:00");
const LEASE_MS = 10_000;
const later = (ms: number) => new Date(NOW.getTime() + ms);

describe("what processors tell by themselves", () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  const record = () => ({ merchantId: uuidv7(), processorId: uuidv7() });
  const told = (id: string, transactionId: string | null = null, news: News = { kind: "other" }) => ({
    ...{ id, occurredAt: NOW, news, said: "a word" },
    about: transactionId === null ? null : { transactionId, reference: "reference" },
  });
  const keep = (place: ReturnType<typeof record>, ...notifications: readonly ReturnType<typeof told>[]) =>
    keepNotifications(database.pool, place, notifications, NOW);
  const leased = async (now: Date, { merchantId }: ReturnType<typeof record>) =>
    (await leaseNotifications(database.pool, now, LEASE_MS, 100)).filter((one) => one.merchantId === merchantId);
  const ids = (waiting: Awaited<ReturnType<typeof leased>>) => waiting.map(({ id }) => id);

  test("what comes again is kept once, also within one message and from two nodes at once", async () => {
    const place = record();
    await Promise.all([keep(place, told("a"), told("a"), told("b")), keep(place, told("b"), told("a"))]);
    await keep(place, told("a"));
    assert.deepEqual(ids(await leased(NOW, place)).sort(), ["a", "b"]);
    await keep({ ...place, processorId: uuidv7() }, told("a"));
    assert.deepEqual(ids(await leased(later(1), place)), ["a"], "of another record it is another");
  });

  test("two nodes that are told the same in opposite orders at once do not wait for each other", async () => {
    const place = record();
    const { pool } = database;
    const both: Promise<void>[] = [];
    const withdrawn = new Error("a third one takes back what both have to wait for");
    const third = pool.begin(async (sql) => {
      await sql`
        insert into notifications (merchant_id, processor_id, id, kind, occurred_at, said, news, created_at)
        values (${place.merchantId}, ${place.processorId}, 'm', 'other', ${NOW}, 'a word', '{"kind":"other"}', ${NOW})`;
      both.push(keep(place, told("a"), told("m"), told("b")), keep(place, told("b"), told("m"), told("a")));
      await until("both wait", async () => {
        const waiting = await pool`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return waiting.length === 2;
      });
      throw withdrawn;
    });
    await assert.rejects(third, withdrawn);
    await Promise.all(both);
    assert.deepEqual(ids(await leased(NOW, place)).sort(), ["a", "b", "m"]);
  });

  test("what was told comes out as it went in", async () => {
    const place = record();
    const money = { amount: amountOf(1234n), currency: "KWD" };
    const settlement = { cutoffAt: later(1), settledAt: later(2), visibleAt: later(3) };
    const succeeded = { kind: "succeeded", processorResponse: PROCESSOR_RESPONSE, settlement, money } as const;
    const failed = { kind: "failed", processorResponse: PROCESSOR_RESPONSE, category: "try-later" } as const;
    const transactionId = uuidv7();
    await keep(place, told("first", uuidv7(), succeeded), told("second", transactionId, failed));
    const [first, second] = await leased(NOW, place);
    assert.deepEqual([first?.news, second?.news], [succeeded, failed]);
    assert.deepEqual(second, {
      ...{ ...place, id: "second", about: { transactionId, reference: "reference" }, receivedAt: NOW },
      ...{ occurredAt: NOW, news: failed, attempts: 1 },
    });
  });

  test("of a transaction the first is leased, and the next when it is applied; what is about none waits for nobody", async () => {
    const place = record();
    const transaction = uuidv7();
    await keep(place, told("1", transaction), told("2", transaction), told("3"), told("4", uuidv7()));
    const [first, ...others] = await leased(NOW, place);
    assert.deepEqual([first?.id, ...ids(others)], ["1", "3", "4"]);
    assert.ok(first);
    assert.deepEqual(ids(await leased(later(LEASE_MS - 1), place)), []);
    await putOffNotification(database.pool, first, later(20));
    assert.deepEqual(ids(await leased(later(19), place)), []);
    assert.deepEqual(ids(await leased(later(20), place)), ["1"]);
    await noteApplied(database.pool, first, "applied", null, NOW, null);
    assert.deepEqual(ids(await leased(later(21), place)), ["2"]);
  });

  test("what one record is told of a transaction holds up nothing that another is told of it", async () => {
    const [one, transactionId] = [record(), uuidv7()];
    await keep(one, told("copy", transactionId));
    const [copy] = await leased(NOW, one);
    assert.ok(copy);
    await putOffNotification(database.pool, copy, later(10_000));
    await keep({ ...one, processorId: uuidv7() }, told("own", transactionId));
    assert.deepEqual(ids(await leased(later(1), one)), ["own"]);
  });

  test("what one message tells is leased in the order in which it stands there, whatever it is called", async () => {
    const place = record();
    const transaction = uuidv7();
    await keep(place, told("z", transaction), told("a", transaction), told("y"), told("b"));
    const [first, ...others] = await leased(NOW, place);
    assert.deepEqual([first?.id, ...ids(others)], ["z", "y", "b"]);
    assert.ok(first);
    await noteApplied(database.pool, first, "applied", null, NOW, null);
    assert.deepEqual(ids(await leased(later(1), place)), ["a"]);
  });

  test("a charge is noted as reversed by what tells that it was, and by nothing else that ends its wait", async () => {
    const { pool } = database;
    for (const reversed of [true, false]) {
      const [place, transactionId] = [record(), uuidv7()];
      const { merchantId, processorId } = place;
      const waiting = {
        merchant_id: merchantId,
        transaction_id: transactionId,
        sequence: 1,
        processor_id: processorId,
      };
      const remedy = { remedy: "await", attempts: 0, due_at: NOW, created_at: NOW };
      await pool`insert into unresolved ${pool([1, 2].map((sequence) => ({ ...waiting, ...remedy, sequence })))}`;
      await keep(place, told("end", transactionId));
      const [end] = await leased(NOW, place);
      assert.ok(end);
      await noteApplied(pool, end, "applied", null, NOW, { merchantId, transactionId, sequence: 1, reversed });
      const noted = await pool`
        select sequence, created_at from confirmed_reversals where merchant_id = ${merchantId}`;
      assert.deepEqual([...noted], reversed ? [{ sequence: 1, created_at: NOW }] : []);
      const left = await pool`select sequence from unresolved where merchant_id = ${merchantId}`;
      assert.deepEqual([...left], [{ sequence: 2 }]);
    }
  });

  test("what a node has leased and not applied is another's when the lease has passed, and is applied once", async () => {
    const place = record();
    await keep(place, told("1"));
    const [one] = await leased(NOW, place);
    const [again] = await leased(later(LEASE_MS), place);
    assert.deepEqual([one?.attempts, again?.attempts], [1, 2]);
    assert.ok(one);
    await noteApplied(database.pool, one, "applied", null, NOW, null);
    await noteApplied(database.pool, one, "known", null, NOW, null);
    await keep(place, told("1"));
    assert.deepEqual(await leased(later(10 * LEASE_MS), place), []);
    const rows = await database.pool<{ result: string }[]>`
      select result from applied_notifications where merchant_id = ${place.merchantId}`;
    assert.deepEqual(
      [...rows].map(({ result }) => result),
      ["applied"],
    );
  });

  test("what a processor did by itself is applied again when more follows from it, also while a node is at work on it", async () => {
    const [place, transactionId] = [record(), uuidv7()];
    const { pool } = database;
    const made = (type: "refund" | "void"): News => ({
      ...{ kind: "made", type, operation: type, payment: null, end: "succeeded" },
      processorResponse: PROCESSOR_RESPONSE,
    });
    await keep(place, told("refund", transactionId, made("refund")), told("void", transactionId, made("void")));
    await keep(place, told("elsewhere", uuidv7(), made("refund")), told("end", transactionId));
    const all = await leased(NOW, place);
    for (const one of all) if (one.id !== "refund") await noteApplied(pool, one, "kept", "of no charge", NOW, null);
    await applyMadeAgain(pool, place, transactionId, "all", later(1));
    for (const one of all) if (one.id === "refund") await noteApplied(pool, one, "kept", "of no charge", NOW, null);
    const again = await leased(later(1), place);
    assert.deepEqual(ids(again).toSorted(), ["refund", "void"]);
    for (const one of again) await noteApplied(pool, one, "applied", null, NOW, null);
    await applyMadeAgain(pool, place, transactionId, "void", later(2));
    assert.deepEqual(ids(await leased(later(2), place)), ["void"]);
  });
});
