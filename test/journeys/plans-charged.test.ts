// Plans that fall due: charged once, by the sandbox's clock, with what follows each end of a charge.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Receiver, startReceiver, until } from "../receiver.ts";
import { startTestGateway } from "./gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  leg,
  merchantOf,
  passenger,
  transactionOf,
} from "./merchant.fixture.ts";
import { assertOnce, DAY_MS, plansOf, reasonsOf, wordsOf } from "./plans.fixture.ts";

const HOUR_MS = 3_600_000;

describe("a plan that falls due", () => {
  let gateway: Gateway;
  let plans: ReturnType<typeof plansOf>;
  let orders = 0;
  before(async () => {
    gateway = await startTestGateway();
    plans = plansOf(gateway);
  });
  after(() => gateway.close());

  /** With an order of its own. */
  const make = async (over: Json = {}) => plans.make({ merchant_transaction_id: `due-${++orders}`, ...over });
  const sales = (plan: { readonly merchant_transaction_id: string }) => plans.salesOf(plan.merchant_transaction_id);
  const failing = (card_number: string, over: Json = {}) =>
    plans.card({ card_number }).then((card_id) => make({ card_id, ...over }));
  const codesOf = async (plan: { readonly merchant_transaction_id: string }) =>
    // biome-ignore lint/suspicious/noExplicitAny: as the gateway answered
    (await sales(plan)).map(({ events }: any) => events[0].processor_code);

  test("is charged at each of its dates while the clock goes past them: a sale of its own each", async () => {
    const plan = await make();
    const [deposit, balance] = plan.payments.map(({ due_at }: Json) => Date.parse(due_at as string));
    await plans.moveTo(deposit - 1_000);
    assert.deepEqual(wordsOf(await plans.find(plan.id)), ["scheduled", "scheduled"]);
    await plans.moveTo(deposit + 1_000);
    const after = await plans.find(plan.id);
    assert.deepEqual([...wordsOf(after), after.charged, after.status], ["charged", "scheduled", "100.00", "active"]);
    await plans.moveTo(balance + 1_000);
    const done = await plans.find(plan.id);
    assert.deepEqual([...wordsOf(done), done.charged, done.status], ["charged", "charged", "500.00", "completed"]);
    const made = await sales(plan);
    assert.deepEqual(
      made.map((sale: Json) => [sale.id, sale.plan_id, sale.plan_payment, sale.card_id]),
      done.payments.map((payment: Json) => [payment.transaction_id, plan.id, payment.number, plan.card_id]),
    );
    assert.deepEqual(
      made.map(({ initiator, reason }: Json) => [initiator, reason]),
      [
        ["merchant", "deposit"],
        ["merchant", "installment"],
      ],
    );
    // The clock stood at each instant while it was charged.
    for (const [nth, at] of [deposit, balance].entries())
      assert.ok(Math.abs(Date.parse(made[nth].created_at) - at) < 60_000, made[nth].created_at);
  });

  test("is charged within seconds when it is due now", async () => {
    const now = await plans.now();
    const plan = await make({ payments: [{ due_at: new Date(now).toISOString(), amount: "500.00" }] });
    await until("it is charged", async () => (await plans.find(plan.id)).status === "completed");
    assert.equal((await sales(plan)).length, 1);
  });

  test("goes through a year at once, and each payment is charged on its day, and the tries after declines, too", async () => {
    const now = await plans.now();
    const payments = Array.from({ length: 6 }, (_, month) => ({
      due_at: new Date(now + (month + 1) * 60 * DAY_MS).toISOString(),
      amount: "10.00",
    }));
    const [good, bad] = [
      await make({ total: "60.00", payments }),
      await failing("4000000000009995", { total: "60.00", payments }),
    ];
    await plans.move(375);
    assert.deepEqual((await plans.find(good.id)).status, "completed");
    const made = await sales(good);
    assert.deepEqual(
      made.map(({ created_at }: Json) => Math.round((Date.parse(created_at as string) - now) / DAY_MS)),
      payments.map((_, month) => (month + 1) * 60),
    );
    assertOnce(made);
    const failed = await plans.find(bad.id);
    assert.deepEqual(
      [failed.status, new Set(wordsOf(failed)), new Set(reasonsOf(failed))],
      [...["failed", new Set(["failed"]), new Set(["insufficient-funds"])]],
    );
    const days = (await sales(bad)).map(({ created_at }: Json) =>
      Math.round((Date.parse(created_at as string) - now) / DAY_MS),
    );
    assert.deepEqual(days.slice(0, 4), [60, 61, 64, 71]);
    assert.equal(days.length, 6 * 4);
  });

  test("is tried four times after declines, each in a transaction of its own", async () => {
    const plan = await failing("4000000000009995");
    await plans.move(1.1);
    const [payment] = (await plans.find(plan.id)).payments;
    assert.deepEqual([payment.status, payment.declines, payment.reason], ["retrying", 1, "insufficient-funds"]);
    await plans.move(30);
    assert.deepEqual(await codesOf(plan), ["51", "51", "51", "51", "51", "51", "51", "51"]);
  });

  test("has failed at once after a decline that forbids another try", async () => {
    const plan = await failing("4000000000000069");
    await plans.move(30);
    const failed = await plans.find(plan.id);
    assert.deepEqual([failed.status, ...wordsOf(failed)], ["failed", "failed", "failed"]);
    assert.equal((await sales(plan)).length, 2);
  });

  test("is in doubt while its processor is silent, and is not charged again before the reversal is confirmed", async () => {
    const plan = await failing("4000000000000408", {
      total: "100.00",
      payments: [{ due_at: new Date((await plans.now()) + HOUR_MS).toISOString(), amount: "100.00" }],
    });
    await plans.move(0.1);
    await until("the reversal is confirmed", async () => wordsOf(await plans.find(plan.id))[0] === "retrying");
    const [payment] = (await plans.find(plan.id)).payments;
    assert.deepEqual([payment.reason, payment.declines], ["no-answer", 1]);
    assert.equal((await sales(plan)).length, 1);
    expectStatus(await gateway.call("DELETE", `/api/plans/${plan.id}`), 200);
  });

  test("fails with its card deleted, whichever payment is next, and nothing is sent", async () => {
    const plan = await make();
    expectStatus(await gateway.call("DELETE", `/api/cards/${plan.card_id}`), 204);
    await plans.move(11);
    const failed = await plans.find(plan.id);
    assert.deepEqual([failed.status, ...reasonsOf(failed)], ["failed", "stored-card-unknown", "stored-card-unknown"]);
    assert.deepEqual(await sales(plan), []);
  });

  test("waits while its processor is disabled, and is charged when it is enabled in time; else it fails", async () => {
    const processor_id = await merchantOf(gateway).processor();
    const enable = async (enabled: boolean) =>
      expectStatus(await gateway.operator("PATCH", `/operator/processors/${processor_id}`, { enabled }), 200);
    const plan = await make({ processor_id });
    await enable(false);
    await plans.move(1.5);
    const [waiting] = (await plans.find(plan.id)).payments;
    assert.deepEqual([waiting.status, waiting.reason, waiting.declines], ["retrying", "processor-disabled", 0]);
    await enable(true);
    await plans.move(0.5);
    assert.equal(wordsOf(await plans.find(plan.id))[0], "charged");
    await enable(false);
    await plans.move(20);
    assert.deepEqual(wordsOf(await plans.find(plan.id)), ["charged", "failed"]);
    assert.equal((await sales(plan)).length, 1);
  });

  test("that failed is moved after its cause was mended, and goes on", async () => {
    const processor_id = await merchantOf(gateway).processor();
    const plan = await make({ processor_id });
    expectStatus(await gateway.operator("PATCH", `/operator/processors/${processor_id}`, { enabled: false }), 200);
    await plans.move(5);
    assert.equal(wordsOf(await plans.find(plan.id))[0], "failed");
    expectStatus(await gateway.operator("PATCH", `/operator/processors/${processor_id}`, { enabled: true }), 200);
    const due_at = new Date((await plans.now()) + HOUR_MS).toISOString();
    expectStatus(
      await gateway.call("PATCH", `/api/plans/${plan.id}`, { json: { payments: [{ number: 1, due_at }] } }),
      200,
    );
    await plans.move(10);
    assert.equal((await plans.find(plan.id)).status, "completed");
    assertOnce(await sales(plan));
  });

  test("of which one payment is charged is canceled, and the rest never is", async () => {
    const plan = await make();
    await plans.move(2);
    expectStatus(await gateway.call("DELETE", `/api/plans/${plan.id}`), 200);
    await plans.move(20);
    const canceled = await plans.find(plan.id);
    assert.deepEqual(
      [canceled.status, ...wordsOf(canceled), canceled.charged],
      ["canceled", "charged", "canceled", "100.00"],
    );
    assert.equal((await sales(plan)).length, 1);
    // What was charged can be given back as any sale.
    const [{ id }] = await sales(plan);
    expectStatus(await gateway.post(`/api/transactions/${id}/reversal`), 200);
  });

  test("of an airline charges each passenger with a part of each fare, which can be refunded alone", async () => {
    const passenger_transport = [
      passenger({ legs: [leg({ fare: "200.00" }), leg({ fare: "100.00" })] }),
      passenger({ passenger_name: "DOE/JOE", legs: [leg({ fare: "200.00" })] }),
    ];
    const plan = await make({ passenger_transport });
    await plans.move(11);
    const made = await sales(plan);
    type Fares = { readonly passengers: readonly { readonly legs: readonly { readonly fare: string }[] }[] };
    const fares = made.map(({ passengers }: Fares) => passengers.map(({ legs }) => legs.map(({ fare }) => fare)));
    assert.deepEqual(fares, [
      [["40.00", "20.00"], ["40.00"]],
      [["160.00", "80.00"], ["160.00"]],
    ]);
    const [{ id, passengers }] = made;
    const share = { passenger_id: passengers[1].id, amount: "40.00" };
    const refund = await gateway.post(`/api/transactions/${id}/refund`, {
      amount: "40.00",
      passenger_transport: [share],
    });
    assert.equal(transactionOf(expectStatus(refund, 200)).events[0].success, true);
  });

  test("in Canadian dollars, inside the settlement window, is charged at once and settles with the next day's batch", async () => {
    const cad = gateway.sandbox.processors.cad ?? "";
    const midnight = Math.floor((await plans.now()) / DAY_MS) * DAY_MS + 3 * DAY_MS;
    const inside = midnight + 23 * HOUR_MS;
    const payments = [{ due_at: new Date(inside).toISOString(), amount: "500.00" }];
    const plan = await make({ processor_id: cad, currency: "CAD", payments });
    await plans.moveTo(inside + 60_000);
    const [payment] = (await plans.find(plan.id)).payments;
    assert.equal(payment.status, "charged");
    const found = async () =>
      transactionOf(expectStatus(await gateway.get(`/api/transactions/${payment.transaction_id}`), 200));
    const statusOf = async () => (await found()).events.at(-1).status;
    assert.equal(await statusOf(), "pending_settlement");
    // The window of the day before ends, and it is not in that batch.
    await plans.moveTo(midnight + DAY_MS + 3 * HOUR_MS);
    assert.equal(await statusOf(), "pending_settlement");
    assert.equal((await found()).actions.void.allowed, true);
    await plans.moveTo(midnight + 2 * DAY_MS + 3 * HOUR_MS);
    assert.equal(await statusOf(), "settled");
  });
});

