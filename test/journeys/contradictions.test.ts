// A processor's signed success contrary to what is on record: the money moves in the journal, and the operator and the merchant are told.
// Over real HTTP, with the toy kind.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { startReceiver, until } from "../receiver.ts";
import { startToyHost, type Told, type ToyHost } from "../toy/host.ts";
import { KINDS_WITH_TOY } from "../toy/kind.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, type Json, merchantOf, sale, transactionOf } from "./merchant.fixture.ts";

const TYPES = ["sale", "auth", "capture", "void", "refund"] as const;
const A_SECOND_EARLIER = new Date("2026-01-01T10:00:00Z");

describe("a success contrary to the record", () => {
  let gateway: Gateway;
  let host: ToyHost;
  let processor_id: string;
  before(async () => {
    host = await startToyHost();
    gateway = await startTestGateway({ rateLimitPerMinute: 100_000 }, { kinds: KINDS_WITH_TOY });
    const settings = { base_url: host.url, secret: host.secret, timeout_ms: 2_000, inquiries: false };
    processor_id = await merchantOf(gateway).processor({ kind: "toy", settings });
  });
  after(async () => {
    await gateway.close();
    await host.close();
  });
  beforeEach(() => {
    for (const type of TYPES) host.conduct(type, "approves");
  });

  const charged = async (type: "sale" | "auth") =>
    transactionOf(
      expectStatus(await gateway.post(`/api/transactions/${type}`, sale({ processor_id, amount: "100.00" })), 200),
    );
  const follow = (id: string, path: string, json: Json = {}) => gateway.post(`/api/transactions/${id}/${path}`, json);
  const found = (id: string) => merchantOf(gateway).found(id);
  const events = async (id: string): Promise<string[]> =>
    (await found(id)).events.map(
      ({ event_type, amount, success, by_processor }: Json) =>
        `${event_type} ${amount} ${success}${by_processor ? " by processor" : ""}`,
    );
  const becomes = (id: string, ...expected: readonly string[]) =>
    until(`${id} becomes ${expected}`, async () => (await events(id)).join() === expected.join());
  const tell = async (told: Told) => {
    const message = host.message(told);
    const answer = await fetch(`${gateway.url}/notifications/${processor_id}`, {
      method: "POST",
      ...message,
      body: new Uint8Array(message.body),
    });
    assert.equal(answer.status, 200);
  };
  const notifications = async (id: string): Promise<Json[]> =>
    expectStatus(await gateway.operator("GET", `/operator/notifications?transaction_id=${id}`), 200).body.notifications;
  const result = (id: string, expected: string) =>
    until(
      `the first notification of ${id} is ${expected}`,
      async () => (await notifications(id))[0]?.result === expected,
    );
  const enter = async (id: string, outcome: string) => {
    const { unresolved } = expectStatus(await gateway.operator("GET", "/operator/unresolved"), 200).body;
    const { event_id } = unresolved.find(({ transaction_id }: Json) => transaction_id === id);
    const entry = { outcome, evidence: "the processor's site" };
    expectStatus(await gateway.operator("POST", `/operator/unresolved/${event_id}/resolution`, entry), 201);
    await result(id, "applied");
  };
  const movements = async (id: string): Promise<string[]> => {
    const { now } = (await gateway.operator("GET", "/operator/clock")).body;
    const day = String(now).slice(0, 10);
    const { body } = await gateway.get(`/api/ledger?from=${day}&to=${day}`);
    return body.movements
      .filter(({ transaction_id }: Json) => transaction_id === id)
      .map(({ movement, amount }: Json) => `${movement} ${amount}`);
  };

  test("a refund entered as declined was made, and refunded again: both show, nothing more is refunded, and all are told", async (t) => {
    const merchant = await startReceiver();
    t.after(() => merchant.close());
    const { webhook } = expectStatus(
      await gateway.operator("POST", `/operator/merchants/${gateway.sandbox.merchant_id}/webhooks`, {
        url: merchant.url,
      }),
      201,
    ).body;
    assert.ok(webhook.id);
    const { id } = await charged("sale");
    host.conduct("refund", "accepts");
    expectStatus(await follow(id, "refund"), 202);
    const { reference } = host.ofTransaction(id, "refund");
    await enter(id, "declined");
    host.conduct("refund", "approves");
    expectStatus(await follow(id, "refund"), 200);
    const told = { reference, tells: "approved", id: `late ${id}`, occurredAt: A_SECOND_EARLIER } as const;
    await tell(told);
    await becomes(
      id,
      "refund 100.00 true by processor",
      "refund 100.00 true",
      "refund 100.00 false",
      "sale 100.00 true",
    );
    const transaction = await found(id);
    assert.equal(
      transaction.events[0].processor_code_detail,
      "The processor carried out 100.00 USD of a refund that is on record as declined",
    );
    assert.equal(transaction.actions.refund.allowed, false);
    assert.equal(transaction.actions.reversal.allowed, false);
    expectStatus(await follow(id, "refund", { amount: "0.01" }), 422);
    expectStatus(await follow(id, "void"), 422);
    assert.deepEqual(await movements(id), ["sale 100.00", "refund -100.00", "refund -100.00"]);
    const [late] = await notifications(id);
    assert.deepEqual([late?.result, /on record as declined/.test(String(late?.why))], ["kept", true]);
    const { notifications: kept } = (await gateway.operator("GET", "/operator/notifications?result=kept")).body;
    assert.ok(kept.some((one: Json) => one.id === told.id));
    await until("the merchant is told", async () =>
      merchant.received.some(
        ({ body }) => body.includes("transaction.refund.succeeded") && body.includes('"by_processor":true'),
      ),
    );
    await tell(told);
    await tell({ ...told, id: `again ${id}` });
    await result(id, "known");
    assert.equal((await events(id)).length, 4);
  });

  test("a failure for good that comes after it takes it back, and one that came before leaves it out", async () => {
    for (const order of [
      ["approved", "declined"],
      ["declined", "approved"],
    ] as const) {
      const { id } = await charged("sale");
      host.conduct("refund", "accepts");
      expectStatus(await follow(id, "refund"), 202);
      const { reference } = host.ofTransaction(id, "refund");
      await enter(id, "declined");
      for (const tells of order) await tell({ reference, tells });
      await until("all are applied", async () => (await notifications(id)).every((one) => one.result !== "waiting"));
      const { actions } = await found(id);
      assert.deepEqual([actions.refund.allowed, actions.refund.amount], [true, "100.00"], order.join());
    }
  });

  for (const [type, path, left] of [
    ["capture", "capture", ["capture.allowed", false]],
    ["void", "void", ["void.allowed", false]],
  ] as const)
    test(`a ${type} that the processor answered with a decline was made`, async () => {
      const { id } = await charged("auth");
      host.conduct(type, "declines");
      expectStatus(await follow(id, path), 200);
      await tell({
        reference: host.ofTransaction(id, type).reference,
        tells: "approved",
        occurredAt: A_SECOND_EARLIER,
      });
      await becomes(id, `${type} 100.00 true by processor`, `${type} 100.00 false`, "auth 100.00 true");
      const { actions } = await found(id);
      assert.deepEqual([left[0], actions[type].allowed], left);
    });

  test("a sale that was declined was paid: it can be refunded, and is shown as the charge", async () => {
    host.conduct("sale", "declines");
    const { id } = await charged("sale");
    await tell({
      reference: host.ofTransaction(id, "sale").reference,
      tells: "approved",
      occurredAt: A_SECOND_EARLIER,
    });
    await becomes(id, "sale 100.00 true by processor");
    const { attempts, actions } = await found(id);
    assert.deepEqual([attempts.length, attempts[0].reason, actions.refund.amount], [1, "declined", "100.00"]);
    expectStatus(await follow(id, "refund", { amount: "30.00" }), 200);
  });

  test("a charge that an operator entered as reversed, and that was paid, is taken back again", async () => {
    host.conduct("sale", "is silent");
    host.reversesLater = true;
    const { id, events: shown } = await charged("sale");
    const listed = async () =>
      expectStatus(await gateway.operator("GET", "/operator/unresolved"), 200).body.unresolved.filter(
        ({ event_id }: Json) => event_id === shown[0].id,
      );
    await until("its reversal is accepted", async () => (await listed())[0]?.remedy === "await");
    await enter(id, "reversed");
    assert.deepEqual(await listed(), []);
    host.reversesLater = false;
    const before = host.asked.filter((one) => one === "reversal").length;
    await tell({ reference: host.ofTransaction(id, "sale").reference, tells: "approved" });
    await until("it is taken back", async () => host.asked.filter((one) => one === "reversal").length > before);
    assert.equal((await notifications(id))[0]?.result, "kept");
  });

  test("two copies on two nodes, whatever is asked meanwhile, are one event", async () => {
    const { id } = await charged("sale");
    host.conduct("refund", "declines");
    expectStatus(await follow(id, "refund", { amount: "40.00" }), 200);
    const { reference } = host.ofTransaction(id, "refund");
    host.conduct("refund", "approves");
    await Promise.all([
      ...Array.from({ length: 4 }, (_, nth) => tell({ reference, tells: "approved", id: `${id} ${nth}` })),
      follow(id, "refund", { amount: "1.00" }),
      follow(id, "refund", { amount: "1.00" }),
    ]);
    await until("all are applied", async () => (await notifications(id)).every((one) => one.result !== "waiting"));
    assert.equal((await events(id)).filter((one) => one.endsWith("by processor")).length, 1);
    const { amount } = (await found(id)).actions.refund;
    assert.ok(["58.00", "59.00", "60.00"].includes(amount), amount);
  });
});
