import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { intent } from "../../test/conformance/intents.ts";
import { freshDatabase } from "../../test/database.ts";
import { idOf, installation, inWords, record, render, resultInWords } from "../../test/gateway-in-memory.ts";
import { postgresInstallation } from "../../test/postgres-installation.ts";
import { until } from "../../test/receiver.ts";
import { PROCESSOR_RESPONSE } from "../../test/transactions.ts";
import { unreliable } from "../../test/unreliable-journal.ts";
import { keepNotifications, type NewNotification } from "../journal/notifications.ts";
import { newestOf, type Transaction } from "../payment/transaction.ts";
import { placeOf } from "./append.ts";
import { startApplying } from "./notifications.ts";
import { conclusionOf, neverAnswered } from "./outcome.ts";

const USD = record();
const { merchantId, id: processorId } = USD;

test("news of a charge that is given up while they are applied are kept, and the charge stays on the list to be taken back", async (t) => {
  const database = postgresInstallation(await freshDatabase());
  t.after(() => database.end());
  await database.addMerchant(merchantId);
  const made = installation([USD]);
  const { journal } = await database.join({ clock: made.clock });
  const opened: Transaction[] = [];
  const stopping = made.join(() =>
    unreliable(
      {
        ...journal,
        open: (intent, ...rest) => {
          opened.push(intent);
          return journal.open(intent, ...rest);
        },
      },
      { conclude: ["stops before"] },
    ),
  );
  void stopping.charge();
  while (made.books.asked.length === 0) await new Promise(setImmediate);
  const [transaction] = opened;
  assert.ok(transaction);
  const [event] = transaction.events;
  const now = made.clock.now();
  const notification = {
    ...{
      id: "told",
      occurredAt: now,
      about: { transactionId: transaction.id, reference: event.id },
      said: "it is paid",
    },
    news: { kind: "succeeded", processorResponse: PROCESSOR_RESPONSE } as const,
  };
  await keepNotifications(database.pool, { merchantId, processorId }, [notification], now);
  const giveUp = async () => {
    const outcome = neverAnswered({ transaction, event }, now);
    await journal.conclude(conclusionOf(transaction, event, outcome, undefined));
  };
  const { parts } = made.join(() => unreliable(journal, { conclude: [giveUp] }));
  const applying = startApplying(parts, database.pool, render);
  let applied: readonly { result: string; why: string }[] = [];
  const end = Date.now() + 20_000;
  while (applied.length === 0 && Date.now() < end)
    applied = await database.pool<{ result: string; why: string }[]>`select result, why from applied_notifications`;
  await applying.stop();
  assert.deepEqual([...applied], [{ result: "kept", why: "the charge was given up, and is taken back" }]);
  const waiting = await database.pool`select sequence, remedy from unresolved where transaction_id = ${transaction.id}`;
  assert.deepEqual([...waiting], [{ sequence: 1, remedy: "reverse" }]);
  const stored = await journal.find(merchantId, transaction.id);
  assert.equal(stored?.events[0].outcome?.kind, "unanswered");
});

describe("a charge that was given up, and that its processor then tells of, is taken back now, and not in a day", () => {
  const DAY_MS = 86_400_000;
  for (const [name, isAsked] of [
    ["while nobody asks for it", false],
    ["as soon as who asked for it before the charge was there has put it off", true],
  ] as const)
    test(name, async (t) => {
      const database = postgresInstallation(await freshDatabase());
      t.after(() => database.end());
      await database.addMerchant(merchantId);
      const made = installation([USD]);
      const { clock } = made;
      const { journal, backlog } = await database.join({ clock });
      const transaction = intent(merchantId, clock.now());
      const [event] = transaction.events;
      await journal.open(transaction, null);
      const outcome = neverAnswered({ transaction, event }, clock.now());
      await journal.conclude(conclusionOf(transaction, event, outcome, undefined));
      const place = placeOf(transaction, event);
      const putOff = () =>
        backlog.putOff(place, { at: clock.now(), said: "received" }, new Date(clock.now().getTime() + DAY_MS), "await");
      const due = () => backlog.leaseDue(event.processorId, clock.now(), 60_000, 1);
      assert.equal((await due()).length, 1);
      if (!isAsked) await putOff();
      const about = { transactionId: transaction.id, reference: event.id };
      const news = { kind: "succeeded", processorResponse: PROCESSOR_RESPONSE } as const;
      const told = { id: "told", occurredAt: clock.now(), about, said: "it is authorised", news };
      const of = { merchantId, processorId: event.processorId };
      await keepNotifications(database.pool, of, [told], clock.now());
      const applying = startApplying(made.join(() => journal).parts, database.pool, render);
      try {
        if (isAsked) {
          const isPutOff = async () => {
            const rows = await database.pool`select from waiting_notifications where due_at > ${clock.now()}`;
            return rows.length > 0;
          };
          await until("it waits for who asks", isPutOff);
          await putOff();
          clock.set(new Date(clock.now().getTime() + 1_000));
        }
        const applied = () => database.pool<{ result: string }[]>`select result from applied_notifications`;
        await until("it is applied", async () => (await applied()).length > 0);
        assert.deepEqual([...(await applied())], [{ result: "kept" }]);
      } finally {
        await applying.stop();
      }
      assert.deepEqual(
        (await due()).map(({ transactionId, remedy }) => [transactionId, remedy]),
        [[transaction.id, "await"]],
      );
    });
});