describe("webhooks of plans", () => {
  let gateway: Gateway;
  let shop: Receiver;
  before(async () => {
    [gateway, shop] = [await startTestGateway(), await startReceiver()];
  });
  after(async () => {
    await gateway.close();
    await shop.close();
  });

  test("tell each charge, each decline, the end and the cancellation, with the plan as it was then", async () => {
    const plans = plansOf(gateway);
    const url = `${shop.url}/plans`;
    const event_types = ["plan.charge.succeeded", "plan.charge.failed", "plan.completed", "plan.canceled"];
    const path = `/operator/merchants/${gateway.sandbox.merchant_id}/webhooks`;
    expectStatus(await gateway.operator("POST", path, { url, event_types }), 201);
    const [good, bad, canceled] = [
      await plans.make(),
      await plans.make({ card_id: await plans.card({ card_number: "4000000000009995" }) }),
      await plans.make(),
    ];
    await plans.move(1.5);
    for (const { id } of [bad, canceled]) expectStatus(await gateway.call("DELETE", `/api/plans/${id}`), 200);
    await plans.move(10);
    await until("all are told", () => shop.received.length >= 7);
    // biome-ignore lint/suspicious/noExplicitAny: as it was told
    const told: any[] = shop.received.map(({ body }) => JSON.parse(body));
    const of = (id: string) =>
      told
        .filter(({ data }) => data.plan.id === id)
        .map(({ type, data }) =>
          [type, data.payment ?? null, data.plan.status, data.plan.charged, ...wordsOf(data.plan)].join(" "),
        );
    assert.deepEqual(of(good.id), [
      "plan.charge.succeeded 1 active 100.00 charged scheduled",
      "plan.charge.succeeded 2 completed 500.00 charged charged",
      "plan.completed  completed 500.00 charged charged",
    ]);
    assert.deepEqual(of(bad.id), [
      "plan.charge.failed 1 active 0.00 retrying scheduled",
      "plan.canceled  canceled 0.00 canceled canceled",
    ]);
    assert.deepEqual(of(canceled.id), [
      "plan.charge.succeeded 1 active 100.00 charged scheduled",
      "plan.canceled  canceled 100.00 charged canceled",
    ]);
  });
});