test("a reversal whose void failed asks for the refund, and no other notification waits for that answer", async (t) => {
  const patient = record({ settings: { timeout_ms: 120_000 } });
  const other = record();
  const database = postgresInstallation(await freshDatabase());
  t.after(() => database.end());
  await database.addMerchant(merchantId);
  const { promise: silence, resolve: answer } = Promise.withResolvers<void>();
  let asked: string | undefined;
  const made = installation([patient, other], {
    line: (_, type) => {
      asked = type;
      return type === "void" ? "loses question" : "answers";
    },
    way: () => (asked === "refund" ? silence : Promise.resolve()),
  });
  const { journal } = await database.join({ clock: made.clock });
  const { charge, reverse, find, parts } = made.join(() => journal);
  const id = idOf(await charge({ processorId: patient.id }));
  assert.equal(resultInWords(await reverse(id)), "202 sale 100 approved, void 100 pending");
  const others = await find(idOf(await charge({ processorId: other.id })));
  const now = made.clock.now();
  /** About the last event. */
  const keep = (transaction: Transaction, named: string, news: NewNotification["news"]) => {
    const { id: reference, processorId } = newestOf(transaction);
    const about = { transactionId: transaction.id, reference };
    const notification = { id: named, occurredAt: now, about, said: named, news };
    return keepNotifications(database.pool, { merchantId, processorId }, [notification], now);
  };
  const applied = async () => {
    const rows = await database.pool<{ id: string; result: string }[]>`
      select id, result from applied_notifications order by id`;
    return rows.map((row) => `${row.id} ${row.result}`);
  };
  const failed = { kind: "failed", processorResponse: PROCESSOR_RESPONSE, category: "try-later" } as const;
  await keep(await find(id), "the void failed", failed);
  const applying = startApplying(parts, database.pool, render);
  try {
    await until("the refund is asked for", () => asked === "refund");
    await keep(others, "another", { kind: "other" });
    await until("the other one is applied", async () => (await applied()).length > 0);
    assert.deepEqual(await applied(), ["another kept"]);
    answer();
    await until("both are applied", async () => (await applied()).length === 2);
  } finally {
    answer();
    await applying.stop();
  }
  assert.deepEqual(await applied(), ["another kept", "the void failed applied"]);
  assert.deepEqual(inWords(await find(id)), ["sale 100 approved", "void 100 declined", "refund 100 approved"]);
});

test("what a processor tells of a payment that was made at another one is kept after ten seconds, and changes nothing", async (t) => {
  const other = record();
  const database = postgresInstallation(await freshDatabase());
  t.after(() => database.end());
  await database.addMerchant(merchantId);
  const made = installation([USD, other]);
  const { journal } = await database.join({ clock: made.clock });
  const { charge, find, parts } = made.join(() => journal);
  const transaction = await find(idOf(await charge({ processorId: USD.id })));
  const now = made.clock.now();
  const about = { transactionId: transaction.id, reference: transaction.events[0].id };
  const news = { kind: "failed", processorResponse: PROCESSOR_RESPONSE, category: "refused" } as const;
  const notification = { id: "told", occurredAt: now, about, said: "it failed", news };
  await keepNotifications(database.pool, { merchantId, processorId: other.id }, [notification], now);
  const applying = startApplying(parts, database.pool, render);
  t.after(() => applying.stop());
  const applied = () => database.pool<{ result: string }[]>`select result from applied_notifications`;
  const dueAt = async () =>
    (await database.pool<{ due_at: Date }[]>`select due_at from waiting_notifications`)[0]?.due_at;
  const later = new Date(now.getTime() + 10_000);
  const isPutOff = async () => (await dueAt())?.getTime() === later.getTime();
  await until("it is put off or applied", async () => (await isPutOff()) || (await applied()).length > 0);
  assert.deepEqual([...(await applied())], []);
  made.clock.set(later);
  await until("it is looked at", async () => (await applied()).length > 0);
  assert.deepEqual([...(await applied())], [{ result: "kept" }]);
  assert.deepEqual(inWords(await find(transaction.id)), ["sale 100 approved"]);
});
